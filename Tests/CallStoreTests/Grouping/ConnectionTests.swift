import CallModel
import Testing

@testable import CallStore
@testable import SQLite

@Suite("The connections of a source")
struct ConnectionTests {
  let store: Store

  init() throws { store = try Store.inMemory() }

  @Test("with one name are one end, even if the name comes after rows were stored")
  func sameName() throws {
    try store.write(.named("a")) { writer in
      var nameless = end("x", Identity(.ssrcIn, "1"))
      nameless.name = nil
      nameless.sdk = "w3c"
      try writer.connection(0, nameless)
      try writer.stream(0, of: 0, audio())
      for index in 0..<3000 {
        try writer.sample(Sample(Double(index), [.packets: 1]), of: 0, extra: nil)
        try writer.event(EventRecord(timeMs: Double(index), event: .unknown, raw: "r"), of: 0)
      }
      var transport = TransportSample(timeMs: 1)
      transport.local = "a:1"
      try writer.transport(transport, of: 0)
      try writer.connection(1_000_000, end("caller", Identity(.call, "c1")))
      try writer.event(EventRecord(timeMs: 5000, event: .callEnded, raw: "hangup"), of: 1_000_000)
      try writer.connection(0, end("caller"))
      try writer.event(EventRecord(timeMs: 6000, event: .callEnded, raw: "close"), of: 0)
      return .imported
    }
    let parts = try store.query("SELECT connection_key, name, sdk, first_ms, last_ms FROM source_views").rows
    #expect(parts.map { Array($0.dropFirst()) } == [[.text("caller"), .text("w3c"), .real(0), .real(6000)]])
    let key = try #require(parts.first?.first?.integer)
    let aliases = try store.query("SELECT kind, value FROM aliases ORDER BY kind").rows
    #expect(aliases == [[.text("call"), .text("c1")], [.text("ssrc-in"), .text("1")]])
    #expect(try store.value("SELECT count(*) FROM events WHERE connection_key = \(key)") == .integer(3002))
    #expect(try store.count("streams") == 1)
    #expect(try store.query("PRAGMA foreign_key_check").rows.isEmpty)
  }

  @Test(
    "of one name are two where they say that they are different ends, and where calls are numbered otherwise")
  func oneNameOfTwo() throws {
    try store.write(.named("a")) { writer in
      for (number, name) in ["alice", "bob"].enumerated() {
        for reader in [0, 1_000_000] {
          var facts = end("PC_0")
          facts.endpoint = name
          try writer.connection(reader + number, facts)
        }
      }
      for (number, call) in [(7, "c2"), (8, "c3")] {
        var facts = end("caller, call 2")
        facts.call = call
        try writer.connection(number, facts)
      }
      return .imported
    }
    let parts = try store.query("SELECT name, coalesce(endpoint, call) FROM source_views ORDER BY 1, 2").rows
    #expect(
      parts == [
        [.text("PC_0"), .text("alice")], [.text("PC_0"), .text("bob")],
        [.text("caller, call 2"), .text("c2")],
        [.text("caller, call 2"), .text("c3")],
      ])
  }

  @Test("moving to another end moves their streams and makes both calls stale")
  func moving() throws {
    try store.write(.named("a"), writeSmallSource)
    let (first, _) = try store.onlyCall()
    let second = try store.insertCall(id: "2")
    try store.connection.run("INSERT INTO endpoints (call_key, endpoint) VALUES (?, 'other')", second)
    let endpoint = store.connection.lastInsertedKey
    for key in [first, second] { try store.updateCall(key, CallSummary(outcome: .completed)) }
    #expect(try store.staleCalls().isEmpty)
    try store.connection.run("UPDATE source_views SET call_key = ?, endpoint_key = ?", second, endpoint)
    #expect(try store.streams(ofCall: second)[endpoint]?.count == 1)
    #expect(try store.staleCalls() == [first, second])
  }

  @Test("deleting a call leaves its connections without one")
  func callDeleted() throws {
    try store.write(.named("a"), writeSmallSource)
    try store.transaction { try store.connection.run("DELETE FROM calls") }
    #expect(try store.value("SELECT count(*) FROM source_views WHERE call_key IS NULL") == .integer(1))
    #expect(try store.value("SELECT endpoint_key FROM streams").isNull)
  }
}
