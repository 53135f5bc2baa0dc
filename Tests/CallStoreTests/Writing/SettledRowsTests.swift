import CallModel
import Testing

@testable import CallStore

@Suite("Connections that are complete before their source ends")
struct SettledRowsTests {
  private static let ends = 3000

  /// A source with an end a call, each of them settled or none.
  private func store(settling: Bool) throws -> Store {
    let store = try Store.inMemory()
    try store.write(.named("night.csv")) { writer in
      for end in 0..<Self.ends {
        var facts = ConnectionFacts()
        (facts.name, facts.call) = ("end \(end)", "call-\(end)")
        try writer.connection(end, facts)
        var stream = StreamFacts()
        (stream.kind, stream.direction) = (.audio, .inbound)
        try writer.stream(end, of: end, stream)
        for second in 1...3 {
          try writer.sample(
            Sample(1000 * Double(second), [.packets: Double(50 * second), .jitterMs: Double(end % 7)]),
            of: end, extra: nil)
        }
        try writer.event(EventRecord(timeMs: 500, event: .callEstablished, raw: "x"), of: end)
        if settling { try writer.settle() }
      }
      return .imported
    }
    return store
  }

  @Test("they have the rows that they have otherwise")
  func rows() throws {
    let (settled, whole) = (try store(settling: true), try store(settling: false))
    for sql in [
      "SELECT call_id FROM calls ORDER BY 1",
      "SELECT streams, samples, events, first_ms, last_ms FROM sources",
      """
      SELECT v.name, s.packets, s.samples, s.jitter_mean_ms, s.sample_checksum, (
          SELECT count(*) FROM events AS e WHERE e.connection_key = v.connection_key),
        (SELECT count(*) FROM samples AS m WHERE m.stream_key = s.stream_key)
      FROM streams AS s JOIN source_views AS v USING (connection_key) ORDER BY 1
      """,
    ] {
      let (one, other) = (try settled.query(sql).rows, try whole.query(sql).rows)
      #expect(one == other && !one.isEmpty)
    }
    #expect(try settled.count("streams") == Int64(Self.ends))
  }

  @Test("none of them stays if the source is refused")
  func refused() throws {
    let store = try Store.inMemory()
    try store.write(.named("night.csv")) { writer in
      for end in 0..<Self.ends {
        try writer.connection(end, ConnectionFacts())
        try writer.stream(end, of: end, StreamFacts())
        try writer.settle()
      }
      return SourceStatus(.refused, code: .notAFormat, reason: "no")
    }
    #expect(
      try store.count("streams") == 0 && store.count("source_views") == 0 && store.count("sources") == 1)
  }
}
