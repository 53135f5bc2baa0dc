import CallModel
import Testing

@testable import CallStore

@Suite("What is said of an end")
struct EndpointRefreshTests {
  private static let agents = [
    "Mozilla/5.0 (Windows NT 10.0)", "Mozilla/5.0 (X11; Linux x86_64; Android 14)", "curl/8", "",
  ]

  @Test("is what the rules of the schema say of it, whatever was told", arguments: 0..<40)
  func asTheSchemaSays(seed: UInt64) throws {
    var random = Dice(seed: seed)
    let store = try Store.inMemory()
    for source in 0..<3 {
      try store.write(.named("source \(random.next() % 100) \(source)")) { writer in
        var facts = end("caller")
        facts.call = "the call"
        if random.next() % 2 == 0 { facts.userAgent = Self.agents[Int(random.next() % 4)] }
        if random.next() % 3 == 0 { facts.person = "person \(source)" }
        if random.next() % 3 == 0 { facts.sdk = "sdk \(source)" }
        if random.next() % 4 == 0 { facts.system = "system \(source)" }
        try writer.connection(0, facts)
        for step in 0..<(random.next() % 4) {
          var path = TransportSample(timeMs: Double(random.next() % 5) * 1000 + Double(step))
          path.pair = "pair \(step)"
          if random.next() % 2 == 0 { path.networkType = "network \(step)" }
          if random.next() % 2 == 0 { path.localType = "type \(step)" }
          if random.next() % 2 == 0 { path.relayProtocol = "relay \(step)" }
          path.rttMs = 1
          try writer.transport(path, of: 0)
        }
        try writer.stream(0, of: 0, audio())
        try writer.sample(Sample(1000 + Double(source), [.packets: 1]), of: 0, extra: nil)
        return .imported
      }
    }
    let columns = "person, user_agent, sdk, os, network_type, candidate_type, relay_protocol"
    let written = try store.query("SELECT \(columns) FROM endpoints").rows
    #expect(written.count == 1)
    func first(_ column: String) -> String {
      """
      (SELECT c.\(column) FROM connections AS c JOIN sources AS s USING (source_id)
       WHERE c.endpoint_key = endpoints.endpoint_key AND c.\(column) IS NOT NULL ORDER BY s.sha256, c.connection_key LIMIT 1)
      """
    }
    try store.connection.execute(
      """
      UPDATE endpoints SET person = \(first("person")), user_agent = \(first("user_agent")), sdk = \(first("sdk")),
        \(EndpointTraits.assignments(key: "endpoints.endpoint_key", userAgent: first("user_agent"), system: first("system")))
      """)
    #expect(try store.query("SELECT \(columns) FROM endpoints").rows == written)
  }
}

/// Numbers that are the same in each run.
private struct Dice {
  var seed: UInt64

  mutating func next() -> UInt64 {
    seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return seed >> 33
  }
}
