import CallModel
import SQLite

/// A violated consistency rule.
public struct Problem: Sendable, Equatable {
  /// The rule, in fixed words.
  public var rule: String
  /// Number of rows that violate it.
  public var count: Int
  /// The first of them, in words.
  public var example: String

  /// A violation.
  public init(rule: String, count: Int, example: String) {
    self.rule = rule
    self.count = count
    self.example = example
  }
}

extension Store {
  /// Checks all rules of the schema, table by table; returns the violated ones.
  ///
  /// - Parameter before: called before each rule is checked, for progress output.
  public func check(before: (_ rule: String) -> Void = { _ in }) throws -> [Problem] {
    try exclusive {
      before("the file is sound")
      var problems = try soundness()
      before(Self.schemaRule)
      if let problem = try schemaProblem() { return problems + [problem] }
      before("rows refer to rows that are there")
      problems += try references()
      before(Self.totalsRule)
      if let problem = try totalsProblem() { problems.append(problem) }
      before(Self.checksumsRule)
      if let problem = try checksumsProblem() { problems.append(problem) }
      before(Self.valuesRule)
      if let (count, example) = try ColumnRules(connection, knowsWords: false).broken() {
        problems.append(Problem(rule: Self.valuesRule, count: count, example: example))
      }
      for rule in CheckRule.all {
        before(rule.words)
        if let problem = try broken(rule) { problems.append(problem) }
      }
      return problems
    }
  }

  static let valuesRule = "figures lie within what can be computed with, and JSON can be read"

  /// SQLite's own integrity checks.
  private func soundness() throws -> [Problem] {
    let lines = try connection.rows("PRAGMA integrity_check(100)") { $0.text(0) }.filter { $0 != "ok" }
    guard let first = lines.first else { return [] }
    return [Problem(rule: "the file is sound", count: lines.count, example: first)]
  }

  private func references() throws -> [Problem] {
    let rows = try connection.rows("PRAGMA foreign_key_check") { row in
      "\(row.text(0)) row \(row.optionalInt64(1).map(String.init) ?? "?") refers to no row of \(row.text(2))"
    }
    guard let first = rows.first else { return [] }
    return [Problem(rule: "rows refer to rows that are there", count: rows.count, example: first)]
  }

  private func broken(_ rule: CheckRule) throws -> Problem? {
    let statement = try connection.prepare(rule.sql)
    var count = 0
    var example = ""
    while try statement.step() {
      if count == 0 { example = statement.text(0) }
      count += 1
    }
    return count == 0 ? nil : Problem(rule: rule.words, count: count, example: example)
  }
}

/// Whether the totals of streams match their samples.
extension Store {
  static let totalsRule = "a stream's totals are what its counters came to"

  /// The first total that does not match, and how many there are; nil if all match.
  ///
  /// Most totals equal the last counter. Otherwise the counter may have been reset: only then all samples are read.
  func totalsProblem() throws -> Problem? {
    let columns: [(name: String, metric: Metric)] = [
      ("packets", .packets), ("bytes", .bytes), ("lost", .lost), ("concealed_samples", .concealedSamples),
      ("freeze_count", .freezeCount),
    ]
    var totals: [Int64: StreamCounterTotals] = [:]
    var count = 0
    var example = ""
    for (name, metric) in columns {
      let odd = try connection.rows(
        """
        SELECT stream_key, total, last FROM (
          SELECT s.stream_key, s.\(name) AS total, (SELECT p.\(name) FROM samples AS p
            WHERE p.stream_key = s.stream_key AND p.\(name) IS NOT NULL ORDER BY p.t_ms DESC LIMIT 1) AS last
          FROM streams AS s JOIN source_views AS c USING (connection_key) JOIN sources AS o USING (source_id)
          WHERE s.source = 'stats' AND o.pruned_ms IS NULL)
        WHERE total IS NOT last
        """
      ) { row in (stream: row.int64(0), total: row.optionalDouble(1), last: row.optionalDouble(2)) }
      for (stream, total, last) in odd {
        let tally = try totals[stream] ?? tally(ofStream: stream)
        if totals.count < 1000 { totals[stream] = tally }
        guard tally.total(metric) != total else { continue }
        count += 1
        if example.isEmpty {
          func text(_ value: Double?) -> String {
            value.map { Int64(exactly: $0).map(String.init) ?? "\($0)" } ?? "unknown"
          }
          example = "stream \(stream): \(name) \(text(total)), last sample \(text(last))"
        }
      }
    }
    return count == 0 ? nil : Problem(rule: Self.totalsRule, count: count, example: example)
  }

  private func tally(ofStream stream: Int64) throws -> StreamCounterTotals {
    let cursor = try samples(ofStream: stream)
    var tally = StreamCounterTotals()
    var sample = Sample(timeMs: 0)
    while try cursor.next(into: &sample) { tally.add(sample) }
    return tally
  }
}

/// Whether the tables and views of a database are those of this version: a flipped bit in their SQL is not noticed
/// otherwise.
extension Store {
  /// If this rule is violated, no other rule can be checked.
  public static let schemaRule = "tables and views are those of this version"

  /// Each missing or unreadable table, column and view; nil if there are none.
  func schemaProblem() throws -> Problem? {
    let fresh = try Store(path: ":memory:", access: .memory)
    let wanted = try fresh.connection.rows(
      """
      SELECT m.name, m.type, p.name FROM sqlite_schema AS m JOIN pragma_table_info(m.name) AS p
      WHERE m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite~_%' ESCAPE '~'
      ORDER BY m.type, m.name, p.cid
      """, body: { (name: $0.text(0), isView: $0.text(1) == "view", column: $0.text(2)) })
    var wrong: [String] = []
    let tables = Dictionary(grouping: wanted.filter { !$0.isView }, by: \.name)
    for (name, columns) in tables.sorted(by: { $0.key < $1.key }) {
      let there = Set(try connection.rows("SELECT name FROM pragma_table_info(?)", name) { $0.text(0) })
      if there.isEmpty {
        wrong.append("table \(name) is not there")
      } else if let column = columns.first(where: { !there.contains($0.column) }) {
        wrong.append("table \(name) has no column \(column.column)")
      }
    }
    for name in Set(wanted.filter(\.isView).map(\.name)).sorted() {
      do {
        _ = try connection.prepare("SELECT * FROM \(name) LIMIT 0")
      } catch let error as StoreError {
        wrong.append("view \(name) cannot be read: \(error.what)")
      }
    }
    return wrong.first.map { Problem(rule: Self.schemaRule, count: wrong.count, example: $0) }
  }

  /// What is wrong with the tables of a database, to explain an SQL error in callqa's own SQL; nil if they are as
  /// expected.
  public static func damage(ofSchemaAt path: String) -> StoreError? {
    guard let store = try? Store(path: path, access: .read), let problem = try? store.schemaProblem() else {
      return nil
    }
    return StoreError(
      .damaged, path: path, "the database is damaged (\(problem.example))",
      remedy: "restore it, or import the sources into a new one")
  }
}

/// Whether samples are unchanged since they were written: a flipped bit that changes no judgement is not noticed
/// otherwise.
extension Store {
  static let checksumsRule = "samples are what was written"

  /// The first stream or path whose samples do not match their checksum, and how many there are. Without a checksum
  /// (samples that were merged, pruned, or not exported) nothing is checked.
  func checksumsProblem() throws -> Problem? {
    var problem = Problem(rule: Self.checksumsRule, count: 0, example: "")
    func note(_ example: String) {
      if problem.count == 0 { problem.example = example }
      problem.count += 1
    }
    try streamsOfAnotherChecksum(note)
    try pathsOfAnotherChecksum(note)
    return problem.count == 0 ? nil : problem
  }

  private func withChecksums(_ table: String, _ columns: String) -> String {
    """
    SELECT \(columns), t.sample_checksum, s.path FROM \(table) AS t JOIN source_views AS c USING (connection_key)
      JOIN sources AS s USING (source_id)
    WHERE t.sample_checksum IS NOT NULL
    """
  }

  private func streamsOfAnotherChecksum(_ note: (String) -> Void) throws {
    let streams = try connection.prepare(withChecksums("streams", "t.stream_key, t.metrics"))
    while try streams.step() {
      let columns = sampleColumns.columns(of: streams.optionalText(1))
      let rows = try connection.lend(columns.withExtra)
      rows.statement.bind(1, streams.int64(0))
      var checksum = SampleChecksum()
      while try rows.statement.step() {
        var sample = Sample(timeMs: rows.statement.storedDouble(0) ?? .nan)
        for (place, metric) in columns.metrics.enumerated() {
          if let value = rows.statement.storedDouble(Int32(place) + 2) { sample.set(metric, value) }
        }
        let extra = rows.statement.optionalText(1)
        sample.look { checksum.add($0, extra: extra) }
      }
      if checksum.stored != streams.int64(2) { note("stream \(streams.int64(0)) of \(streams.text(3))") }
    }
  }

  private func pathsOfAnotherChecksum(_ note: (String) -> Void) throws {
    let paths = try connection.prepare(withChecksums("paths", "t.path_key"))
    while try paths.step() {
      var checksum = SampleChecksum()
      let rows = try connection.lend(
        "SELECT t_ms, \(StreamTables.pathColumns.joined(separator: ", ")) FROM path_samples WHERE path_key = ?"
      )
      rows.statement.bind(1, paths.int64(0))
      while try rows.statement.step() {
        let row = rows.statement
        var sample = TransportSample(timeMs: row.storedDouble(0) ?? .nan)
        sample.takeFigures(of: row, from: 1) { row.storedDouble($0) }
        checksum.add(sample)
      }
      if checksum.stored != paths.int64(1) { note("path \(paths.int64(0)) of \(paths.text(2))") }
    }
  }
}
