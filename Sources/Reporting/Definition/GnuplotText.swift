/// The words and numbers of gnuplot's language.
enum GnuplotText {
  /// Longest label drawn; a longer one ends in an ellipsis.
  static let longestLabel = 60

  /// A label between single quotes, where gnuplot expands nothing; control characters, backticks and quotes cannot get that far.
  static func quoted(_ text: String) -> String {
    var label = ""
    for (index, scalar) in text.unicodeScalars.enumerated() {
      if index == longestLabel {
        label += "…"
        break
      }
      switch scalar.value {
      // Doubled, as gnuplot has it within single quotes, it is an empty string where it stands first.
      case 0x27: label += "’"
      case 0x60: label += "´"
      case 0..<0x20, 0x7F..<0xA0, 0x200E, 0x200F, 0x061C, 0x202A...0x202E, 0x2066...0x2069: label += " "
      default: label.unicodeScalars.append(scalar)
      }
    }
    return "'\(label)'"
  }

  /// The label of a tic: gnuplot takes it for a format of the tic's place, so a per cent sign is written twice.
  static func tic(_ text: String) -> String { quoted(text).replacing("%", with: "%%") }

  /// A number to six decimals, without trailing zeros; an unknown one as `NaN`.
  static func number(_ value: Double?) -> String {
    guard let value, value.isFinite else { return "NaN" }
    if let whole = Int64(exactly: value) { return String(whole) }
    let rounded = (value * 1_000_000).rounded() / 1_000_000
    return String(rounded.isFinite ? rounded : value)
  }

  /// `[low:high]`, `*` where the data decides.
  static func range(_ range: PlotRange?) -> String {
    let low = range?.low.map { number($0) } ?? "*"
    let high = range?.high.map { number($0) } ?? "*"
    return "[\(low):\(high)]"
  }
}
