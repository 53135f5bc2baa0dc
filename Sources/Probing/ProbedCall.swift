import FoundationEssentials
import Glibc
import IO

/// A call being placed: its relay, its pages, and what the pages report.
final class ProbedCall {
  /// The data of the pages.
  struct Scripts {
    var collector: String
    var redirect: String
    var page: String

    /// Reads them from the installed folder or the checkout. Throws a `ProbeError` if they are missing.
    init() throws {
      func read(_ folder: String, _ name: String) throws -> String {
        guard let folder = ResourceFolder(folder), let bytes = try? folder.contents(of: name) else {
          throw ProbeError(
            "\(folder)/\(name) is missing: point CALLQA_HOME at the folder that has \(folder)/")
        }
        return String(decoding: bytes, as: UTF8.self)
      }
      collector = try read("collect", "callqa-collect.js")
      redirect = try read("probe", "redirect.js")
      page = try read("probe", "page.js")
    }
  }

  private final class Page {
    let name: String
    let session: String
    let target: String
    let isCaller: Bool
    var script: ProbePlan.Page?
    var log: [UInt8] = []
    /// What the page wrote to its console, and its uncaught exceptions.
    var console: [String] = []
    var states: Set<String> = []
    var isLoaded = false
    init(name: String, session: String, target: String, isCaller: Bool, script: ProbePlan.Page?) {
      (self.name, self.session, self.target) = (name, session, target)
      (self.isCaller, self.script) = (isCaller, script)
    }
  }

  private let call: ProbePlan.Call
  private let browser: DevTools
  private let relay: Relay
  private let turn: TURNServer?
  private let scripts: Scripts
  private var pages: [Page] = []
  private var health = RigHealth()
  private var idleness = ProcessorIdleness()
  private var failure: ProbeError?
  /// What makes the call a failed test, in words.
  private var failures: [String] = []
  private var evidence: [String] = []

  /// The address of the probe's own pages, which the probe answers itself.
  private static let ownOrigin = "https://probe.callqa.invalid/"
  /// How long a connection may take, s: ICE gives up after some 15 to 30.
  private static let patience = 45.0
  /// Maximum size of a page's log, and the most lines of its console.
  private static let largestLog = 256 << 20
  private static let maxConsole = 500
  private static let maxFailures = 20

  init(_ call: ProbePlan.Call, browser: DevTools, scripts: Scripts) throws {
    (self.call, self.browser, self.scripts) = (call, browser, scripts)
    relay = try Relay(phases: call.network.phases, seed: call.seed)
    turn = call.scenario.turn == nil ? nil : try TURNServer()
  }

  /// Places the call, waits, and ends it. Afterwards the pages' logs are in `folder`, even after errors, and what a failed
  /// page shows is in `shown`. Throws if it was interrupted, or files cannot be written.
  func place(into folder: String, shown: String) throws -> ProbeResult {
    let beganMs = WallClock.nowMs
    browser.onEvent = { [weak self] in self?.handle($0) }
    defer { browser.onEvent = { _ in } }
    var truth: RelayTruth?
    defer {
      turn?.close()
      if truth == nil { _ = relay.finish() }
    }
    let isBegun = try note {
      try open()
      try begin()
      try wait()
    }
    if !isBegun { try show(in: shown) }
    try note { try end(withHangUp: isBegun) }
    let counts = relay.finish()
    truth = counts
    health.look(at: counts)
    if failures.isEmpty, call.mustConnect, !counts.totals.values.contains(where: { $0.packets > 0 }) {
      add(failure: "no packet came to the relay: the pages sent none, or by another way")
      try show(in: shown)
    }
    for page in pages {
      _ = try? browser.send("Target.closeTarget", ["targetId": .string(page.target)])
    }
    try writeFailures()
    var files: [String] = []
    for page in pages where !page.log.isEmpty {
      files.append("\(page.name).jsonl")
      try write(page.log, to: "\(folder)/\(page.name).jsonl")
    }
    return ProbeResult(
      call: call, beganMs: beganMs, endedMs: WallClock.nowMs, files: files, truth: counts, health: health,
      states: Dictionary(uniqueKeysWithValues: pages.map { ($0.name, $0.states.sorted()) }),
      failures: failures, evidence: evidence,
      console: failures.isEmpty ? [] : pages.flatMap { page in page.console.map { "\(page.name): \($0)" } })
  }

  // MARK: - What fails

  /// Whether a step succeeds. What the pages or the browser did wrong is kept as a failure of the test.
  @discardableResult
  private func note(_ step: () throws -> Void) throws -> Bool {
    do {
      try step()
      return true
    } catch let error as ProbeError {
      add(failure: error.description)
      return false
    }
  }

  private func add(failure words: String) {
    if !failures.contains(words), failures.count < Self.maxFailures { failures.append(words) }
  }

  /// Keeps what each page shows, and its console.
  private func show(in folder: String) throws {
    try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for page in pages {
      let name = "\(call.id)-\(page.name)"
      let picture = try? browser.call(
        "Page.captureScreenshot", ["format": "png"], session: page.session, within: 5)
      if let base64 = picture?["data"].text, let png = Data(base64Encoded: base64) {
        try write([UInt8](png), to: "\(folder)/\(name).png")
        evidence.append("\(name).png")
      }
      let text = page.console.map { $0 + "\n" }.joined()
      try write(Array(text.utf8), to: "\(folder)/\(name).console.txt")
      evidence.append("\(name).console.txt")
    }
  }

  /// Ends the log of the first page with what failed, so that lists and reports of callqa name it.
  private func writeFailures() throws {
    guard !failures.isEmpty, let page = pages.first else { return }
    try append(event: "callError", ["reason": .string(failures.joined(separator: "; "))], to: page)
  }

  // MARK: - The course of a call

  private func open() throws {
    let own = [
      ProbePlan.Page(name: "caller", url: Self.ownOrigin + "caller"),
      ProbePlan.Page(name: "callee", url: Self.ownOrigin + "callee"),
    ]
    for (index, page) in (call.scenario.pages ?? own).enumerated() {
      let target = try browser.call("Target.createTarget", ["url": "about:blank"])["targetId"].text ?? ""
      let attached = try browser.call(
        "Target.attachToTarget", ["targetId": .string(target), "flatten": true])
      let session = attached["sessionId"].text ?? ""
      pages.append(
        Page(
          name: page.name, session: session, target: target, isCaller: index == 0,
          script: call.scenario.pages == nil ? nil : page))
      try browser.call("Page.enable", session: session)
      try browser.call("Runtime.enable", session: session)
      try browser.call("Log.enable", session: session)
      try browser.call("Runtime.addBinding", ["name": "callqaProbe"], session: session)
      for source in [turnScript, scripts.redirect, scripts.collector, collecting(endpoint: page.name)] {
        try browser.call(
          "Page.addScriptToEvaluateOnNewDocument", ["source": .string(source)], session: session)
      }
      if call.scenario.pages == nil {
        let pattern: JSONValue = ["urlPattern": .string(Self.ownOrigin + "*")]
        try browser.call("Fetch.enable", ["patterns": [pattern]], session: session)
      }
      let answer = try browser.call("Page.navigate", ["url": .string(page.url)], session: session, within: 30)
      if let failure = answer["errorText"].text {
        throw ProbeError("\(page.name): \(page.url) does not load: \(failure)")
      }
    }
    guard try run(for: 30, until: { self.pages.allSatisfy(\.isLoaded) }) else {
      throw ProbeError("\(names(of: { !$0.isLoaded })): the page did not load within 30 s")
    }
  }

  private func begin() throws {
    if call.scenario.pages == nil {
      return try evaluate("callqaProbePage.place(\(call.isWithVideo))", "start", pages[0], within: 30)
    }
    for page in pages {
      if let start = page.script?.start { try evaluate(start, "start", page, within: 60) }
    }
  }

  /// Evaluates a script of the plan. Throws a `ProbeError` that names the page and the script.
  private func evaluate(
    _ script: String, _ member: String, _ page: Page, within seconds: Double = 15
  ) throws {
    do {
      _ = try browser.evaluate(script, session: page.session, within: seconds)
    } catch let error as ProbeError {
      throw ProbeError("\(page.name), `\(member)`: \(error)")
    }
  }

  private func names(of condition: (Page) -> Bool) -> String {
    pages.filter(condition).map(\.name).joined(separator: ", ")
  }

  private func wait() throws {
    let isSetUp = try run(for: Self.patience) {
      self.pages.allSatisfy { $0.states.contains("connected") }
        || self.pages.contains { $0.states.contains("failed") }
    }
    if isSetUp, pages.allSatisfy({ $0.states.contains("connected") }) {
      _ = try run(for: call.seconds) { false }
    } else {
      // The other end may take a moment longer to give up.
      _ = try run(for: 3) { self.pages.allSatisfy { $0.states.contains("failed") } }
      guard call.mustConnect else { return }
      let states = pages.filter { !$0.states.contains("connected") }.map { page in
        "\(page.name) \(page.states.isEmpty ? "made none" : "was " + page.states.sorted().joined(separator: ", "))"
      }
      throw ProbeError("no connection came: \(states.joined(separator: "; "))")
    }
    if call.expectation?.outcome == "failed" {
      throw ProbeError("the call was to fail, and its connections came")
    }
  }

  private func end(withHangUp isBegun: Bool) throws {
    for page in pages where isBegun {
      let hangUp = page.script == nil ? "callqaProbePage.hangUp()" : page.script?.hang_up
      if let hangUp { try evaluate(hangUp, "hang_up", page) }
    }
    // The last statistics follow the end of a connection.
    _ = try? run(for: 0.5) { false }
    for page in pages {
      _ = try? browser.evaluate("callqaProbeCollector.stop()", session: page.session, within: 5)
    }
  }

  /// Names the TURN server that the pages are to use.
  private var turnScript: String {
    guard let turn, let transport = call.scenario.turn else { return "" }
    return "globalThis.callqaProbeTurn = 'turn:127.0.0.1:\(turn.port)?transport=\(transport.rawValue)';"
  }

  /// Starts the collector, which sends its lines to the probe.
  private func collecting(endpoint: String) -> String {
    """
    globalThis.callqaProbeCollector = callqaCollect({ call: "\(call.id)", endpoint: "\(endpoint)", chunkMs: 1000,
      sink: (text) => { callqaProbe(JSON.stringify({ kind: "log", text })); } });
    """
  }

  private func run(for seconds: Double, until condition: () -> Bool) throws -> Bool {
    let isMet = try browser.run(until: DevTools.now + seconds) {
      self.idleness.look(now: DevTools.now)
      return self.failure != nil || condition()
    }
    if let failure { throw failure }
    return isMet
  }

  // MARK: - Events of pages and browser

  private func handle(_ event: DevTools.Event) {
    guard let page = pages.first(where: { $0.session == event.session }) else { return }
    do {
      switch event.method {
      case "Page.loadEventFired": page.isLoaded = true
      case "Fetch.requestPaused": try answer(event.parameters, page)
      case "Runtime.bindingCalled":
        guard let text = event.parameters["payload"].text,
          let report = try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
        else { return }
        try handle(report, from: page)
      case "Inspector.targetCrashed": failure = ProbeError("\(page.name): the page crashed")
      case "Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded":
        guard page.console.count < Self.maxConsole else { return }
        page.console.append(ConsoleLine(event.method, event.parameters).text)
      default: break
      }
    } catch {
      failure = error as? ProbeError ?? ProbeError("\(error)")
    }
  }

  /// Answers the request for the probe's own page.
  private func answer(_ request: JSONValue, _ page: Page) throws {
    let html =
      "<!doctype html><meta charset=utf-8><title>\(page.name)</title><body><script>\(scripts.page)</script>"
    try browser.send(
      "Fetch.fulfillRequest",
      [
        "requestId": request["requestId"], "responseCode": 200,
        "responseHeaders": [["name": "Content-Type", "value": "text/html; charset=utf-8"]],
        "body": .string(Data(html.utf8).base64EncodedString()),
      ], session: page.session)
  }

  private func handle(_ report: JSONValue, from page: Page) throws {
    switch report["kind"].text {
    case "log": append(report["text"].text ?? "", to: page)
    case "event":
      guard let event = report["event"].text else { return }
      try append(event: event, .null, at: report["ts"].number, to: page)
    case "signal":
      guard let other = pages.first(where: { $0 !== page }) else { return }
      let message = String(decoding: try JSONEncoder().encode(report["message"]), as: UTF8.self)
      try browser.send(
        "Runtime.evaluate", ["expression": .string("callqaProbePage.hear(\(message))")],
        session: other.session)
    case "address": try lead(report, of: page)
    case "state": if let state = report["state"].text { page.states.insert(state) }
    case "stall":
      idleness.look(now: DevTools.now)
      let lengthMs = report["ms"].number ?? 0
      if idleness.wasStarved(forMs: lengthMs) { health.add(stallMs: lengthMs) }
    case "fault": add(failure: "\(page.name): \(report["text"].text ?? "")")
    default: break
    }
  }

  private func lead(_ question: JSONValue, of page: Page) throws {
    guard let id = question["id"].number, let ip = question["ip"].text,
      let port = question["port"].number.flatMap({ UInt16(exactly: $0) })
    else { return }
    var answer = "null"
    do {
      let given = try relay.address(
        for: ip, port: port, isOwn: question["isOwn"].flag == true, isCaller: page.isCaller)
      answer = #"{ip: "\#(given.ip)", port: \#(given.port)}"#
    } catch let error as ProbeError {
      add(failure: "\(page.name): \(error)")
    }
    try browser.send(
      "Runtime.evaluate", ["expression": .string("callqaProbeAnswer(\(Int(id)), \(answer))")],
      session: page.session)
  }

  private func append(event: String, _ arguments: JSONValue, at timeMs: Double? = nil, to page: Page) throws {
    let line: JSONValue = [
      "ts": .number(timeMs ?? WallClock.nowMs), "call": .string(call.id), "endpoint": .string(page.name),
      "event": .string(event), "args": arguments,
    ]
    append(String(decoding: try JSONEncoder().encode(line), as: UTF8.self) + "\n", to: page)
  }

  private func append(_ text: String, to page: Page) {
    guard page.log.count + text.utf8.count <= Self.largestLog else {
      return add(failure: "\(page.name): its log is longer than 256 MiB; the rest is left out")
    }
    page.log += Array(text.utf8)
  }
}

/// A line of a page's console: a message, an uncaught exception, or what the browser says of the page.
struct ConsoleLine {
  let text: String

  private static let longest = 2000

  /// Reads an event of the DevTools protocol.
  init(_ method: String, _ event: JSONValue) {
    let words: String
    switch method {
    case "Runtime.exceptionThrown":
      let details = event["exceptionDetails"]
      words =
        "uncaught: \(details["exception"]["description"].text ?? details["text"].text ?? "an exception")"
    case "Log.entryAdded":
      let entry = event["entry"]
      words = [entry["level"].text, entry["text"].text, entry["url"].text].compactMap { $0 }.joined(
        separator: " ")
    default:
      var values: [String] = []
      if case .array(let arguments) = event["args"] {
        values = arguments.map { $0["value"].text ?? $0["description"].text ?? $0["type"].text ?? "" }
      }
      words = "\(event["type"].text ?? "log"): \(values.joined(separator: " "))"
    }
    text = String(words.prefix(Self.longest))
  }
}
