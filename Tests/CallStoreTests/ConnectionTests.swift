import CallModel
import Testing

@testable import CallStore

@Suite("The connections of a source")
struct ConnectionTests {
  let store: Store

  init() throws { store = try Store.inMemory() }

  @Test("of one name are one end, also where the name comes late and rows are stored already")
  func sameName() throws {
    try store.write(.named("a")) { writer in
      var nameless = end("x", Identity(.ssrcIn, "1"))
      nameless.name = nil
      nameless.sdk = "w3c"
      try writer.connection(0, nameless)
      try writer.stream(0, of: 0, audio())
      for index in 0..<3000 {
        try writer.sample(Sample(Double(index), [.packets: 1]), of: 0, extra: nil)
        try writer.event(EventRecord(timeMs: Double(index), event: "unknown", raw: "r"), of: 0)
      }
      var transport = TransportSample(timeMs: 1)
      transport.local = "a:1"
      try writer.transport(transport, of: 0)
      try writer.connection(1_000_000, end("caller", Identity(.call, "c1")))
      try writer.event(EventRecord(timeMs: 5000, event: "call.ended", raw: "hangup"), of: 1_000_000)
      try writer.connection(0, end("caller"))
      try writer.event(EventRecord(timeMs: 6000, event: "call.ended", raw: "close"), of: 0)
      return .imported
    }
    let parts = try store.ungroupedParts()
    #expect(parts.count == 1)
    let part = try #require(parts.first)
    #expect(part.facts.name == "caller")
    #expect(part.facts.sdk == "w3c")
    #expect(part.facts.identities == [Identity(.ssrcIn, "1"), Identity(.call, "c1")])
    #expect(part.firstMs == 0)
    #expect(part.lastMs == 6000)
    #expect(
      try store.value("SELECT count(*) FROM events WHERE connection_key = \(part.key)") == .integer(3002))
    #expect(try store.streams(ofConnection: part.key).count == 1)
    #expect(try store.query("PRAGMA foreign_key_check").rows.isEmpty)
  }

  @Test("moving to an end takes their streams along and makes both calls stale")
  func moving() throws {
    try store.write(.named("a"), tell)
    let first = try store.insertCall(id: "1", run: nil)
    let second = try store.insertCall(id: "2", run: nil)
    let part = try #require(try store.ungroupedParts().first)
    for call in [first, second] {
      for key in [first, second] { try store.updateCall(key, CallSummary(outcome: .completed)) }
      let endpoint = try store.insertEndpoint(call: call, name: "caller")
      try store.assign(part: part.key, call: call, endpoint: endpoint)
      #expect(try store.streams(ofEndpoint: endpoint).count == 1)
    }
    #expect(try store.staleCalls() == [first, second])
    #expect(try store.parts(withAlias: .ufragLocal, "abcd").map(\.call) == [second])
  }

  @Test("a call that goes away leaves its parts ungrouped")
  func callDeleted() throws {
    try store.write(.named("a"), tell)
    let call = try store.insertCall(id: "1", run: nil)
    let endpoint = try store.insertEndpoint(call: call, name: "caller")
    let part = try #require(try store.ungroupedParts().first)
    try store.assign(part: part.key, call: call, endpoint: endpoint)
    try store.connection.run("DELETE FROM calls WHERE call_key = ?", call)
    #expect(try store.ungroupedParts().count == 1)
    #expect(try store.value("SELECT endpoint_key FROM streams").isNull)
  }
}
