/// A column of a list: its name says how its values are shown.
///
/// `points_lost.loss` nests in JSON as `{"points_lost":{"loss":…}}`; `phases[]` and `args{}` hold JSON text, which
/// JSON output embeds; `chosen?` is 0 or 1 and means false or true; `started_ms` and its like are moments.
struct RowColumn: Sendable {
  /// What the values are.
  enum Kind: Sendable {
    case plain, json, flag, moment
  }

  /// The name without marks: the header of CSV, the path of JSON.
  let name: String
  let kind: Kind
  /// Names of the objects around it, outermost first, and its own name.
  let path: [String]

  /// Columns that hold milliseconds since the epoch rather than a duration.
  private static let moments: Set<String> = [
    "t_ms", "until_ms", "start_ms", "end_ms", "first_ms", "last_ms", "started_ms", "ended_ms", "accepted_ms",
    "last_packet_ms", "imported_ms",
  ]

  init(_ spelling: String) {
    if spelling.hasSuffix("[]") || spelling.hasSuffix("{}") {
      name = String(spelling.dropLast(2))
      kind = .json
    } else if spelling.hasSuffix("?") {
      name = String(spelling.dropLast())
      kind = .flag
    } else {
      name = spelling
      kind = Self.moments.contains(spelling) ? .moment : .plain
    }
    let parts = name.split(separator: ".", omittingEmptySubsequences: true).map(String.init)
    path = parts.count > 1 ? parts : [name]
  }

  /// The header for people: moments lose their unit, for they are shown as dates.
  var heading: String { kind == .moment ? String(name.dropLast(3)) : name }
}
