import Foundation

/// Recordings that lie beside the checkout on some machines and are not part of it.
enum Recordings {
  static let calls = Tool.root.deletingLastPathComponent().appendingPathComponent("shared/calls").resolved

  /// Whether they are here; tests that need them skip, and say so, where they are not.
  static var areHere: Bool {
    FileManager.default.fileExists(atPath: calls.appendingPathComponent("INDEX.csv").path)
  }

  /// Names of the recorded calls.
  static var names: [String] {
    let all = (try? FileManager.default.contentsOfDirectory(atPath: calls.path)) ?? []
    return all.filter { $0.hasPrefix("t") && !$0.contains(".") }.sorted()
  }

  /// The text of a gzipped file.
  static func text(_ file: URL) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["gzip", "-dc", file.path]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
  }

  /// The last report of every RTP stream of one end: by direction and SSRC, as the browser wrote it.
  static func lastReports(_ file: URL) throws -> [String: [String: Any]] {
    var last: [String: [String: Any]] = [:]
    for line in try text(file).split(separator: "\n") {
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      for case let report as [String: Any] in (object?["report"] as? [String: Any] ?? [:]).values {
        guard let type = report["type"] as? String, ["inbound-rtp", "outbound-rtp"].contains(type),
          let ssrc = report["ssrc"] as? Int
        else { continue }
        last["\(type == "inbound-rtp" ? "inbound" : "outbound") \(ssrc)"] = report
      }
    }
    return last
  }
}

extension URL {
  /// The same place with links followed: a worktree may lie deeper than a clone.
  fileprivate var resolved: URL {
    if FileManager.default.fileExists(atPath: path) { return self }
    let deeper = Tool.root.deletingLastPathComponent().deletingLastPathComponent()
    let other = deeper.appendingPathComponent("shared/calls")
    return FileManager.default.fileExists(atPath: other.path) ? other : self
  }
}
