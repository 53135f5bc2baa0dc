import CSQLite
import Glibc
import IO
import SQLite

extension Store {
  /// Copies calls, with all of their data, into a new database; returns how many were copied.
  ///
  /// An existing path is refused. Of a source with other calls, only the part for these calls is copied, and its notes
  /// say so.
  public func copy(calls: [Int64], to path: String, mode: UInt16 = 0o600) throws -> Int {
    guard !StoreFile.exists(path) else {
      throw StoreError(
        .cannotOpen, path: path, "there is a file of that name already", remedy: "name a new one with --to")
    }
    let place = UnfinishedCopy(path)
    place.removeLeftovers()
    do {
      let count = try copyRows(of: calls, to: place.building, mode)
      try place.finish()
      return count
    } catch var error as StoreError {
      StoreFile.remove(place.building)
      error.path = path
      if error.kind == .diskFull { error.remedy = "nothing was copied; free some space and run again" }
      throw error
    }
  }

  /// The database is closed when this returns, so that it can be moved.
  private func copyRows(of calls: [Int64], to path: String, _ mode: UInt16) throws -> Int {
    let target = try Store(path: path, access: .write, mode: mode)
    return try exclusive { try CallCopy(from: connection, to: target.connection).copy(calls) }
  }
}

/// A database written to a temporary path and moved to its final one when complete: a killed process leaves no partial
/// file there.
private struct UnfinishedCopy {
  let path: String
  /// The temporary path.
  let building: String

  init(_ path: String) {
    self.path = path
    building = "\(path).making-\(getpid())"
  }

  func finish() throws {
    // A hard link does not replace an existing file, as a rename would.
    guard link(building, path) == 0 else {
      let code = errno
      if code == EEXIST {
        throw StoreError(
          .cannotOpen, path: path, "there is a file of that name already", remedy: "name a new one with --to")
      }
      guard rename(building, path) == 0 else {
        throw StoreError(
          .cannotOpen, path: path, "it cannot be moved there (\(String(cString: strerror(errno))))")
      }
      return
    }
    unlink(building)
  }

  /// Removes temporary files of killed processes.
  func removeLeftovers() {
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let prefix = (slash.map { String(path[path.index(after: $0)...]) } ?? path) + ".making-"
    for name in RawPath.names(in: folder) ?? [] where name.hasPrefix(prefix) {
      guard
        let process = pid_t(name.dropFirst(prefix.count).prefix { $0.isNumber }), process > 0,
        kill(process, 0) != 0, errno == ESRCH
      else { continue }
      unlink("\(folder)/\(name)")
    }
  }
}

/// Copies rows from one database to another, keeping their keys.
private struct CallCopy {
  let source: Connection
  let target: Connection

  init(from source: Connection, to target: Connection) {
    self.source = source
    self.target = target
  }

  /// What to copy, parents first: the table, and the condition on its rows, with the keys of the calls in `picked`.
  private static let tables: [(name: String, condition: String)] = [
    ("runs", "run_id IN (SELECT run_id FROM calls WHERE \(calls))"),
    ("sources", "source_id IN (SELECT source_id FROM source_views WHERE \(calls))"),
    ("rejects", "source_id IN (SELECT source_id FROM source_views WHERE \(calls))"),
    ("notes", "source_id IN (SELECT source_id FROM source_views WHERE \(calls))"),
    ("calls", calls), ("call_attributes", calls),
    ("attribute_rules", "subject IN (SELECT subject FROM call_attributes WHERE \(calls))"),
    ("odd_clocks", calls), ("endpoints", calls), ("source_views", calls),
    ("findings", calls),
    ("aliases", parts), ("streams", parts), ("paths", parts), ("events", parts),
    ("samples", "stream_key IN (SELECT stream_key FROM streams WHERE \(parts))"),
    ("path_samples", "path_key IN (SELECT path_key FROM paths WHERE \(parts))"),
    ("setups", ends), ("phases", ends), ("windows", ends), ("spans", ends), ("fates", ends),
    ("impairments", ends),
  ]
  private static let calls = "call_key = ?1"
  private static let parts = "connection_key IN (SELECT connection_key FROM source_views WHERE \(calls))"
  private static let ends = "endpoint_key IN (SELECT endpoint_key FROM endpoints WHERE \(calls))"

  func copy(_ calls: [Int64]) throws -> Int {
    var copied = 0
    try target.execute("PRAGMA foreign_keys = OFF")
    try target.transaction {
      for call in Set(calls).sorted() {
        guard try source.first("SELECT 1 FROM calls WHERE call_key = ?", call) != nil else { continue }
        for table in Self.tables { try copy(table.name, table.condition, call) }
        copied += 1
      }
      try recount()
    }
    try target.execute("PRAGMA foreign_keys = ON; \(Indices.deferred)")
    try target.transaction { try PlannerStatistics(connection: target).update() }
    return copied
  }

  private func copy(_ table: String, _ condition: String, _ call: Int64) throws {
    let columns = try target.rows("SELECT name FROM pragma_table_info('\(table)')") { $0.text(0) }
    let names = columns.joined(separator: ", ")
    let select = try source.prepare("SELECT \(names) FROM \(table) WHERE \(condition)")
    select.bind(1, call)
    let marks = columns.map { _ in "?" }.joined(separator: ", ")
    // Several calls may share a source or run.
    let insert = try target.cached("INSERT OR IGNORE INTO \(table) (\(names)) VALUES (\(marks))")
    while try select.step() {
      for index in columns.indices {
        sqlite3_bind_value(insert.handle, Int32(index + 1), sqlite3_column_value(select.handle, Int32(index)))
      }
      try insert.run()
    }
  }

  /// Sources with other calls count only what was copied.
  private func recount() throws {
    let counts = """
      SELECT s.source_id AS id,
        (SELECT count(*) FROM streams JOIN source_views AS c USING (connection_key) WHERE c.source_id = s.source_id) AS streams,
        (SELECT total(t.samples) FROM streams AS t JOIN source_views AS c USING (connection_key)
          WHERE c.source_id = s.source_id) AS samples,
        (SELECT count(*) FROM events JOIN source_views AS c USING (connection_key) WHERE c.source_id = s.source_id) AS events
      FROM sources AS s
      """
    try target.execute(
      """
      CREATE TEMP TABLE counted AS \(counts);
      INSERT OR IGNORE INTO notes (source_id, note)
        SELECT id, 'copied without the other calls of this source' FROM counted JOIN sources AS s ON s.source_id = id
        WHERE (counted.streams, counted.samples, counted.events) <> (s.streams, s.samples, s.events);
      UPDATE sources SET (streams, samples, events) = (
        SELECT streams, CAST(samples AS INTEGER), events FROM counted WHERE id = source_id);
      DROP TABLE counted;
      """)
  }
}
