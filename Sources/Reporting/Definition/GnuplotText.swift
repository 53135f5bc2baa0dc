/// Strings and numbers in gnuplot's syntax.
enum GnuplotText {
  /// Maximum length of a label; longer labels are cut and end in an ellipsis.
  static let longestLabel = 60

  /// A label in single quotes, in which gnuplot expands nothing. Control characters, backticks and single quotes are
  /// replaced.
  static func quoted(_ text: String) -> String {
    var label = ""
    for (index, scalar) in text.unicodeScalars.enumerated() {
      if index == longestLabel {
        label += "…"
        break
      }
      switch scalar.value {
      // gnuplot's escape for a single quote is to double it, but at the start of a label that reads as an empty string.
      case 0x27: label += "’"
      case 0x60: label += "´"
      case 0..<0x20, 0x7F..<0xA0, 0x200E, 0x200F, 0x061C, 0x202A...0x202E, 0x2066...0x2069: label += " "
      default: label.unicodeScalars.append(scalar)
      }
    }
    return "'\(label)'"
  }

  /// A tic label. gnuplot treats it as a format string, so a percent sign is doubled.
  static func tic(_ text: String) -> String { quoted(text).replacing("%", with: "%%") }

  /// A number with up to six decimals, without trailing zeros; `NaN` if unknown.
  static func number(_ value: Double?) -> String {
    guard let value, value.isFinite else { return "NaN" }
    if let whole = Int64(exactly: value) { return String(whole) }
    let rounded = (value * 1_000_000).rounded() / 1_000_000
    return String(rounded.isFinite ? rounded : value)
  }

  /// `[low:high]`, with `*` for ends that are taken from the data.
  static func range(_ range: PlotRange?) -> String {
    let low = range?.low.map { number($0) } ?? "*"
    let high = range?.high.map { number($0) } ?? "*"
    return "[\(low):\(high)]"
  }
}
