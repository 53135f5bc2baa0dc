/// The columns of table `calls` for views of calls `k`, generated ones by what they are generated from.
enum CallColumns {
  /// The verdict in force.
  static let verdict = "coalesce(k.verdict_marked, k.verdict_judged)"

  /// All of them in the order of the table.
  static let all = names.map { name in
    name == "started"
      ? "(SELECT t.started FROM call_starts AS t WHERE t.call_key = CAST(k.call_key AS TEXT)) AS started"
      : generated[name].map { "\($0) AS \(name)" } ?? "k.\(name)"
  }.joined(separator: ", ")

  private static let generated = [
    "verdict": verdict, "place": "coalesce(k.place_marked, k.place_judged)",
    "place_end": "CASE WHEN k.place_marked IS NULL THEN k.place_end_judged ELSE k.place_end_marked END",
  ]

  /// From the definition of the table, in which lines of a column begin with its name.
  private static let names: [String] =
    CallTables.ddl.split(separator: "\n").dropFirst().prefix { $0 != ");" }.compactMap { line in
      let word = line.drop { $0 == " " }.prefix { $0 != " " }
      return word.first?.isLowercase == true ? String(word) : nil
    }
}

/// Expressions that every engine understands that reads the database.
enum SQLWords {
  /// Whether two values are equal or both NULL.
  static func isSame(_ a: String, _ b: String) -> String { "(\(a) = \(b) OR \(a) IS NULL AND \(b) IS NULL)" }

  /// A value, or 0 if it is negative.
  static func atLeastZero(_ value: String) -> String { "CASE WHEN \(value) < 0 THEN 0 ELSE \(value) END" }
}
