import CallModel

/// Something in the database that breaks a rule.
public struct Problem: Sendable, Equatable {
  /// The rule, in a few words that stay the same.
  public var rule: String
  /// How many rows break it.
  public var count: Int
  /// The first of them, in words.
  public var example: String

  /// A broken rule.
  public init(rule: String, count: Int, example: String) {
    self.rule = rule
    self.count = count
    self.example = example
  }
}

extension Store {
  /// Looks at every rule of the schema, table by table; gives those that are broken.
  ///
  /// - Parameter before: called with each rule before it is looked at, for a progress line.
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
      for rule in CheckRule.all {
        before(rule.words)
        if let problem = try broken(rule) { problems.append(problem) }
      }
      return problems
    }
  }

  /// What SQLite itself says of the file.
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
