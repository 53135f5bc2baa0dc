import CallModel
import Glibc
import SQLite

/// A row of a part.
public struct JudgementRow: Sendable {
  public var table: String
  public var columns: [String]
  public var cells: [Cell]

  /// A row of a table.
  public init(table: String, columns: [String], cells: [Cell]) {
    (self.table, self.columns, self.cells) = (table, columns, cells)
  }
}

/// Why a part was refused.
public struct PartError: Error, Sendable {
  public let reason: String

  /// A refusal.
  public init(reason: String) { self.reason = reason }
}

extension Store {
  /// Passes all rows to export, table by table, in an order independent of the order of import. Rethrows errors of
  /// `body`.
  public func partRows(_ body: (JudgementRow) throws -> Void) throws {
    for table in PartTables.tables {
      let columns = try query("SELECT name FROM pragma_table_info('\(table.name)')").rows.compactMap {
        $0[0].string
      }.filter { !PartTables.staying.contains($0) }
      try query(
        "SELECT \(columns.joined(separator: ", ")) FROM \(table.name) WHERE \(table.condition) ORDER BY \(table.order)",
        [:],
        columns: { _ in },
        row: { try body(JudgementRow(table: table.name, columns: columns, cells: $0)) })
    }
  }

  /// Whether a part with this content was gathered before.
  public func hasPart(_ digest: String) throws -> Bool {
    try !query("SELECT 1 FROM parts WHERE digest = :digest", ["digest": .text(digest)]).rows.isEmpty
  }

  /// Imports a part completely or, if `rows` throws, not at all. A part with the same name is replaced.
  ///
  /// - Parameters:
  /// - rows: passes the rows, parents first.
  /// - Returns: the number of its calls.
  /// - Throws: `PartError` if something in the part cannot be taken.
  public func gather(
    part name: String, digest: String, atMs: Double, rows: ((JudgementRow) throws -> Void) throws -> Void
  ) throws -> Int {
    do {
      return try gatherChecked(part: name, digest: digest, atMs: atMs, rows: rows)
    } catch let error as StoreError where error.isOfRows {
      throw PartError(reason: "breaks a rule of the database: \(error.what)")
    }
  }

  private func gatherChecked(
    part name: String, digest: String, atMs: Double, rows: ((JudgementRow) throws -> Void) throws -> Void
  ) throws -> Int {
    try transaction {
      let rules = try ColumnRules(connection, knowsWords: true)
      try removePart(name)
      let before = try rules.lastKeys()
      try connection.run(
        "INSERT INTO parts (name, digest, calls, gathered_ms) VALUES (?, ?, 0, ?)", name, digest, atMs)
      let part = connection.lastInsertedKey
      var gathering = try Gathering(connection, part: part)
      try rows { try gathering.add($0) }
      if let (_, example) = try rules.broken(above: before) {
        throw PartError(reason: "has a value that cannot be: \(example)")
      }
      try connection.run("UPDATE parts SET calls = ? WHERE part_key = ?", gathering.calls, part)
      return gathering.calls
    }
  }

  private func removePart(_ name: String) throws {
    let old = "(SELECT part_key FROM parts WHERE name = ?)"
    try connection.run(
      "DELETE FROM sources WHERE source_id IN (SELECT source_id FROM part_sources WHERE part_key IN \(old))",
      name)
    try connection.run(
      "DELETE FROM calls WHERE call_key IN (SELECT call_key FROM part_calls WHERE part_key IN \(old))", name)
    try connection.run("DELETE FROM parts WHERE name = ?", name)
  }
}

extension Store {
  /// Makes the result of an import independent of the folder that relative paths are read from: neither that folder nor
  /// one above it names a call. Call this before the import.
  ///
  /// - Throws: `StoreError` if the current folder cannot be found.
  public func ignoreCurrentFolder(for paths: [String]) throws {
    guard paths.contains(where: { $0 != "-" && !$0.hasPrefix("/") }) else { return }
    connection.folderWithoutNames = try absolute(".")
  }

  /// Stores the paths of sources, and the folders that calls are named after, as given on the command line: relative to
  /// an unknown folder, and the same on every machine. The time of import is replaced by the latest time in the sources.
  public func nameSources(asGiven paths: [String]) throws {
    try transaction {
      for path in Set(paths).sorted(by: { $0.utf8.count > $1.utf8.count }) {
        guard let absolute = try? absolute(path), absolute != path else { continue }
        try connection.run(
          "UPDATE sources SET path = ?1 || substr(path, length(?2) + 1) WHERE path = ?2 OR substr(path, 1, length(?2) + 1) = ?2 || '/'",
          path.hasSuffix("/") ? String(path.dropLast()) : path, absolute)
      }
      if let folder = connection.folderWithoutNames {
        try connection.run(
          "UPDATE calls SET folder = substr(folder, length(?1) + 2) WHERE substr(folder, 1, length(?1) + 1) = ?1 || '/'",
          folder)
      }
      try connection.run("UPDATE sources SET imported_ms = coalesce(last_ms, 0)")
    }
  }

  private func absolute(_ path: String) throws -> String {
    guard let real = realpath(path, nil) else {
      throw StoreError(
        .missing, path: path, "the folder cannot be read", remedy: "start callqa in a folder that is there")
    }
    defer { free(real) }
    return String(cString: real)
  }

  /// The identifiers of each source, for grouping files into calls: ids, ICE credentials, fingerprints, SSRCs, and its
  /// time.
  public func identities(columns: ([String]) throws -> Void, row: ([Cell]) throws -> Void) throws {
    try query(
      """
      SELECT DISTINCT s.path AS source, s.sha256, a.kind, a.value, s.first_ms, s.last_ms FROM sources AS s
        LEFT JOIN source_views AS c USING (source_id) LEFT JOIN aliases AS a USING (connection_key) ORDER BY 1, 3, 4
      """, [:], columns: columns, row: row)
  }
}

/// Inserts the rows of a part into a database, with new keys.
private struct Gathering {
  private let connection: Connection
  private let part: Int64
  /// The offset added to the keys of each kind.
  private var offsets: [String: Int64] = [:]
  /// How to insert rows of each table, determined by the first row.
  private var plans: [String: Plan] = [:]
  /// Calls that are skipped, as the database has more of them.
  private var skipped: Set<Int64> = []
  private(set) var calls = 0

  init(_ connection: Connection, part: Int64) throws {
    (self.connection, self.part) = (connection, part)
    let owners = [
      "source_id": "sources", "call_key": "calls", "endpoint_key": "endpoints",
      "connection_key": "source_views",
      "stream_key": "streams", "path_key": "paths", "finding_key": "findings", "span_key": "spans",
      "fate_key": "fates", "impairment_key": "impairments",
      "event_key": "events",
    ]
    for (key, table) in owners {
      offsets[key] = try connection.first("SELECT coalesce(max(\(key)), 0) FROM \(table)")?.integer ?? 0
    }
  }

  /// The properties of a table shared by all of its rows in a part.
  private struct Plan {
    var columns: [String]
    var sql: String
    /// Indices of key columns, and the offset of each.
    var keys: [(place: Int, offset: Int64)] = []
    var call: Int?
    var own: Int?
    var pruned: Int?
    var stale: Int?
    var digest: Int?
  }

  /// Columns that a part cannot leave to their defaults.
  private static let needed = PartTables.keys.union(["pruned_ms", "stale", "sha256"])

  /// Throws if the table or one of its columns does not exist in this database.
  private func plan(of row: JudgementRow) throws -> Plan {
    guard PartTables.tables.contains(where: { $0.name == row.table }) else {
      throw PartError(reason: "has a row of '\(row.table)', which is no table of judgements")
    }
    let known = Set(try connection.rows("SELECT name FROM pragma_table_info('\(row.table)')") { $0.text(0) })
    guard known.isSuperset(of: row.columns), Self.needed.intersection(known).isSubset(of: row.columns) else {
      throw PartError(reason: "was made by another version of callqa: its table \(row.table) is another one")
    }
    let marks = row.columns.map { _ in "?" }.joined(separator: ", ")
    let verb = row.table == "runs" ? "INSERT OR IGNORE" : "INSERT"
    var plan = Plan(
      columns: row.columns,
      sql: "\(verb) INTO \(row.table) (\(row.columns.joined(separator: ", "))) VALUES (\(marks))")
    for (place, column) in row.columns.enumerated() where PartTables.keys.contains(column) {
      plan.keys.append((place, offsets[column] ?? 0))
    }
    plan.call = row.table == "calls" ? nil : row.columns.firstIndex(of: "call_key")
    plan.own = ["sources": "source_id", "calls": "call_key"][row.table].flatMap(row.columns.firstIndex)
    // Samples are not exported.
    plan.pruned = row.columns.firstIndex(of: "pruned_ms")
    plan.stale = row.columns.firstIndex(of: "stale")
    plan.digest = row.columns.firstIndex(of: "sha256")
    return plan
  }

  mutating func add(_ row: JudgementRow) throws {
    let plan: Plan
    if let known = plans[row.table], known.columns == row.columns {
      plan = known
    } else {
      plan = try self.plan(of: row)
      plans[row.table] = plan
    }
    guard row.columns.count == row.cells.count else {
      throw PartError(reason: "has a row of '\(row.table)' of another length")
    }
    var cells = row.cells
    for (place, offset) in plan.keys {
      guard case .integer(let key) = cells[place] else { continue }
      guard (1..<1 << 48).contains(key) else {
        throw PartError(reason: "has a key that cannot be")
      }
      if place == plan.call, skipped.contains(key) { return }
      cells[place] = .integer(key + offset)
    }
    if let pruned = plan.pruned { cells[pruned] = .real(1e15) }
    // It was judged where it came from.
    if let stale = plan.stale { cells[stale] = .integer(cells[stale].integer == 2 ? 2 : 0) }
    if let digest = plan.digest, let sha256 = cells[digest].string, try isAnother(source: row, sha256) {
      cells[digest] = .null
    }
    if row.table == "calls" {
      guard try take(call: row, &cells) else { return }
    }
    let statement = try connection.cached(plan.sql)
    for (place, cell) in cells.enumerated() { statement.bind(Int32(place + 1), cell) }
    try statement.run()
    guard let key = plan.own.flatMap({ cells[$0].integer }) else { return }
    if row.table == "sources" {
      try connection.run("INSERT INTO part_sources VALUES (?, ?)", key, part)
    } else {
      try connection.run("INSERT INTO part_calls VALUES (?, ?)", key, part)
      calls += 1
    }
  }

  /// Whether a call is imported. A missing call is replaced by one with files.
  private mutating func take(call row: JudgementRow, _ cells: inout [Cell]) throws -> Bool {
    func place(_ column: String) -> Int? { row.columns.firstIndex(of: column) }
    guard let id = place("call_id"), let run = place("run_id"), let outcome = place("outcome"),
      let key = place("call_key")
    else { throw PartError(reason: "has a call without an id") }
    let known = try connection.rows(
      // By id: the index on runs has all calls of the night in one run.
      "SELECT call_key, outcome FROM calls WHERE call_id = ? AND +run_id IS ?", cells[id].string ?? "",
      cells[run].string,
      body: { (key: $0.int64(0), outcome: $0.text(1)) }
    ).first
    guard let known else { return true }
    if known.outcome == "missing" {
      try connection.run("DELETE FROM calls WHERE call_key = ?", known.key)
      return true
    }
    guard cells[outcome].string == "missing" else {
      throw PartError(
        reason:
          "call \(cells[id].string ?? "") \(try owner(ofCall: known.key)): all files of a call belong in one group"
      )
    }
    if case .integer(let own) = row.cells[key] { skipped.insert(own) }
    return false
  }

  /// Whether nothing was taken of this source and its content is in the database already; such a row has no digest.
  ///
  /// - Throws: `PartError` if something was taken of both.
  private func isAnother(source row: JudgementRow, _ sha256: String) throws -> Bool {
    let known = try connection.rows("SELECT source_id, path, status FROM sources WHERE sha256 = ?", sha256) {
      (key: $0.int64(0), path: $0.text(1), status: $0.text(2))
    }.first
    guard let known else { return false }
    func cell(_ name: String) -> String {
      row.columns.firstIndex(of: name).flatMap { row.cells[$0].string } ?? ""
    }
    func isTaken(_ status: String) -> Bool {
      SourceStatus.Value(rawValue: status).map { SourceStatus($0).isTaken } ?? false
    }
    guard isTaken(cell("status")) else { return true }
    guard isTaken(known.status) else {
      try connection.run("UPDATE sources SET sha256 = NULL WHERE source_id = ?", known.key)
      return false
    }
    let part = try connection.first(
      "SELECT p.name FROM part_sources JOIN parts AS p USING (part_key) WHERE source_id = ?", known.key)
    throw PartError(
      reason: part?.string.map { "\(cell("path")) came with part \($0) already: a file belongs in one group" }
        ?? "\(cell("path")) was imported into this database, as \(known.path): gather into another one")
  }

  private func owner(ofCall call: Int64) throws -> String {
    let part = try connection.first(
      "SELECT p.name FROM part_calls JOIN parts AS p USING (part_key) WHERE call_key = ?", call)
    return part?.string.map { "came with part \($0) already" }
      ?? "was imported into this database with its files"
  }
}
