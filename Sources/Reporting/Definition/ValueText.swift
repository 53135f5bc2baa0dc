import CallModel
import Rendering

/// Formats values for people to read.
struct ValueText {
  var zone: Zone

  /// Shown for unknown values.
  static let unknown = CellText.unknown

  /// A value in a format; graphical formats (`spark`, `bar`, `change`) give plain text.
  func text(_ cell: Cell, _ format: ColumnFormat) -> String {
    if cell.isNull { return Self.unknown }
    guard let value = cell.number else {
      return format == .words ? Self.list(cell.string ?? "") : cell.string ?? Self.unknown
    }
    switch format {
    case .integer: return Self.grouped(value)
    case .score: return Self.fixed(value, value == 0 || value == 100 ? 0 : 1)
    case .percent, .bar: return Self.percent(value)
    case .ms: return Self.grouped(value) + " ms"
    case .points: return Self.signed(value)
    case .change: return Self.moves([value], of: nil)[0]
    case .figure: return Self.figure(value, of: nil)
    case .time:
      return zone.dateText(value).map { "\($0) \(zone.clockText(value) ?? "")\(zone.offsetText(value))" }
        ?? Self.unknown
    case .duration: return Self.duration(value)
    case .number, .text, .spark, .verdict, .call, .words:
      return abs(value) < 0.00005 ? "0" : CellText.readable(value)
    }
  }

  /// `12.3 %`; never `0 %` or `100 %` for a value that is not exactly that.
  static func percent(_ share: Double) -> String {
    let value = share * 100
    if value > 0, value < 0.1 { return "< 0.1 %" }
    if value < 100, value > 99.9 { return "> 99.9 %" }
    return fixed(value, value == 0 || value == 100 ? 0 : 1) + " %"
  }

  /// A change with its sign: `−6.1`, `+0.4`, `0.0`.
  static func signed(_ value: Double, _ digits: Int = 1) -> String {
    let text = fixed(abs(value), digits)
    if text.allSatisfy({ $0 == "0" || $0 == "." }) { return text }
    return (value < 0 ? "−" : "+") + text
  }

  /// A change and the ends of its interval, all with the number of decimals that suits the largest. Shares are in
  /// percentage points.
  static func moves(_ values: [Double], of figure: String?) -> [String] {
    let scaled = values.map { $0 * (isShare(figure) ? 100 : 1) }
    let size = scaled.map(abs).max() ?? 0
    return scaled.map { signed($0, size >= 100 ? 0 : size >= 0.95 ? 1 : size >= 0.095 ? 2 : 3) }
  }

  /// Unit shown after a change of a figure: percentage points, milliseconds or nothing.
  static func unit(of figure: String?) -> String {
    isShare(figure) ? " pp" : figure?.hasSuffix("_ms") == true ? " ms" : ""
  }

  /// A value of a figure, by its name in a gate file: shares in per cent, times in ms, scores with one decimal.
  static func figure(_ value: Double, of figure: String?) -> String {
    if isShare(figure) { return percent(value) }
    if figure?.hasSuffix("_ms") == true { return grouped(value) + " ms" }
    return figure?.hasPrefix("score.") == true ? fixed(value, 1) : CellText.readable(value)
  }

  private static func isShare(_ figure: String?) -> Bool { figure?.hasSuffix(".share") == true }

  /// An integer with thin spaces between thousands.
  static func grouped(_ value: Double) -> String {
    let digits = Array(fixed(abs(value), 0))
    var text = value < 0 ? "−" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3), digits.count > 4 { text += "\u{202F}" }
      text.append(digit)
    }
    return text
  }

  static func fixed(_ value: Double, _ digits: Int) -> String {
    CellText.fixed(value, decimals: digits, keepingZeros: true)
  }

  static func duration(_ ms: Double) -> String {
    guard ms.isFinite, ms >= 0, ms < 1e12 else { return unknown }
    let seconds = Int((ms / 1000).rounded())
    if seconds < 60 { return "\(seconds) s" }
    let rest = String(seconds % 60)
    if seconds < 3600 { return "\(seconds / 60):\(rest.count == 1 ? "0" : "")\(rest)" }
    return "\(seconds / 3600) h \(seconds / 60 % 60) min"
  }

  /// A JSON array `["a","b"]` or a list `a,b`, formatted as `a, b`.
  static func list(_ text: String) -> String {
    text.split { "[],\"".contains($0) }.map { String($0.trimmed) }.filter { !$0.isEmpty }.joined(
      separator: ", ")
  }

  /// A count with its noun: `1 call`, `2 calls`.
  static func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
    "\(grouped(Double(number))) \(Plural.word(number, one, many))"
  }
}
