/// A number among arguments that can only lie between two bounds, as a quality of 0 to 100: in which place of a line it stands, programs
/// print as they like, and what is outside is something else, an id for one.
enum BoundedNumber {
  /// Most arguments looked at.
  private static let most = 16

  /// The first of the places that holds such a number, else the only argument in a line that does: a number, alone or with a percent sign.
  static func find(in arguments: LogArguments, at sources: [String], between range: ClosedRange<Double>)
    -> String?
  {
    let named = sources.filter { Int($0) == nil }
    if let number = named.lazy.compactMap({ number(arguments.text($0), range) }).first { return number }
    // A name that tells what it is decides, whatever its value: what stands beside it is something else.
    if named.contains(where: { arguments.text($0) != nil }) { return nil }
    let words = arguments.members.prefix(most).map { ($0.name, LogArguments.plain($0.json)) }
    // The name may be a word before it: `call 12345 quality 49`.
    let normal = named.map { Dialect.normal($0) }
    for (index, word) in words.enumerated().dropLast() where Int(word.0) != nil {
      guard let text = word.1, normal.contains(Dialect.normal(text)) else { continue }
      return number(words[index + 1].1, range)
    }
    let positions = sources.filter { Int($0) != nil }
    return positions.lazy.compactMap { number(arguments.text($0), range) }.first
  }

  private static func number(_ text: String?, _ range: ClosedRange<Double>) -> String? {
    guard var text = text?.trimmed, text.utf8.count <= 24 else { return nil }
    if text.hasSuffix("%") { text = String(text.dropLast()).trimmed }
    guard let value = Double(text), range.contains(value) else { return nil }
    return text
  }
}
