import CallModel
import Testing

@testable import CallStore
@testable import SQLite

@Suite("Manual marks on runs and calls")
struct MarksTests {
  let store: Store

  init() throws { store = try Fleet.make() }

  @Test("a run is accepted for the SDKs it has, or some of them")
  func accept() throws {
    #expect(try store.accept(run: "night-2", atMs: 5) == ["pexip", "rebtel"])
    #expect(try store.accept(run: "night-1", sdks: ["pexip", "kandy-link"], atMs: 6) == ["pexip"])
    #expect(try store.accept(run: "no such run", atMs: 7) == [])
    #expect(try store.value("SELECT accepted_ms FROM runs WHERE run_id = 'night-2'") == .real(5))
    try store.unaccept(run: "night-1")
    #expect(try store.value("SELECT count(*) FROM baselines WHERE run_id = 'night-1'") == .integer(0))
  }

  @Test("a call that is excluded does not count, one that is known does not block")
  func marks() throws {
    let key = try #require(
      try store.value("SELECT call_key FROM calls WHERE run_id = 'night-2' AND call_id = 'call-1'").integer)
    try store.markKnown(call: key, ticket: "T-1")
    #expect(try store.value("SELECT broken FROM judged_calls WHERE call_key = \(key)") == .integer(0))
    try store.exclude(call: key, reason: "cable")
    #expect(try store.value("SELECT counted FROM judged_calls WHERE call_key = \(key)") == .integer(0))
    try store.exclude(call: key, reason: nil)
    #expect(try store.value("SELECT counted FROM judged_calls WHERE call_key = \(key)") == .integer(1))
  }

  @Test("two linked calls are one, and stay one after further imports")
  func link() throws {
    let store = try Store.inMemory()
    for name in ["a", "b"] { try store.write(.named(name)) { try tellEnd($0, name) } }
    let calls = try store.staleCalls()
    #expect(calls.count == 2)
    let linked = try store.link(calls[0], calls[1], atMs: 1)
    #expect(linked != nil)
    #expect(try !store.staleCalls().isEmpty)
    #expect(try store.endpoints(ofCall: linked ?? 0).count == 2)
    try store.write(.named("c")) { try tellEnd($0, "c") }
    #expect(try store.staleCalls().count == 2)
  }

  @Test("calls of two runs stay separate, and nothing is stored")
  func linkAcrossRuns() throws {
    let store = try Store.inMemory()
    for run in ["n1", "n2"] {
      var header = SourceHeader.named(run)
      (header.run, header.call) = (run, "x")
      try store.write(header) { try tellEnd($0, run) }
    }
    let calls = try store.staleCalls()
    #expect(throws: StoreError.self) { try store.link(calls[0], calls[1], atMs: 1) }
    #expect(try store.count("corrections") == 0)
    #expect(try store.count("calls") == 2)
  }

  @Test("an excluded missing call is no longer missing")
  func missingAside() throws {
    let sql = "SELECT call_key FROM calls WHERE run_id = 'night-2' AND outcome = 'missing'"
    let key = try #require(try store.value(sql).integer)
    func missing() throws -> [Cell] {
      let runs = try store.list(.runs)
      let column = try #require(runs.columns.firstIndex(of: "missing"))
      return runs.rows.map { $0[column] }
    }
    #expect(try missing() == [.integer(0), .integer(1)])
    try store.exclude(call: key, reason: "typo")
    #expect(try missing() == [.integer(0), .integer(0)])
  }

  @Test("a split-off end is a separate call")
  func split() throws {
    let store = try Store.inMemory()
    try store.write(.named("a")) { writer in
      for name in ["caller", "callee"] {
        var facts = end(name)
        facts.call = "one"
        try writer.connection(name == "caller" ? 0 : 1, facts)
      }
      return .imported
    }
    let call = try #require(try store.staleCalls().first)
    #expect(try store.split(call, endpoint: "callee", atMs: 1).count == 2)
    #expect(try store.staleCalls().count == 2)
    // And back.
    let calls = try store.staleCalls()
    #expect(try store.link(calls[0], calls[1], atMs: 2) != nil)
    #expect(try !store.staleCalls().isEmpty)
  }

  private func tellEnd(_ writer: SourceWriter, _ name: String) throws -> SourceStatus {
    try writer.connection(0, end("end-\(name)"))
    try writer.event(EventRecord(timeMs: 1, event: .callCreated, raw: "r"), of: 0)
    return .imported
  }
}
