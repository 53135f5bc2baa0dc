import FoundationEssentials
import Glibc

/// A headless Chromium, controlled with its DevTools protocol over two pipes (`--remote-debugging-pipe`), so that no
/// port is opened.
final class Chromium: Browser {
  var onEvent: (String, PageEvent) -> Void = { _, _ in }

  private let process: BrowserProcess
  private let connection: BrowserConnection
  private var targets: [String: String] = [:]
  private var ownHTML: [String: String] = [:]

  /// Throws a `ProbeError` if it does not start.
  init(_ place: BrowserPlace) throws {
    var down: [Int32] = [0, 0]
    var up: [Int32] = [0, 0]
    guard pipe(&down) == 0, pipe(&up) == 0 else {
      throw ProbeError("no pipe to the browser: \(String(cString: strerror(errno)))")
    }
    // Chromium reads from descriptor 3 and writes to 4: the pipes must not use these numbers before they are moved
    // there.
    let moved = (down + up).map { fcntl($0, F_DUPFD_CLOEXEC, 10) }
    (down + up).forEach { Glibc.close($0) }
    defer { [moved[0], moved[3]].forEach { Glibc.close($0) } }
    do {
      process = try BrowserProcess(place, pipes: [moved[0], moved[3]]) { profile in
        Self.arguments(place) + ["--user-data-dir=\(profile)", "--remote-debugging-pipe", "about:blank"]
      }
    } catch {
      [moved[1], moved[2]].forEach { Glibc.close($0) }
      throw error
    }
    connection = BrowserConnection(
      to: "Chromium", input: moved[2], output: moved[1], framing: NullTerminated(), loop: place.loop)
    connection.onEvent = { [weak self] in self?.handle($0) }
    try connection.call("Browser.getVersion", within: 30)
  }

  deinit { close() }

  func close() {
    connection.close()
    process.close()
  }

  private static func arguments(_ place: BrowserPlace) -> [String] {
    [
      "--headless=new", "--no-first-run", "--no-default-browser-check", "--disable-gpu", "--mute-audio",
      "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream",
      "--use-file-for-fake-audio-capture=\(place.microphone)",
      "--use-file-for-fake-video-capture=\(place.camera)",
      "--autoplay-policy=no-user-gesture-required", "--allow-loopback-in-peer-connection",
      "--disable-features=WebRtcHideLocalIpsWithMdns", "--disable-background-timer-throttling",
      "--disable-renderer-backgrounding", "--disable-backgrounding-occluded-windows",
      "--disable-dev-shm-usage",
    ] + (geteuid() == 0 ? ["--no-sandbox"] : [])
  }

  // MARK: - Pages, by their sessions

  func open(_ page: PageSetup) throws -> String {
    let target = try connection.call("Target.createTarget", ["url": "about:blank"])["targetId"].text ?? ""
    let attached = try connection.call(
      "Target.attachToTarget", ["targetId": .string(target), "flatten": true])
    let session = attached["sessionId"].text ?? ""
    targets[session] = target
    for domain in ["Page", "Runtime", "Log"] { try connection.call(domain + ".enable", session: session) }
    try connection.call("Runtime.addBinding", ["name": "callqaProbe"], session: session)
    for source in page.scripts {
      try connection.call(
        "Page.addScriptToEvaluateOnNewDocument", ["source": .string(source)], session: session)
    }
    if let html = page.ownHTML {
      ownHTML[session] = html
      let pattern: JSONValue = ["urlPattern": .string("https://\(PageSetup.ownHost)/*")]
      try connection.call("Fetch.enable", ["patterns": [pattern]], session: session)
    }
    return session
  }

  func load(_ url: String, in page: String) throws {
    let answer = try connection.call("Page.navigate", ["url": .string(url)], session: page, within: 30)
    if let failure = answer["errorText"].text { throw ProbeError(failure) }
  }

  func run(_ script: String, in page: String, within seconds: Double) throws {
    let answer = try connection.call(
      "Runtime.evaluate", ["expression": .string(script), "awaitPromise": true, "userGesture": true],
      session: page, within: seconds)
    let details = answer["exceptionDetails"]
    if details != .null {
      throw ProbeError(exception: details["exception"]["description"].text ?? details["text"].text)
    }
  }

  func send(_ script: String, to page: String) throws {
    try connection.send("Runtime.evaluate", ["expression": .string(script)], session: page)
  }

  func screenshot(of page: String) throws -> String? {
    try connection.call("Page.captureScreenshot", ["format": "png"], session: page, within: 5)["data"].text
  }

  func close(_ page: String) throws {
    try connection.send("Target.closeTarget", ["targetId": .string(targets[page] ?? "")])
  }

  // MARK: - Events

  private func handle(_ event: BrowserConnection.Event) {
    guard let page = event.session else { return }
    let parameters = event.parameters
    switch event.method {
    case "Page.loadEventFired": onEvent(page, .loaded)
    case "Inspector.targetCrashed": onEvent(page, .gone)
    case "Fetch.requestPaused": try? answer(parameters, page)
    case "Runtime.bindingCalled": onEvent(page, .told(parameters["payload"].text ?? ""))
    case "Runtime.exceptionThrown":
      let details = parameters["exceptionDetails"]
      let words = details["exception"]["description"].text ?? details["text"].text ?? "an exception"
      onEvent(page, .console("uncaught: \(words)"))
    case "Log.entryAdded":
      let entry = parameters["entry"]
      let words = [entry["level"].text, entry["text"].text, entry["url"].text].compactMap { $0 }
      onEvent(page, .console(words.joined(separator: " ")))
    case "Runtime.consoleAPICalled":
      let values = parameters["args"].elements.map {
        $0["value"].text ?? $0["description"].text ?? $0["type"].text ?? ""
      }
      onEvent(page, .console("\(parameters["type"].text ?? "log"): \(values.joined(separator: " "))"))
    default: break
    }
  }

  /// Answers the request for the probe's own page.
  private func answer(_ request: JSONValue, _ page: String) throws {
    try connection.send(
      "Fetch.fulfillRequest",
      [
        "requestId": request["requestId"], "responseCode": 200,
        "responseHeaders": [["name": "Content-Type", "value": "text/html; charset=utf-8"]],
        "body": .string(Data((ownHTML[page] ?? "").utf8).base64EncodedString()),
      ], session: page)
  }
}

/// Messages that end with a zero byte.
private struct NullTerminated: MessageFraming {
  private var searched = 0

  func framed(_ message: [UInt8]) -> [UInt8] { message + [0] }

  mutating func takeMessages(from received: inout [UInt8]) -> [[UInt8]] {
    var messages: [[UInt8]] = []
    var begin = 0
    while let end = received[max(begin, searched)...].firstIndex(of: 0) {
      messages.append(Array(received[begin..<end]))
      begin = end + 1
      searched = begin
    }
    received.removeFirst(begin)
    searched = received.count
    return messages
  }
}
