/// A column of a list: its name says how its values are shown.
///
/// `points_lost.loss` nests in JSON as `{"points_lost":{"loss":…}}`; `phases[]` and `args{}` hold JSON text, which
/// JSON output embeds; `chosen?` is 0 or 1 and means false or true; `started_ms` and its like are moments. For people only:
/// `setup@ms` and `lasted@clock` are durations in milliseconds, in words and as `4:12`, `loss@share` is a share 0–1,
/// `score@points` a score or points.
struct RowColumn: Sendable {
  /// What the values are.
  enum Kind: Sendable {
    case plain, json, flag, moment, duration, clock, share, points

    /// Whether the values are numbers where they are known.
    var isNumber: Bool {
      switch self {
      case .plain, .duration, .clock, .share, .points: true
      case .json, .flag, .moment: false
      }
    }
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

  /// Columns that hold sentences or paths.
  private static let wholes: Set<String> = [
    "text", "reason", "notes", "what", "meaning", "question", "example", "path", "source",
  ]

  private static let units: [(mark: String, kind: Kind)] = [
    ("@ms", .duration), ("@clock", .clock), ("@share", .share), ("@points", .points),
  ]

  init(_ spelling: String) {
    if spelling.hasSuffix("[]") || spelling.hasSuffix("{}") {
      name = String(spelling.dropLast(2))
      kind = .json
    } else if spelling.hasSuffix("?") {
      name = String(spelling.dropLast())
      kind = .flag
    } else if let unit = Self.units.first(where: { spelling.hasSuffix($0.mark) }) {
      name = String(spelling.dropLast(unit.mark.count))
      kind = unit.kind
    } else {
      name = spelling
      kind = Self.moments.contains(spelling) ? .moment : .plain
    }
    let parts = name.split(separator: ".", omittingEmptySubsequences: true).map(String.init)
    path = parts.count > 1 ? parts : [name]
  }

  /// The header for people: moments lose their unit, for they are shown as dates.
  var heading: String { kind == .moment ? String(name.dropLast(3)) : name }

  /// The header as a terminal may have it.
  var shownHeading: String { VisibleText.visible(heading) }

  /// Whether little is said by the beginnings of its values.
  var isWhole: Bool { Self.wholes.contains(name) }
}
