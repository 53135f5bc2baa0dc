/// Dates of numbers of which the first may be the day or the month: `03/04/2026`, `3-4-2026 5:06 PM`.
struct SlashedDates {
  let isDayFirst: Bool
  /// Whether one of them has a number over 12 in one of the two places.
  let isSure: Bool

  /// Nil unless all texts begin with such a date.
  ///
  /// - Parameter isDayLikelier: what is taken where no date shows it, and none has AM or PM.
  init?(_ texts: some Collection<String>, isDayLikelier: Bool) {
    let dates = texts.map { Self.date($0) }
    guard !dates.isEmpty, dates.allSatisfy({ $0 != nil }) else { return nil }
    let (firsts, seconds) = (dates.compactMap { $0?.first }, dates.compactMap { $0?.second })
    let isDayFirst = firsts.contains { $0 > 12 }
    let isMonthFirst = seconds.contains { $0 > 12 }
    guard !isDayFirst || !isMonthFirst else { return nil }
    isSure = isDayFirst || isMonthFirst
    let isHalved = texts.contains { text in Self.halves.contains { text.lowercased().hasSuffix($0) } }
    self.isDayFirst = isDayFirst || !isMonthFirst && isDayLikelier && !isHalved
  }

  /// How a text with such a date is written, as a form of times has it: `dd/MM/yyyy HH:mm:ss`; nil if something else
  /// than a time of day follows the date.
  func form(of text: String) -> String? {
    guard let date = Self.date(text) else { return nil }
    let form = (isDayFirst ? ["dd", "MM", "yyyy"] : ["MM", "dd", "yyyy"]).joined(separator: date.separator)
    let gap = date.rest.prefix { !$0.isLetter && !$0.isNumber }
    let time = date.rest.dropFirst(gap.count)
    let clock = time.prefix { $0.isNumber || $0 == ":" }
    // A fraction of a second is read without being named.
    let fraction = time.dropFirst(clock.count).prefix { $0.isNumber || $0 == "." || $0 == "," }
    let half = time.dropFirst(clock.count + fraction.count)
    guard half.isEmpty || fraction.isEmpty && Self.halves.contains(String(half).trimmed.lowercased()) else {
      return nil
    }
    let parts = [half.isEmpty ? "HH" : "hh", "mm", "ss"].prefix(clock.split(separator: ":").count)
    return form + (parts.isEmpty ? "" : gap + parts.joined(separator: ":"))
      + (half.isEmpty ? "" : half.prefix { !$0.isLetter } + "a")
  }

  private static let halves = ["am", "pm"]

  private static func date(_ text: String) -> (first: Int, second: Int, separator: String, rest: Substring)? {
    var rest = text.trimmed[...]
    func number(_ most: Int) -> Int? {
      let digits = rest.prefix { $0.isASCII && $0.isNumber }
      guard (1...most).contains(digits.count) else { return nil }
      rest = rest.dropFirst(digits.count)
      return Int(digits)
    }
    guard let first = number(2), let separator = rest.first, separator == "/" || separator == "-" else {
      return nil
    }
    rest = rest.dropFirst()
    guard let second = number(2), rest.first == separator else { return nil }
    rest = rest.dropFirst()
    let before = rest
    guard number(4) != nil, before.count - rest.count == 4, (1...31).contains(first),
      (1...31).contains(second)
    else { return nil }
    return (first, second, String(separator), rest)
  }
}
