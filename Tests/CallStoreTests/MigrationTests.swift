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

  /// A database of a release has what its steps made then. Where this fails, put the change into a new step of `Migration.all` (for a
  /// column, `ALTER TABLE … ADD COLUMN`), and leave the tables of this step as they were: `make golden` does not write the file.
  @Test("a released migration never changes: the first one gives the recorded schema")
  func firstStep() throws {
    let connection = try file(Schema(migrations: Array(Migration.all.prefix(1)))).open(.write)
    let made = try connection.rows(
      "SELECT sql FROM sqlite_schema WHERE type <> 'view' AND sql IS NOT NULL ORDER BY type, name",
      body: { $0.text(0) })
    #expect(made.count > 40)
    // Without comments: words may get better.
    let plain = made.map { sql in
      sql.split(separator: "\n").map { $0.replacing(/\s*--.*/, with: "").replacing(/\s+/, with: " ") }
        .filter { !$0.isEmpty && $0 != " " }.joined(separator: "\n")
    }
    let released = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(
      path: "Golden/schema.sql")
    #expect(plain.joined(separator: ";\n") + ";\n" == (try String(contentsOf: released, encoding: .utf8)))
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
