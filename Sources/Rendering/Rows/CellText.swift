import CallModel
import IO
import Glibc

/// Formats cells as text.
public enum CellText {
  /// Shown for unknown values.
  public static let unknown = "–"

  /// The shortest decimal form that reads back as the same number; integers have no decimal point.
  public static func shortest(_ value: Double) -> String {
    if value == value.rounded(), abs(value) < 9_007_199_254_740_992 { return String(Int64(value)) }
    return String(value)
  }

  /// The number for people: four significant digits, without trailing zeros.
  public static func readable(_ value: Double) -> String {
    guard value.isFinite else { return unknown }
    let size = abs(value)
    if size >= 1e15 || (size < 1e-4 && size > 0) { return shortest(value) }
    if size >= 1000 { return shortest(value.rounded()) }
    return fixed(value, decimals: size >= 100 ? 1 : size >= 10 ? 2 : size >= 1 ? 3 : 4)
  }

  /// The number with at most `decimals` decimals (0 to 9); trailing zeros are removed unless `keepingZeros`.
  public static func fixed(_ value: Double, decimals: Int, keepingZeros: Bool = false) -> String {
    let scale = pow(10, Double(min(max(decimals, 0), 9)))
    let scaled = (abs(value) * scale).rounded()
    guard scaled.isFinite, scaled < 9e18 else { return shortest(value) }
    let digits = padded(Int(scaled), decimals + 1)
    var fraction = String(digits.suffix(decimals))
    if !keepingZeros { while fraction.last == "0" { fraction.removeLast() } }
    let whole = String(digits.dropLast(decimals))
    return (value < 0 && scaled > 0 ? "-" : "") + whole + (fraction.isEmpty ? "" : "." + fraction)
  }

  /// Bytes as hexadecimal digits.
  public static func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  /// A cell in a table for people. Control characters are made visible, so that the terminal does not interpret them.
  package static func table(_ cell: Cell, _ kind: RowColumn.Kind, zone: Zone) -> String {
    switch (kind, cell) {
    case (_, .null): unknown
    case (.flag, .integer(let value)): value == 0 ? "no" : "yes"
    // A small number in a column named like a time is a duration or an index and stays a number; 1e11 ms is the year
    // 1973.
    case (.moment, .integer(let value)) where value > 100_000_000_000: moment(Double(value), zone)
    case (.moment, .real(let value)) where value > 100_000_000_000: moment(value, zone)
    case (.json, .text(let json)): VisibleText.visible(list(json))
    case (.duration, .integer), (.duration, .real): Measure.duration(cell.number ?? .nan)
    case (.clock, .integer), (.clock, .real): Measure.clock(cell.number ?? .nan)
    case (.share, .integer), (.share, .real): cell.number.map(Measure.percent) ?? unknown
    case (.points, .integer), (.points, .real): cell.number.map(Measure.points) ?? unknown
    case (_, .integer(let value)): String(value)
    case (_, .real(let value)): readable(value)
    case (_, .text(let value)): VisibleText.visible(value)
    case (_, .blob(let value)): hexadecimal(value)
    }
  }

  private static func moment(_ timeMs: Double, _ zone: Zone) -> String {
    zone.text(timeMs) ?? shortest(timeMs)
  }

  /// `["a","b"]` as `a, b`; any other JSON unchanged.
  private static func list(_ json: String) -> String {
    guard json.hasPrefix("[\""), json.hasSuffix("\"]"), !json.contains("\\"), !json.contains("{") else {
      return json == "[]" || json == "{}" ? "" : json
    }
    return json.dropFirst(2).dropLast(2).split(separator: "\",\"").joined(separator: ", ")
  }
}

/// A column of a list. Its name determines how values are shown.
///
/// `points_lost.loss` nests in JSON as `{"points_lost":{"loss":…}}`; `phases[]` and `args{}` hold JSON text, which JSON
/// output embeds; `chosen?` is 0 or 1 and means false or true; `started_ms` and similar are times. For people only:
/// `setup@ms` and `lasted@clock` are durations in milliseconds, shown in words and as `4:12`; `loss@share` is a share
/// 0–1, `score@points` a score or points, `when@moment` milliseconds since the epoch.
package struct RowColumn: Sendable {
  /// The type of the values.
  package enum Kind: Sendable {
    case plain, json, flag, moment, duration, clock, share, points

    /// Whether known values are numbers.
    package var isNumber: Bool {
      switch self {
      case .plain, .duration, .clock, .share, .points: true
      case .json, .flag, .moment: false
      }
    }
  }

  /// The name without suffix marks: the CSV header and JSON path.
  package let name: String
  package let kind: Kind
  /// Names of the enclosing JSON objects, outermost first, followed by its own name.
  package let path: [String]

  /// Columns that hold milliseconds since the epoch rather than a duration.
  private static let moments: Set<String> = [
    "t_ms", "until_ms", "start_ms", "end_ms", "first_ms", "last_ms", "started_ms", "ended_ms", "accepted_ms",
    "last_packet_ms", "imported_ms",
  ]

  /// Columns that hold sentences or paths.
  private static let wholes: Set<String> = [
    "text", "reason", "notes", "what", "meaning", "question", "example", "path", "source", "worst_problem",
  ]

  private static let units: [(mark: String, kind: Kind)] = [
    ("@ms", .duration), ("@clock", .clock), ("@share", .share), ("@points", .points),
    ("@moment", .moment),
  ]

  package init(_ spelling: String) {
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

  /// The header for people. Times lose their unit because they are shown as dates.
  package var heading: String { kind == .moment && name.hasSuffix("_ms") ? String(name.dropLast(3)) : name }

  /// The header, safe for a terminal.
  var shownHeading: String { VisibleText.visible(heading) }

  /// Whether values must not be cut, because their beginnings alone say little.
  package var isWhole: Bool { Self.wholes.contains(name) }
}
