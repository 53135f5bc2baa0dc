import CallModel
import CallStore
import Rendering

/// Explains filters with a value that no call in the database has, and suggests the nearest values that exist. The same
/// rule applies to every filter; words that callqa itself defines (findings, verdicts, outcomes) are checked earlier.
struct UnmatchedFilters {
  private let store: Store
  /// Maximum number of values listed.
  private static let most = 8

  init(in store: Store) { self.store = store }

  /// One line per filter without a matching call; empty if there is none.
  func words(_ scope: CallScope) throws -> [String] {
    let sdk = try scope.sdk.flatMap { name in
      try noMatch("is of the SDK", name, among: try values(of: "sdk"), isExact: true)
    }
    return try [sdk].compactMap { $0 } + scope.having.compactMap { try words($0) }
  }

  private func words(_ having: CallScope.ValueCondition) throws -> String? {
    guard let name = having.attribute else {
      let values = try having.columns.flatMap { try self.values(of: $0) }
      return try noMatch("has the " + Self.spoken(having.columns), having.value, among: Set(values).sorted())
    }
    let names = try attributes()
    let own = names.filter { TraitName.isSame($0.name, name) }
    guard own.isEmpty else {
      return try noMatch("has the \(name)", having.value, among: Set(own.map(\.value)).sorted())
    }
    let traits = TraitName.columns.map { $0.replacing("_", with: " ") }
    return try noMatch(
      "has a trait, attribute or label", name, among: Set(names.map(\.name)).sorted() + traits)
  }

  /// Says that no call has the value, and which values exist; nil if a call has it.
  private func noMatch(_ what: String, _ value: String, among known: [String], isExact: Bool = false) throws
    -> String?
  {
    let isKnown = known.contains { isExact ? $0 == value : $0.lowercased() == value.lowercased() }
    guard !isKnown else { return nil }
    let near = Spelling.nearest(to: value, among: known).map { "the nearest is '\($0)'; " } ?? ""
    let more = known.count > Self.most ? ", …" : ""
    let list =
      known.isEmpty
      ? "none is known of any" : "there are: \(known.prefix(Self.most).joined(separator: ", "))\(more)"
    return VisibleText.visible("no call \(what) '\(value)': \(near)\(list)")
  }

  private static func spoken(_ columns: [String]) -> String {
    columns.count > 1 ? "codec" : columns.first?.replacing("_", with: " ") ?? "trait"
  }

  /// All values of a column of calls, or of a trait of their ends.
  private func values(of column: String) throws -> [String] {
    let from = CallTrait(rawValue: column).map { "SELECT \($0.expression) AS value FROM endpoints AS e" }
    return try store.query(
      "SELECT DISTINCT value FROM (\(from ?? "SELECT \(column) AS value FROM calls")) WHERE value IS NOT NULL ORDER BY 1"
    ).rows.compactMap { $0.first?.string }
  }

  /// All attributes and labels with their values.
  private func attributes() throws -> [(name: String, value: String)] {
    try store.query(
      """
      SELECT DISTINCT name, value FROM call_attributes
      UNION SELECT l.key, CASE WHEN l.type IN ('true', 'false') THEN l.type ELSE CAST(l.value AS TEXT) END
        FROM (SELECT DISTINCT labels FROM calls WHERE labels IS NOT NULL UNION SELECT labels FROM runs WHERE labels IS NOT NULL) AS o,
          json_each(o.labels) AS l
      ORDER BY 1, 2
      """
    ).rows.compactMap { row in row[0].string.flatMap { name in row[1].string.map { (name, $0) } } }
  }
}
