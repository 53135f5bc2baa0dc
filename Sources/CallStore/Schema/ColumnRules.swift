import CallModel
import SQLite

/// What each column of the tables of judgements may hold. A database or a part may come from anywhere: `check` finds what
/// breaks these rules, and `gather` refuses it, so that no number is too large to compute with and all JSON can be read.
struct ColumnRules {
  /// A table with a column whose conditions hold for what callqa writes.
  private struct Table {
    let name: String
    /// Columns with the condition that a bad value meets.
    var bad: [(column: String, condition: String)]
    /// The column by which rows of a part are told from earlier ones: its first key.
    let key: String
  }

  private let connection: Connection
  private let tables: [Table]

  /// - Parameter knowsWords: whether words have to be those of this version. A database may have been written by a later
  ///   one.
  init(_ connection: Connection, knowsWords: Bool) throws {
    self.connection = connection
    tables = try PartTables.tables.map { name, _, _ in
      let columns = try connection.rows("SELECT name, type, pk FROM pragma_table_info(?)", name) {
        (name: $0.text(0), type: $0.text(1), isKey: $0.int64(2) == 1)
      }
      var bad: [(column: String, condition: String)] = []
      for column in columns where !PartTables.staying.contains(column.name) {
        var conditions = Self.conditions(column.name, column.type, of: name)
        if knowsWords, let words = Self.words["\(name).\(column.name)"] {
          let list = words.map { "'\($0)'" }.joined(separator: ", ")
          conditions.append("\(column.name) NOT IN (\(list))")
        }
        bad.append((column.name, "(\(conditions.joined(separator: " OR ")))"))
      }
      if let (first, last) = Self.ends.first(where: { ends in
        columns.contains { $0.name == ends.0 } && columns.contains { $0.name == ends.1 }
      }) {
        bad.append((last, "(\(last) < \(first))"))
      }
      let key = columns.first { $0.isKey && $0.type == "INTEGER" }?.name ?? "rowid"
      return Table(name: name, bad: bad, key: key)
    }
  }

  /// The first value that breaks a rule, and how many rows have one; nil if there is none.
  ///
  /// - Parameter keys: only rows with keys above these, by table.
  func broken(above keys: [String: Int64]? = nil) throws -> (count: Int, example: String)? {
    var found: (count: Int, example: String)?
    for table in tables {
      let named = table.bad.map {
        "WHEN \($0.condition) THEN '\(table.name).\($0.column) is ' || substr(quote(\($0.column)), 1, 40)"
      }
      let statement = try connection.cached(named: "rules of \(table.name) \(keys == nil)") {
        """
        SELECT CASE \(named.joined(separator: " ")) END FROM \(table.name)
        WHERE \(keys == nil ? "?1 IS NULL" : "\(table.key) > ?1") AND (\(table.bad.map(\.condition).joined(separator: " OR ")))
        """
      }
      statement.clear()
      if let keys { statement.bind(1, keys[table.name] ?? 0) }
      defer { statement.clear() }
      while try statement.step() {
        found = (1 + (found?.count ?? 0), found?.example ?? statement.text(0))
      }
    }
    return found
  }

  /// The largest key of each table, above which the rows of the next part are.
  func lastKeys() throws -> [String: Int64] {
    var keys: [String: Int64] = [:]
    for table in tables {
      keys[table.name] =
        try connection.first("SELECT coalesce(max(\(table.key)), 0) FROM \(table.name)")?.integer ?? 0
    }
    return keys
  }

  // Doubles are exact up to here: a figure beyond it is unknown, as in reports.
  private static let largest = Int64(Cell.largest)
  private static let ends = [("start_ms", "end_ms"), ("first_ms", "last_ms")]
  private static let objects: Set = ["args", "labels", "evidence", "held_against", "extra"]
  private static let points: Set = [
    "score", "score_mean", "score_p10", "score_min", "audio_cq", "audio_lq", "points", "reported_mean",
    "reported_min",
    "reported_mos", "mos",
  ]
  /// Columns and tables of times: no reader takes one that is 100,000 years away.
  private static let times: Set = ["start_ms", "end_ms", "first_ms", "last_ms", "t_ms", "until_ms"]
  private static let timed: Set = ["runs", "sources", "calls", "setups", "phases"]

  private static func conditions(_ column: String, _ type: String, of table: String) -> [String] {
    let isWrongType = { (types: String) in "typeof(\(column)) NOT IN ('null', \(types))" }
    switch type {
    // The greatest number there is: people, of any time, were removed.
    case "REAL" where column == "pruned_ms": return [isWrongType("'real', 'integer'")]
    case "INTEGER", "REAL":
      let isPoints = points.contains(column) || column.hasPrefix("lost_")
      let isTime = times.contains(column) || timed.contains(table) && column.hasSuffix("_ms")
      return [
        isWrongType(type == "REAL" ? "'real', 'integer'" : "'integer'"),
        isPoints
          ? "\(column) NOT BETWEEN -0.001 AND 100.001"
          : "abs(\(column)) > \(isTime ? "4e15" : type == "REAL" ? "1e19" : String(largest))",
      ]
    default:
      let json = objects.contains(column) ? "object" : column == "witnesses" ? "array" : nil
      guard let json else { return [isWrongType("'text'")] }
      return [
        isWrongType("'text'"), "\(column) IS NOT NULL AND NOT json_valid(\(column))",
        "CASE WHEN json_valid(\(column)) THEN json_type(\(column)) <> '\(json)' END",
      ]
    }
  }

  /// The words of columns that have no CHECK in the schema.
  private static let words: [String: [String]] = [
    "calls.verdict_judged": Verdict.Value.allCases.map(\.rawValue),
    "calls.verdict_marked": Verdict.Value.allCases.map(\.rawValue),
    "calls.place_judged": Place.allCases.map(\.rawValue),
    "calls.place_marked": Place.allCases.map(\.rawValue),
    "calls.root_cause": RootCause.Code.allCases.map(\.rawValue),
    "fates.place": Place.allCases.map(\.rawValue),
    "impairments.place": Place.allCases.map(\.rawValue),
    "endpoints.verdict": Verdict.Value.allCases.map(\.rawValue),
    "setups.outcome": Outcome.allCases.map(\.rawValue),
    "findings.code": FindingCode.names,
    "impairments.what": Cause.allCases.map(\.rawValue),
    "fates.medium": MediaKind.allCases.map(\.rawValue),
    "impairments.medium": MediaKind.allCases.map(\.rawValue),
  ]
}
