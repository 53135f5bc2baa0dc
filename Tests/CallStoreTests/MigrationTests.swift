import CallModel
import CSQLite
import Foundation
import Testing

@testable import CallStore
@testable import SQLite

@Suite("Databases of other versions")
struct MigrationTests {
  let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("calls.sqlite")
  }

  private func file(_ schema: Schema, patience: Double = 1) -> StoreFile {
    StoreFile(path: path, mode: 0o600, patience: patience, onWait: nil, schema: schema)
  }

  private var later: Schema {
    Schema(
      migrations: Migration.all + [
        Migration(
          version: Migration.current + 1,
          sql: "ALTER TABLE calls ADD COLUMN weather TEXT; UPDATE calls SET weather = 'dry'")
      ])
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

  @Test(
    "a file of before the first release is refused, with what to do", arguments: [Store.Access.read, .write])
  func tooOld(access: Store.Access) throws {
    let store = try Store(path: path, access: .write)
    _ = try store.insertCall(id: "c")
    try store.connection.execute("PRAGMA user_version = 19")
    let error = #expect(throws: StoreError.self) { try Store(path: path, access: access) }
    #expect(error?.kind == .older)
    #expect(error?.description.contains("import its sources into a new database") == true)
    #expect(try store.count("calls") == 1, "nothing is touched")
  }

  /// Golden/schema.sql is what version 20 made, and never changes: a change of `Migration.tables` is a step of
  /// `Migration.all` too.
  @Test("a file of version 20 is upgraded to what a new one has, its rows kept")
  func released() throws {
    let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(
      path: "Golden/schema.sql")
    let old = try file(Schema()).connect(name: path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
    // The file has them by kind and name: tables go first.
    let made = try String(contentsOf: golden, encoding: .utf8).components(separatedBy: ";\nCREATE ")
      .map { $0.hasPrefix("CREATE ") ? String($0.dropFirst("CREATE ".count)) : $0 }
    for statement in made.filter({ $0.hasPrefix("TABLE") }) + made.filter({ !$0.hasPrefix("TABLE") }) {
      try old.execute("CREATE " + statement)
    }
    try old.execute(
      """
      INSERT INTO sources (source_id, path, status, imported_ms) VALUES (1, 'a', 'imported', 0);
      INSERT INTO calls (call_key, call_id) VALUES (1, 'c');
      INSERT INTO endpoints (endpoint_key, call_key, endpoint) VALUES (1, 1, 'caller');
      INSERT INTO connections (connection_key, source_id, name) VALUES (1, 1, 'pc');
      INSERT INTO streams (stream_key, connection_key, source, direction) VALUES (1, 1, 'stats', 'inbound');
      PRAGMA application_id = \(Schema.applicationID); PRAGMA user_version = 20
      """)
    let upgraded = try file(Schema()).open(.write)
    try upgraded.run("UPDATE source_views SET call_key = 1, endpoint_key = 1")
    #expect(try upgraded.first("SELECT endpoint_key FROM streams") == .integer(1), "the trigger moved along")
    try upgraded.run("DELETE FROM source_views")
    #expect(try upgraded.first("SELECT count(*) FROM streams") == .integer(0), "and so did the references")
    let new = try Store(path: folder.file("new.sqlite"), access: .write).connection
    #expect(try shape(of: upgraded) == shape(of: new))
  }

  /// The columns, references, indices, triggers and views of a database.
  private func shape(of connection: Connection) throws -> [String] {
    try connection.rows(
      """
      SELECT 'column', m.name, c.name, c.type, c."notnull", c.dflt_value, c.pk, c.hidden
        FROM sqlite_schema AS m, pragma_table_xinfo(m.name) AS c
      UNION ALL SELECT 'reference', m.name, r."table", r."from", r."to", r.on_delete, 0, 0
        FROM sqlite_schema AS m, pragma_foreign_key_list(m.name) AS r
      UNION ALL SELECT type, name, tbl_name, CASE type WHEN 'view' THEN sql END, 0, 0, 0, 0 FROM sqlite_schema
      ORDER BY 1, 2, 3, 4
      """
    ) { row in (0..<Int32(8)).map { "\(row.cell($0))" }.joined(separator: " ") }
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

  @Test("a newer file is rejected with a remedy", arguments: [Store.Access.read, .write])
  func newer(access: Store.Access) throws {
    _ = try file(later).open(.write)
    let error = #expect(throws: StoreError.self) { try Store(path: path, access: access) }
    #expect(error?.kind == .newer)
    #expect(error?.description.contains("upgrade callqa") == true)
  }

  @Test("every table, view and column has a comment in the schema")
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
