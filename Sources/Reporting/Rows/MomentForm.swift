import CallModel

/// Moments without what all of them share, where a table is too wide for the whole of them.
struct MomentForm {
  /// What they begin with: the day and a space, or the year and its dash; empty where even years differ.
  private let beginning: String
  /// The offset that all of them end with.
  private let offset: String
  /// Whether milliseconds are shown.
  private let isPrecise: Bool

  /// The form of texts of `Zone.text`, such as `2026-11-21 14:03:09.250+01:00`; nil where there are none, or where the
  /// clock was put forward or back between them.
  init?(_ texts: [String], precise: Bool) {
    let date = 10
    let millisecondsEnd = 23
    guard let first = texts.first, first.count > millisecondsEnd else { return nil }
    let offset = String(first.dropFirst(millisecondsEnd))
    guard texts.allSatisfy({ $0.dropFirst(millisecondsEnd) == offset }) else { return nil }
    let day = String(first.prefix(date + 1))
    let year = String(first.prefix(5))
    self.offset = offset
    isPrecise = precise
    beginning =
      texts.allSatisfy { $0.hasPrefix(day) } ? day : texts.allSatisfy { $0.hasPrefix(year) } ? year : ""
  }

  /// What was left out, for the line above the table: `times of 2026-11-21, +01:00`.
  var words: String {
    beginning.isEmpty ? "times at \(offset)" : "times of \(beginning.dropLast()), \(offset)"
  }

  /// A moment without what all share; as it is where it does not share it.
  func short(_ text: String) -> String {
    guard text.hasPrefix(beginning), text.hasSuffix(offset) else { return text }
    let rest = text.dropFirst(beginning.count).dropLast(offset.count)
    return String(isPrecise ? rest : rest.dropLast(4))
  }
}
