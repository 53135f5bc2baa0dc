import IO

/// Formats quantities, the same way in every view.
package enum Measure {
  /// `586 ms`, `4.2 s`, `31 s`, `2 min 50 s`, `1 h 2 min`. Durations never have colons, which are used for positions in
  /// time.
  package static func duration(_ milliseconds: Double) -> String {
    guard milliseconds.isFinite else { return CellText.unknown }
    let size = abs(milliseconds)
    if size < 1000 { return "\(CellText.fixed(milliseconds, decimals: 0)) ms" }
    if size < 9_950 { return "\(CellText.fixed(milliseconds / 1000, decimals: 1)) s" }
    if size < 120_000 { return "\(CellText.fixed(milliseconds / 1000, decimals: 0)) s" }
    guard size < 1e14 else { return CellText.unknown }
    let total = Int((size / 1000).rounded())
    let (large, small, units) =
      total < 3600 ? (total / 60, total % 60, ("min", "s")) : (total / 3600, total / 60 % 60, ("h", "min"))
    return (milliseconds < 0 ? "-" : "") + "\(large) \(units.0)" + (small > 0 ? " \(small) \(units.1)" : "")
  }

  /// `4:12`, `1:02:03`: the length of a call, or a position in it.
  package static func clock(_ milliseconds: Double) -> String {
    guard milliseconds.isFinite, abs(milliseconds) < 1e14 else { return CellText.unknown }
    let total = Int((abs(milliseconds) / 1000).rounded())
    let sign = milliseconds < 0 && total > 0 ? "-" : ""
    let rest = "\(padded(total / 60 % 60, total >= 3600 ? 2 : 1)):\(padded(total % 60, 2))"
    return sign + (total >= 3600 ? "\(total / 3600):\(rest)" : rest)
  }

  /// A share 0–1 as `9.6 %`; never `0 %` for a value above zero.
  package static func percent(_ share: Double) -> String {
    let value = share * 100
    if value > 0, value < 0.05 { return "< 0.1 %" }
    return "\(CellText.fixed(value, decimals: abs(value) < 10 ? 1 : 0)) %"
  }

  /// Frames a second, without a unit: `25`, and below 2 with the fraction that matters there (`0.5`, `0.05`).
  package static func frameRate(_ perSecond: Double) -> String {
    if perSecond > 0, perSecond < 0.1 { return CellText.fixed(perSecond, decimals: 2) }
    return CellText.fixed(
      perSecond, decimals: perSecond < 2 && abs(perSecond - perSecond.rounded()) >= 0.05 ? 1 : 0)
  }

  /// A bit rate in bit/s as `1.2 Mb/s` or `48 kb/s`.
  package static func bitrate(_ bps: Double) -> String {
    if bps >= 1_000_000 { return "\(CellText.fixed(bps / 1_000_000, decimals: 1)) Mb/s" }
    return "\(CellText.fixed(bps / 1000, decimals: bps < 10_000 ? 1 : 0)) kb/s"
  }

  /// `812 B`, `4.1 MB`; decimal units.
  package static func size(_ bytes: Double) -> String {
    for (unit, word) in [(1e9, "GB"), (1e6, "MB"), (1e3, "kB")] where bytes >= unit {
      return "\(CellText.fixed(bytes / unit, decimals: bytes >= 100 * unit ? 0 : 1)) \(word)"
    }
    return "\(CellText.fixed(bytes, decimals: 0)) B"
  }

  /// A score or points: at most one decimal below 9.95, none above.
  package static func points(_ value: Double) -> String {
    CellText.fixed(value, decimals: value < 9.95 ? 1 : 0)
  }

  /// `4.0 (FB)`: an opinion score of the E-model with one decimal and its scale.
  package static func opinion(_ value: Double, scale: String?) -> String {
    CellText.fixed(value, decimals: 1, keepingZeros: true) + (scale.map { " (\($0))" } ?? "")
  }

  /// An enumeration: `a`, `a and b`, `a, b and c`.
  package static func list(_ parts: [String]) -> String {
    guard let last = parts.last, parts.count > 1 else { return parts.first ?? "" }
    return parts.dropLast().joined(separator: ", ") + " and " + last
  }

  /// The text with its first letter in upper case.
  package static func sentence(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }
}
