import FoundationEssentials
import Glibc
import IO

/// A headless Firefox, controlled with WebDriver BiDi over a WebSocket on loopback, at a port that Firefox chooses.
final class Firefox: Browser {
  var onEvent: (String, PageEvent) -> Void = { _, _ in }

  private let process: BrowserProcess
  private let connection: BrowserConnection
  private var ownHTML: [String: String] = [:]
  private var closed: Set<String> = []

  /// How long the start may take, s.
  private static let patience = 60.0

  /// Throws a `ProbeError` if it does not start.
  init(_ place: BrowserPlace) throws {
    let process = try BrowserProcess(place) { profile in
      try write(Array(Self.preferences.utf8), to: profile + "/user.js")
      return ["--headless", "--no-remote", "--remote-debugging-port=0", "--profile", profile]
    }
    self.process = process
    var port: UInt16?
    try place.loop.run(until: MonotonicClock.nowSeconds + Self.patience) {
      port = Self.port(in: process.profile)
      return port != nil || process.hasEnded
    }
    guard let port else { throw ProbeError("\(place.program) offers no WebDriver BiDi (see browser.log)") }
    let socket = try WebSocketFraming.connect(to: port, path: "/session")
    connection = BrowserConnection(
      to: "Firefox", input: socket, output: socket, framing: WebSocketFraming(), loop: place.loop)
    connection.onEvent = { [weak self] in self?.handle($0) }
    try connection.call("session.new", ["capabilities": [:]], within: 30)
    let events: JSONValue = [
      "log.entryAdded", "browsingContext.load", "browsingContext.contextDestroyed",
      "browsingContext.navigationCommitted", "script.message",
      "network.beforeRequestSent",
    ]
    try connection.call("session.subscribe", ["events": events])
  }

  deinit { close() }

  func close() {
    connection.close()
    process.close()
  }

  /// Fake devices, ICE on loopback with addresses as they are, timers at full speed in every window, and nothing that
  /// asks the network or people.
  private static let preferences = [
    "media.navigator.streams.fake": "true", "media.navigator.permission.disabled": "true",
    "media.peerconnection.ice.loopback": "true", "media.peerconnection.ice.obfuscate_host_addresses": "false",
    // Without them ICE has the address of the default route alone, and no way to a relay on loopback.
    "permissions.default.camera": "1", "permissions.default.microphone": "1",
    "media.autoplay.default": "0", "media.autoplay.blocking_policy": "0",
    "media.gmp-manager.updateEnabled": "false",
    "dom.min_background_timeout_value": "4", "dom.timeout.enable_budget_timer_throttling": "false",
    "app.normandy.enabled": "false", "app.update.disabledForTesting": "true",
    "browser.newtabpage.enabled": "false", "browser.shell.checkDefaultBrowser": "false",
    "browser.startup.page": "0", "datareporting.policy.dataSubmissionEnabled": "false",
    "network.captive-portal-service.enabled": "false", "network.connectivity-service.enabled": "false",
    "services.settings.server": "\"data:,\"", "toolkit.telemetry.enabled": "false",
  ].map { "user_pref(\"\($0)\", \($1));\n" }.joined()

  /// The port that Firefox wrote into its profile.
  private static func port(in profile: String) -> UInt16? {
    let file = FileManager.default.contents(atPath: profile + "/WebDriverBiDiServer.json")
    let server = file.flatMap { try? JSONDecoder().decode(JSONValue.self, from: $0) }
    return server?["ws_port"].number.flatMap { UInt16(exactly: $0) }
  }

  // MARK: - Pages, by their contexts

  func open(_ page: PageSetup) throws -> String {
    // A window for each: Firefox slows down tabs that are not in front.
    let made = try connection.call("browsingContext.create", ["type": "window"])
    let context = made["context"].text ?? ""
    let contexts: JSONValue = [.string(context)]
    let channel: JSONValue = ["type": "channel", "value": ["channel": "callqaProbe"]]
    let bind = "(channel) => { globalThis.callqaProbe = channel; }"
    try connection.call(
      "script.addPreloadScript",
      ["functionDeclaration": .string(bind), "arguments": [channel], "contexts": contexts])
    for source in page.scripts {
      try connection.call(
        "script.addPreloadScript",
        ["functionDeclaration": .string("() => {\n\(source)\n}"), "contexts": contexts])
    }
    if let html = page.ownHTML {
      ownHTML[context] = html
      let pattern: JSONValue = ["type": "pattern", "hostname": .string(PageSetup.ownHost)]
      try connection.call(
        "network.addIntercept",
        ["phases": ["beforeRequestSent"], "contexts": contexts, "urlPatterns": [pattern]])
    }
    return context
  }

  func load(_ url: String, in page: String) throws {
    try connection.call(
      "browsingContext.navigate", ["context": .string(page), "url": .string(url), "wait": "none"], within: 30)
  }

  func run(_ script: String, in page: String, within seconds: Double) throws {
    let answer: JSONValue
    do {
      answer = try connection.call(
        "script.evaluate", Self.evaluation(script, page, isAwaited: true), within: seconds)
    } catch let error as ProbeError {
      // So it names what a promise was rejected with.
      guard let words = error.description.firstRange(of: "for exception: ") else { throw error }
      throw ProbeError(exception: String(error.description[words.upperBound...]))
    }
    if answer["type"].text == "exception" {
      throw ProbeError(exception: answer["exceptionDetails"]["text"].text)
    }
  }

  func send(_ script: String, to page: String) throws {
    try connection.send("script.evaluate", Self.evaluation(script, page, isAwaited: false))
  }

  private static func evaluation(_ script: String, _ page: String, isAwaited: Bool) -> JSONValue {
    [
      "expression": .string(script), "target": ["context": .string(page)], "awaitPromise": .bool(isAwaited),
      "userActivation": true, "serializationOptions": ["maxObjectDepth": 0, "maxDomDepth": 0],
    ]
  }

  func screenshot(of page: String) throws -> String? {
    try connection.call("browsingContext.captureScreenshot", ["context": .string(page)], within: 5)["data"]
      .text
  }

  func close(_ page: String) throws {
    closed.insert(page)
    try connection.send("browsingContext.close", ["context": .string(page)])
  }

  // MARK: - Events

  private func handle(_ event: BrowserConnection.Event) {
    let parameters = event.parameters
    guard let page = parameters["context"].text ?? parameters["source"]["context"].text else { return }
    switch event.method {
    // An empty page loads too.
    case "browsingContext.load":
      if parameters["url"].text?.hasPrefix("about:") == false { onEvent(page, .loaded) }
    case "browsingContext.navigationCommitted":
      if parameters["url"].text?.hasPrefix("about:tabcrashed") == true { onEvent(page, .gone) }
    case "browsingContext.contextDestroyed": if !closed.contains(page) { onEvent(page, .gone) }
    case "script.message": onEvent(page, .told(parameters["data"]["value"].text ?? ""))
    case "network.beforeRequestSent":
      if parameters["isBlocked"].flag == true { try? answer(parameters["request"]["request"], page) }
    case "log.entryAdded":
      let kind = parameters["method"].text ?? "uncaught"
      onEvent(page, .console("\(kind): \(parameters["text"].text ?? "")"))
    default: break
    }
  }

  /// Answers the request for the probe's own page.
  private func answer(_ request: JSONValue, _ page: String) throws {
    let type: JSONValue = ["type": "string", "value": "text/html; charset=utf-8"]
    let body = Data((ownHTML[page] ?? "").utf8).base64EncodedString()
    try connection.send(
      "network.provideResponse",
      [
        "request": request, "statusCode": 200, "reasonPhrase": "OK",
        "headers": [["name": "Content-Type", "value": type]],
        "body": ["type": "base64", "value": .string(body)],
      ])
  }
}
