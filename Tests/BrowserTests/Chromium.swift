import Foundation
import Glibc

/// A page of a headless Chromium that shares nothing with other pages, driven by the DevTools protocol.
final class Chromium {
  /// What went wrong with the browser itself.
  struct Failure: Error, CustomStringConvertible {
    let description: String
    /// Whether the page was left for another while it was asked (a server error of the protocol, -32000).
    var isNavigation = false
  }

  /// The browser on this machine, if there is one.
  static let path: String? = {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
    let names = ["chromium", "chromium-browser", "google-chrome", "chrome", "chrome-headless-shell"]
    return names.flatMap { name in folders.map { "\($0)/\(name)" } }.first { access($0, X_OK) == 0 }
  }()

  private let process: ChromiumProcess
  private var context: String?
  private var session: String?
  /// Everything the browser told of the page without being asked, as name and parameters.
  private(set) var events: [(name: String, parameters: [String: Any])] = []

  /// Opens an empty page, every event of interest switched on.
  init(width: Int = 1440, height: Int = 900) throws {
    process = try ChromiumProcess.take()
    context = try send("Target.createBrowserContext")["browserContextId"] as? String
    let target = try send(
      "Target.createTarget",
      ["url": "about:blank", "browserContextId": context ?? "", "width": width, "height": height])
    session =
      try send("Target.attachToTarget", ["targetId": target["targetId"] ?? "", "flatten": true])["sessionId"]
      as? String
    for domain in ["Page", "Runtime", "Log", "Network"] { try send("\(domain).enable") }
    try resize(width, height)
  }

  deinit {
    session = nil
    // A browser that does not answer is of no use to others.
    guard (try? send("Target.disposeBrowserContext", ["browserContextId": context ?? ""])) != nil else {
      return
    }
    process.giveBack()
  }

  /// Sends a command and waits for its answer. Throws what the browser says is wrong.
  @discardableResult
  func send(_ method: String, _ parameters: [String: Any] = [:]) throws -> [String: Any] {
    let id = try process.send(method, parameters, session)
    while true {
      let answer = try process.receive()
      if answer["id"] as? Int == id {
        if let error = answer["error"] as? [String: Any] {
          throw Failure(description: "\(method): \(error)", isNavigation: error["code"] as? Int == -32000)
        }
        return answer["result"] as? [String: Any] ?? [:]
      }
      if let name = answer["method"] as? String, let session, answer["sessionId"] as? String == session {
        events.append((name, answer["params"] as? [String: Any] ?? [:]))
      }
    }
  }

  /// Waits for events, a little while.
  func listen(seconds: Double) throws {
    let end = Date().addingTimeInterval(seconds)
    while Date() < end { try send("Runtime.evaluate", ["expression": "0"]) }
  }
}
