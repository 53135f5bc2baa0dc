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
    let plan: ProbePlan.Page
    let browser: any Browser
    /// Of the browser.
    let id: String
    let isCaller: Bool
    var log: [UInt8] = []
    var console: [String] = []
    var states: Set<String> = []
    var isLoaded = false
    var name: String { plan.name }
    init(_ plan: ProbePlan.Page, in browser: any Browser, id: String, isCaller: Bool) {
      (self.plan, self.browser, self.id, self.isCaller) = (plan, browser, id, isCaller)
    }
  }

  private let call: ProbePlan.Call
  private let browsers: [BrowserKind: any Browser]
  private let loop: BrowserLoop
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

  /// How long a connection may take, s: ICE gives up after some 15 to 30.
  private static let patience = 45.0
  /// Maximum size of a page's log, and the most lines of its console.
  private static let largestLog = 256 << 20
  private static let maxConsole = 500
  private static let longestConsoleLine = 2000
  private static let maxFailures = 20

  /// `browsers` are all that the call's pages name, on one loop.
  init(
    _ call: ProbePlan.Call, browsers: [BrowserKind: any Browser], loop: BrowserLoop, scripts: Scripts
  ) throws {
    (self.call, self.browsers, self.loop, self.scripts) = (call, browsers, loop, scripts)
    relay = try Relay(phases: call.network.phases, seed: call.seed)
    turn = call.scenario.turn == nil ? nil : try TURNServer()
  }

  /// Places the call, waits, and ends it. Afterwards the pages' logs are in `folder`, even after errors, and what a failed
  /// page shows is in `shown`. Throws if it was interrupted, or files cannot be written.
  func place(into folder: String, shown: String) throws -> ProbeResult {
    let beganMs = WallClock.nowMs
    for browser in browsers.values { browser.onEvent = { [weak self] in self?.handle($1, of: $0) } }
    defer { browsers.values.forEach { $0.onEvent = { _, _ in } } }
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
    for page in pages { try? page.browser.close(page.id) }
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
      if let base64 = try? page.browser.screenshot(of: page.id), let png = Data(base64Encoded: base64) {
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
    for (index, plan) in call.scenario.allPages.enumerated() {
      guard let browser = browsers[plan.kind] else { continue }
      let setup = PageSetup(
        scripts: [turnScript, scripts.redirect, scripts.collector, collecting(endpoint: plan.name)],
        ownHTML: call.scenario.isOwn ? html(of: plan) : nil)
      pages.append(Page(plan, in: browser, id: try browser.open(setup), isCaller: index == 0))
      let url = plan.url ?? "https://\(PageSetup.ownHost)/\(plan.name)"
      do {
        try browser.load(url, in: pages[index].id)
      } catch let error as ProbeError {
        throw ProbeError("\(plan.name): \(url) does not load: \(error)")
      }
    }
    guard try run(for: 30, until: { self.pages.allSatisfy(\.isLoaded) }) else {
      throw ProbeError("\(names(of: { !$0.isLoaded })): the page did not load within 30 s")
    }
  }

  private func begin() throws {
    if call.scenario.isOwn {
      return try run("callqaProbePage.place(\(call.isWithVideo))", "start", pages[0], within: 30)
    }
    for page in pages {
      if let start = page.plan.start { try run(start, "start", page, within: 60) }
    }
  }

  /// Runs a script of the plan. Throws a `ProbeError` that names the page and the script.
  private func run(
    _ script: String, _ member: String, _ page: Page, within seconds: Double = 15
  ) throws {
    do {
      try page.browser.run(script, in: page.id, within: seconds)
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
    // Before the hang-up, after which it would be a call that ended well.
    if call.mustConnect, !relay.hasMedia {
      throw ProbeError("no sound or picture came to the relay: the pages sent none, or by another way")
    }
  }

  private func end(withHangUp isBegun: Bool) throws {
    for page in pages where isBegun {
      let hangUp = call.scenario.isOwn ? "callqaProbePage.hangUp()" : page.plan.hang_up
      if let hangUp { try run(hangUp, "hang_up", page) }
    }
    // The last statistics follow the end of a connection.
    _ = try? run(for: 0.5) { false }
    for page in pages {
      try? page.browser.run("callqaProbeCollector.stop()", in: page.id, within: 5)
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
    let isMet = try loop.run(until: MonotonicClock.nowSeconds + seconds) {
      self.idleness.look(now: MonotonicClock.nowSeconds)
      return self.failure != nil || condition()
    }
    if let failure { throw failure }
    return isMet
  }

  // MARK: - Events of pages and browser

  private func handle(_ event: PageEvent, of id: String) {
    guard let page = pages.first(where: { $0.id == id }) else { return }
    switch event {
    case .loaded: page.isLoaded = true
    case .gone: failure = ProbeError("\(page.name): the page crashed or was closed")
    case .console(let line):
      guard page.console.count < Self.maxConsole else { return }
      page.console.append(String(line.prefix(Self.longestConsoleLine)))
    case .told(let text):
      guard let report = try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)) else { return }
      do {
        try handle(report, from: page)
      } catch {
        failure = error as? ProbeError ?? ProbeError("\(error)")
      }
    }
  }

  private func html(of page: ProbePlan.Page) -> String {
    "<!doctype html><meta charset=utf-8><title>\(page.name)</title><body><script>\(scripts.page)</script>"
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
      try other.browser.send("callqaProbePage.hear(\(message))", to: other.id)
    case "address": try lead(report, of: page)
    case "state": if let state = report["state"].text { page.states.insert(state) }
    case "stall":
      idleness.look(now: MonotonicClock.nowSeconds)
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
    try page.browser.send("callqaProbeAnswer(\(Int(id)), \(answer))", to: page.id)
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
