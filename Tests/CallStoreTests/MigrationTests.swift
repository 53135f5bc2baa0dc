import CSQLite
import CallModel
import Testing

@testable import CallStore
@testable import SQLite

@Suite("A file of another version")
struct MigrationTests {
  let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("calls.sqlite")
  }

  private func file(_ schema: Schema, patience: Double = 1) -> StoreFile {
    StoreFile(path: path, mode: 0o600, patience: patience, telling: nil, schema: schema)
  }

  private var later: Schema {
    Schema(
      migrations: Migration.all + [
        Migration(
          version: Migration.current + 1,
          sql: "ALTER TABLE calls ADD COLUMN weather TEXT; UPDATE calls SET weather = 'dry'")
      ])
  }

  @Test("a new file has what all steps one after the other would have made")
  func newFile() throws {
    func made(_ schema: Schema) throws -> [[Cell]] {
      let name = folder.file("\(schema.migrations.count)-\(Int.random(in: 0...Int.max)).sqlite")
      let file = StoreFile(path: name, mode: 0o600, patience: 1, telling: nil, schema: schema)
      let connection = try file.open(.write)
      let version = try connection.first("PRAGMA user_version") ?? .null
      return try [[version]]
        + connection.rows(
          "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name",
          body: { row in (0..<4).map { row.cell(Int32($0)) } })
    }
    let sooner = try made(Schema())
    #expect(sooner.count > 40)
    #expect(try sooner == made(Schema(migrations: Migration.all)))
  }

  @Test("an older file is upgraded in place, its rows kept", arguments: [Store.Access.read, .write])
  func upgrade(access: Store.Access) throws {
    let store = try Store(path: path, access: .write)
    _ = try store.insertCall(id: "c")
    let upgraded = try file(later).open(access)
    #expect(try upgraded.first("SELECT weather FROM calls WHERE call_id = 'c'") == .text("dry"))
    #expect(try upgraded.first("PRAGMA user_version")?.integer == Int64(Migration.current + 1))
    #expect(try upgraded.first("SELECT count(*) FROM scored_windows") == .integer(0))
  }

  @Test("ends of the first version learn from what is stored which way and system they had")
  func endpointTraits() throws {
    let old = try file(Schema(migrations: Array(Migration.all.prefix(1)))).open(.write)
    try old.execute(
      """
      INSERT INTO calls (call_key, call_id) VALUES (1, 'c');
      INSERT INTO endpoints (endpoint_key, call_key, endpoint, user_agent) VALUES (1, 1, 'caller', 'x (Windows NT 10.0)');
      INSERT INTO endpoints (endpoint_key, call_key, endpoint, network_type) VALUES (2, 1, 'callee', 'vpn');
      INSERT INTO sources (source_id, path, status, imported_ms) VALUES (1, 'a', 'imported', 0);
      INSERT INTO connections (connection_key, source_id, call_key, endpoint_key) VALUES (1, 1, 1, 1);
      INSERT INTO paths (path_key, connection_key, local_type, network_type) VALUES (1, 1, 'srflx', 'wifi');
      INSERT INTO path_samples (path_key, t_ms) VALUES (1, 5);
      """)
    let store = try Store(path: path, access: .read)
    #expect(
      try store.query(
        "SELECT endpoint, os, network_type, candidate_type, relay_protocol FROM endpoints ORDER BY 1"
      ).rows
        == [
          [.text("callee"), .null, .text("vpn"), .null, .null],
          [.text("caller"), .text("Windows"), .text("wifi"), .text("srflx"), .null],
        ])
  }

  @Test("attempts of the second version stay, and where they began is not known")
  func setupStarts() throws {
    let old = try file(Schema(migrations: Array(Migration.all.prefix(2)))).open(.write)
    try old.execute(
      """
      INSERT INTO calls (call_key, call_id) VALUES (1, 'c');
      INSERT INTO endpoints (endpoint_key, call_key, endpoint) VALUES (1, 1, 'caller');
      INSERT INTO setups (endpoint_key, attempt, direction, outcome, setup_ms) VALUES (1, 1, 'outgoing', 'completed', 96);
      INSERT INTO phases (endpoint_key, attempt, phase, state) VALUES (1, 1, 'ice', 'unknown');
      """)
    let store = try Store(path: path, access: .write)
    #expect(
      try store.query("SELECT setup_ms, start_ms, from_event FROM setups").rows == [
        [.real(96), .null, .null]
      ])
    try store.replaceSetupAttempts([], ofEndpoint: 1)
    #expect(try store.count("phases") == 0, "phases still belong to their attempts")
  }

  @Test("findings of the fourth version stay as they were")
  func findings() throws {
    let old = try file(Schema(migrations: Array(Migration.all.prefix(4)))).open(.write)
    try old.execute(
      """
      INSERT INTO calls (call_key, call_id) VALUES (1, 'c');
      INSERT INTO findings (call_key, code, severity, start_ms, text) VALUES (1, 'truncated', 'warning', 5, 'It breaks off.');
      """)
    let store = try Store(path: path, access: .write)
    #expect(
      try store.query("SELECT finding_key, code, start_ms, evidence, text FROM findings").rows == [
        [.integer(1), .text("truncated"), .real(5), .text("{}"), .text("It breaks off.")]
      ])
    try store.replaceFindings([], ofCall: 1, endpoint: nil)
    #expect(try store.count("findings") == 0)
  }

  @Test("samples of the fifth version stay, and what the far end had sent is not known of them")
  func farPackets() throws {
    let old = try file(Schema(migrations: Array(Migration.all.prefix(5)))).open(.write)
    try old.execute(
      """
      INSERT INTO calls (call_key, call_id) VALUES (1, 'c');
      INSERT INTO sources (source_id, path, status, imported_ms) VALUES (1, 'a', 'imported', 0);
      INSERT INTO connections (connection_key, source_id, call_key) VALUES (1, 1, 1);
      INSERT INTO streams (stream_key, connection_key, source, direction, metrics)
        VALUES (1, 1, 'stats', 'inbound', 'packets');
      INSERT INTO samples (stream_key, t_ms, packets, extra) VALUES (1, 5, 7, '{}');
      """)
    let store = try Store(path: path, access: .write)
    #expect(
      try store.query("SELECT packets, far_packets, far_packets_ms, extra FROM samples").rows == [
        [.integer(7), .null, .null, .text("{}")]
      ])
    var sample = Sample(timeMs: 0)
    #expect(try store.samples(ofStream: 1).next(into: &sample))
    #expect(sample[.packets] == 7 && !sample.has(.farPackets))
    #expect(try store.schema(of: "samples").first?.sql.contains("far_packets /* packets (counter): ") == true)
    #expect(
      try store.schema(of: "samples").first?.sql.contains("frames_captured /* frames (counter): ") == true)
  }

  @Test("connections of the sixth version stay what they were: of calls")
  func idle() throws {
    let old = try file(Schema(migrations: Array(Migration.all.prefix(6)))).open(.write)
    try old.execute(
      """
      INSERT INTO sources (source_id, path, status, imported_ms) VALUES (1, 'a', 'imported', 0);
      INSERT INTO connections (connection_key, source_id) VALUES (1, 1);
      """)
    let store = try Store(path: path, access: .write)
    #expect(try store.value("SELECT idle FROM connections") == .integer(0))
    #expect(try store.schema(of: "connections").first?.sql.contains("idle /* 1: tells of") == true)
  }

  @Test("ids of the eighth version are found as before")
  func aliases() throws {
    let old = try file(Schema(migrations: Array(Migration.all.prefix(8)))).open(.write)
    try old.execute(
      """
      INSERT INTO calls (call_key, call_id, named_by) VALUES (1, 'c', 'given'), (2, 'd', 'given');
      INSERT INTO sources (source_id, path, status, imported_ms) VALUES (1, 'a', 'imported', 0);
      INSERT INTO connections (connection_key, source_id, call_key) VALUES (1, 1, 1), (2, 1, 2);
      INSERT INTO aliases (value, kind, connection_key)
        VALUES ('before', 'former', 2), ('önce', 'call', 1), ('önce', 'session', 1), ('7', 'ssrc-in', 1), ('7', 'ssrc-out', 2);
      """)
    let store = try Store(path: path, access: .write)
    #expect(try store.count("aliases") == 5)
    #expect(try store.resolve(CallReference("before")) == 2)
    #expect(try store.resolve(CallReference("önce")) == 1)
    #expect(
      try Neighbourhood(connection: store.connection, run: nil).holders(of: "7", as: [.ssrcOut]) == [2])
    #expect(try !store.check().contains { $0.rule.contains("looked up") })
  }

  @Test("a step that fails leaves the file as it was")
  func failedStep() throws {
    let store = try Store(path: path, access: .write)
    _ = try store.insertCall(id: "c")
    let broken = Schema(
      migrations: Migration.all + [
        Migration(version: Migration.current + 1, sql: "DELETE FROM calls; SELECT nonsense FROM nowhere")
      ])
    #expect(throws: StoreError.self) { try file(broken).open(.write) }
    #expect(try store.count("calls") == 1)
    #expect(try Store(path: path, access: .read).count("timeline") == 0)
  }

  @Test("a newer file is refused, with what to do", arguments: [Store.Access.read, .write])
  func newer(access: Store.Access) throws {
    _ = try file(later).open(.write)
    let error = #expect(throws: StoreError.self) { try Store(path: path, access: access) }
    #expect(error?.kind == .newer)
    #expect(error?.description.contains("upgrade callqa") == true)
  }

  @Test("every table, view and column says in the schema what it is")
  func comments() throws {
    let store = try Store(path: path, access: .write)
    let tables = try store.query(
      "SELECT name, sql FROM sqlite_schema WHERE type IN ('table', 'view') AND sql IS NOT NULL")
    #expect(tables.rows.count > 15)
    for row in tables.rows where row.first?.string?.hasPrefix("sqlite_") == false {
      let first = row[1].string?.split(separator: "\n").first ?? ""
      #expect(first.contains(" -- "), "\(first)")
    }
  }
}
