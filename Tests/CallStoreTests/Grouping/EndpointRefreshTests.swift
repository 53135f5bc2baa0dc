import CallModel
import Testing

@testable import CallStore

@Suite("The facts of an end")
struct EndpointRefreshTests {
  private static let agents = [
    "Mozilla/5.0 (Windows NT 10.0)", "Mozilla/5.0 (X11; Linux x86_64; Android 14)", "curl/8", "",
  ]
  private static let remotes = ["198.51.100.7:5004", "198.51.100.9:1", "[2001:db8::7]:9", "sfu.example:443"]
  private static let networks = [
    "198.51.100.7:5004": "198.51.100.0/24", "198.51.100.9:1": "198.51.100.0/24",
    "[2001:db8::7]:9": "[2001:db8::7]", "sfu.example:443": "sfu.example",
  ]

  /// A column of the path that was in use last, of those for which a condition holds.
  private static func lastPath(_ column: String, where known: String? = nil) -> String {
    """
    (SELECT \(column) FROM source_views AS c JOIN paths AS p USING (connection_key)
     WHERE c.endpoint_key = endpoints.endpoint_key AND \(known ?? "\(column) IS NOT NULL")
     ORDER BY (SELECT max(t_ms) FROM path_samples AS s WHERE s.path_key = p.path_key) DESC, c.last_ms DESC, p.path_key DESC
     LIMIT 1)
    """
  }

  @Test("are those found by one query per column, for any facts", arguments: 0..<40)
  func asQueriesSay(seed: UInt64) throws {
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
          if random.next() % 2 == 0 { path.localType = random.next() % 2 == 0 ? "relay" : "type \(step)" }
          if random.next() % 2 == 0 { path.remoteType = random.next() % 3 == 0 ? "relay" : "host" }
          if random.next() % 2 == 0 { path.local = "192.0.2.\(step):\(random.next() % 9)" }
          if random.next() % 2 == 0 { path.remote = Self.remotes[Int(random.next() % 4)] }
          if random.next() % 2 == 0 { path.relayProtocol = "relay \(step)" }
          path.rttMs = 1
          try writer.transport(path, of: 0)
        }
        try writer.stream(0, of: 0, audio())
        try writer.sample(Sample(1000 + Double(source), [.packets: 1]), of: 0, extra: nil)
        return .imported
      }
    }
    let columns =
      "person, user_agent, sdk, os, network_type, candidate_type, relay_protocol, relay, far_network"
    let written = try store.query("SELECT \(columns) FROM endpoints").rows
    #expect(written.count == 1)
    func first(_ column: String) -> String {
      """
      (SELECT c.\(column) FROM source_views AS c JOIN sources AS s USING (source_id)
       WHERE c.endpoint_key = endpoints.endpoint_key AND c.\(column) IS NOT NULL ORDER BY s.sha256, c.connection_key LIMIT 1)
      """
    }
    let asked = try store.query(
      """
      SELECT \(first("person")), \(first("user_agent")), \(first("sdk")), \(first("system")),
        \(Self.lastPath("network_type")), \(Self.lastPath("local_type")),
        \(Self.lastPath("relay_protocol", where: "local_type IS NOT NULL")),
        rtrim(rtrim(\(Self.lastPath("local", where: "local IS NOT NULL AND local_type = 'relay'")), '0123456789'), ':'),
        \(Self.lastPath("remote", where: "remote IS NOT NULL AND remote_type IS NOT 'relay'"))
      FROM endpoints
      """
    ).rows.map { row in
      var row = row
      if row[3].isNull, let system = row[1].string.flatMap(OperatingSystem.named) { row[3] = .text(system) }
      if let remote = row[8].string { row[8] = Self.networks[remote].map { .text($0) } ?? .null }
      return row
    }
    #expect(asked == written)
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
