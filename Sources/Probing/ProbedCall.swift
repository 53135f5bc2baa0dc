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
  private let scripts: Scripts
  private var pages: [Page] = []
  private var health = RigHealth()
  private var failure: ProbeError?

  /// The address of the probe's own pages, which the probe answers itself.
  private static let ownOrigin = "https://probe.callqa.invalid/"
  /// How long a connection may take, s: ICE gives up after some 15 to 30.
  private static let patience = 45.0
  /// Maximum size of a page's log.
  private static let largestLog = 256 << 20

  init(_ call: ProbePlan.Call, browser: DevTools, scripts: Scripts) throws {
    (self.call, self.browser, self.scripts) = (call, browser, scripts)
    relay = try Relay(phases: call.network.phases, seed: call.seed)
  }

  /// Places the call, waits, and ends it. Afterwards the pages' logs are in `folder`, even after errors.
  func place(into folder: String) throws -> ProbeResult {
    let beganMs = WallClock.nowMs
    browser.onEvent = { [weak self] in self?.handle($0) }
    defer { browser.onEvent = { _ in } }
    do {
      try open()
      try begin()
      try wait()
      try end()
    } catch let error as ProbeError {
      health.add(fault: error.description)
    }
    let truth = relay.finish()
    health.look(at: truth)
    for page in pages {
      _ = try? browser.send("Target.closeTarget", ["targetId": .string(page.target)])
    }
    var files: [String] = []
    for page in pages where !page.log.isEmpty {
      files.append("\(page.name).jsonl")
      try write(page.log, to: "\(folder)/\(page.name).jsonl")
    }
    return ProbeResult(
      call: call, beganMs: beganMs, endedMs: WallClock.nowMs, files: files, truth: truth, health: health,
      states: Dictionary(uniqueKeysWithValues: pages.map { ($0.name, $0.states.sorted()) }))
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
      try browser.call("Runtime.addBinding", ["name": "callqaProbe"], session: session)
      for source in [scripts.redirect, scripts.collector, collecting(endpoint: page.name)] {
        try browser.call(
          "Page.addScriptToEvaluateOnNewDocument", ["source": .string(source)], session: session)
      }
      if call.scenario.pages == nil {
        let pattern: JSONValue = ["urlPattern": .string(Self.ownOrigin + "*")]
        try browser.call("Fetch.enable", ["patterns": [pattern]], session: session)
      }
      let answer = try browser.call("Page.navigate", ["url": .string(page.url)], session: session, within: 30)
      if let failure = answer["errorText"].text { throw ProbeError("\(page.url) does not load: \(failure)") }
    }
    guard try run(for: 30, until: { self.pages.allSatisfy(\.isLoaded) }) else {
      throw ProbeError("the page did not load within 30 s")
    }
  }

  private func begin() throws {
    if call.scenario.pages == nil {
      _ = try browser.evaluate(
        "callqaProbePage.place(\(call.isWithVideo))", session: pages[0].session, within: 30)
      return
    }
    for page in pages {
      guard let start = page.script?.start else { continue }
      _ = try browser.evaluate(start, session: page.session, within: 60)
    }
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
    }
  }

  private func end() throws {
    for page in pages {
      let hangUp = page.script == nil ? "callqaProbePage.hangUp()" : page.script?.hang_up
      if let hangUp { _ = try browser.evaluate(hangUp, session: page.session) }
    }
    // The last statistics follow the end of a connection.
    _ = try run(for: 0.5) { false }
    for page in pages { _ = try browser.evaluate("callqaProbeCollector.flush()", session: page.session) }
  }

  /// Starts the collector, which sends its lines to the probe.
  private func collecting(endpoint: String) -> String {
    """
    globalThis.callqaProbeCollector = callqaCollect({ call: "\(call.id)", endpoint: "\(endpoint)", chunkMs: 1000,
      sink: (text) => { callqaProbe(JSON.stringify({ kind: "log", text })); } });
    """
  }

  private func run(for seconds: Double, until condition: () -> Bool) throws -> Bool {
    let isMet = try browser.run(until: DevTools.now + seconds) { self.failure != nil || condition() }
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
      case "Inspector.targetCrashed": failure = ProbeError("the page of \(page.name) crashed")
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
      let line: JSONValue = [
        "ts": report["ts"], "call": .string(call.id), "endpoint": .string(page.name),
        "event": report["event"],
      ]
      append(String(decoding: try JSONEncoder().encode(line), as: UTF8.self) + "\n", to: page)
    case "signal":
      guard let other = pages.first(where: { $0 !== page }) else { return }
      let message = String(decoding: try JSONEncoder().encode(report["message"]), as: UTF8.self)
      try browser.send(
        "Runtime.evaluate", ["expression": .string("callqaProbePage.hear(\(message))")],
        session: other.session)
    case "address": try lead(report, of: page)
    case "state": if let state = report["state"].text { page.states.insert(state) }
    case "stall": health.add(stallMs: report["ms"].number ?? 0)
    case "fault": health.add(fault: report["text"].text ?? "")
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
      health.add(fault: error.description)
    }
    try browser.send(
      "Runtime.evaluate", ["expression": .string("callqaProbeAnswer(\(Int(id)), \(answer))")],
      session: page.session)
  }

  private func append(_ text: String, to page: Page) {
    guard page.log.count + text.utf8.count <= Self.largestLog else {
      health.add(fault: "the log of \(page.name) is longer than 256 MiB; the rest is left out")
      return
    }
    page.log += Array(text.utf8)
  }
}
