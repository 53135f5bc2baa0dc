import CallModel

/// Numeric dates.
///
/// One grammar for all locales: three numbers with the same separator, of which the year has four digits; then the
/// time. If the year is last, a point means that the day is first; a slash or hyphen does not.
extension LogTime {
  /// Date and time, time and date, or time of day alone.
  static func numbered(_ bytes: ArraySlice<UInt8>) -> Stamp? {
    var scan = Scan(bytes)
    if let date = scan.date() {
      guard let joint = scan.joint(allowsWord: date.year != nil),
        let clock = scan.timeOfDay(joint.isAfternoon)
      else { return nil }
      return stamp(date, dayMs: clock, &scan)
    }
    scan = Scan(bytes)
    guard let clock = scan.timeOfDay() else { return nil }
    var behind = scan
    behind.gap()
    if behind.taken > scan.taken, let date = behind.date(), date.year != nil, behind.isAtGap,
      let whole = stamp(date, dayMs: clock, &behind)
    {
      return whole
    }
    return Stamp(scan, dayMs: clock)
  }

  private static func stamp(_ date: NumericDate, dayMs: Double, _ scan: inout Scan) -> Stamp? {
    let (first, second) = (date.first, date.second)
    guard let year = date.year else {
      guard (1...12).contains(first), (1...31).contains(second) else { return nil }
      return Stamp(scan, dayMs: dayMs, monthDay: (first, second))
    }
    switch date.order {
    case .yearFirst: return Stamp(year: year, month: first, day: second, dayMs: dayMs, scan: &scan)
    case .dayFirst: return Stamp(year: year, month: second, day: first, dayMs: dayMs, scan: &scan)
    case .either where first == second:
      return Stamp(year: year, month: first, day: first, dayMs: dayMs, scan: &scan)
    case .either where CalendarDate.buddhistYears.contains(year):
      // Dates with Buddhist years have the day first, which says nothing about other dates.
      return Stamp(year: year, month: second, day: first, dayMs: dayMs, scan: &scan)
    case .either where first > 12 || second > 12:
      let isDayFirst = first > 12
      let (month, day) = isDayFirst ? (second, first) : (first, second)
      var stamp = Stamp(year: year, month: month, day: day, dayMs: dayMs, scan: &scan)
      stamp?.isDayFirst = isDayFirst
      return stamp
    case .either:
      var stamp = Stamp(scan, dayMs: dayMs)
      stamp.either = (first, second, year)
      return stamp
    }
  }

  /// The numbers of a date in order: the year, if it has one, and the two others.
  struct NumericDate {
    enum Order { case yearFirst, dayFirst, either }

    var year: Int?
    var first: Int
    var second: Int
    var order: Order
  }
}

extension LogTime.Scan {
  /// `2026-11-21`, `2026/11/21`, `2026. 11. 21.`, `21.11.2026`, `21. 11. 2026.`, `21/11/2026`, `21-11-2026`, `11-21`.
  mutating func date() -> LogTime.NumericDate? {
    let begin = self
    guard let first = number(), let separator = separator() else {
      self = begin
      return nil
    }
    let isDotted = separator == UInt8(ascii: ".")
    guard let second = number(), second.digits <= 2 else {
      self = begin
      return nil
    }
    let isShort = first.digits == 2 && second.digits == 2 && separator == UInt8(ascii: "-")
    let short = self
    guard self.separator() == separator, let third = number() else {
      // Without a year only in Android's form: `11-21`.
      self = isShort ? short : begin
      return isShort
        ? LogTime.NumericDate(year: nil, first: first.value, second: second.value, order: .either) : nil
    }
    switch (first.digits, third.digits) {
    case (4, 1...2):
      if isDotted { _ = skip(UInt8(ascii: ".")) }
      return LogTime.NumericDate(
        year: first.value, first: second.value, second: third.value, order: .yearFirst)
    case (1...2, 4):
      if isDotted { _ = skip(UInt8(ascii: ".")) }
      return LogTime.NumericDate(
        year: third.value, first: first.value, second: second.value, order: isDotted ? .dayFirst : .either)
    default:
      self = begin
      return nil
    }
  }

  // The separator of a date's numbers; the point of an ordinal may be followed by a blank.
  private mutating func separator() -> UInt8? {
    guard let byte = rest.first,
      byte == UInt8(ascii: "-") || byte == UInt8(ascii: "/") || byte == UInt8(ascii: ".")
    else { return nil }
    drop(1)
    if byte == UInt8(ascii: ".") { blank() }
    return byte
  }

  /// The text between a date and its time.
  struct Joint {
    var isAfternoon: Bool?
  }

  /// The text between a date and its time: a T, blanks and commas, and a word, which may be a half of the day. Nil if
  /// no time can follow.
  mutating func joint(allowsWord: Bool) -> Joint? {
    if skip(UInt8(ascii: "T")) || skip(UInt8(ascii: "t")) { return isAtDigit ? Joint() : nil }
    let before = taken
    gap()
    if isAtDigit { return taken > before ? Joint() : nil }
    guard allowsWord else { return nil }
    if let half = halfOfDay() {
      gap()
      return Joint(isAfternoon: half)
    }
    guard taken > before || isAt(UInt8(ascii: ".")), passWord() else { return nil }
    let behindWord = taken
    gap()
    return taken > behindWord && isAtDigit ? Joint() : nil
  }
}

/// The halves of the day beside an hour.
extension LogTime.Scan {
  /// A half of the day by its name, after a blank; true for the second half.
  mutating func halfOfDay() -> Bool? {
    var ahead = self
    ahead.blank()
    if let isAfternoon = ahead.latinHalf() {
      self = ahead
      return isAfternoon
    }
    guard let next = ahead.rest.first, next >= 0x80 || next == UInt8(ascii: "P"),
      let half = DayHalf.names.first(where: { ahead.rest.starts(with: $0.name) })
    else { return nil }
    ahead.drop(half.name.count)
    // "下午3:09:50" has no blank before its hour.
    guard next >= 0x80 || !ahead.isAtWord else { return nil }
    self = ahead
    return half.isAfternoon
  }

  // `AM`, `pm`, `a.m.`, `p. m.`
  private mutating func latinHalf() -> Bool? {
    guard let first = rest.first, first | 0x20 == UInt8(ascii: "a") || first | 0x20 == UInt8(ascii: "p")
    else { return nil }
    var ahead = self
    ahead.drop(1)
    let isDotted = ahead.skip(UInt8(ascii: "."))
    if isDotted { ahead.blank() }
    guard ahead.skip(UInt8(ascii: "M")) || ahead.skip(UInt8(ascii: "m")) else { return nil }
    if isDotted { _ = ahead.skip(UInt8(ascii: ".")) }
    guard !ahead.isAtWord else { return nil }
    self = ahead
    return first | 0x20 == UInt8(ascii: "p")
  }

  /// A blank, including no-break and narrow ones.
  mutating func blank() {
    if !skip(UInt8(ascii: " ")) { _ = wideBlank() }
  }

  /// U+00A0, U+2009 or U+202F.
  mutating func wideBlank() -> Bool {
    guard let first = rest.first, first == 0xC2 || first == 0xE2 else { return false }
    let next = rest.dropFirst()
    if first == 0xC2, next.first == 0xA0 {
      drop(2)
      return true
    }
    let last = next.dropFirst().first
    guard first == 0xE2, next.first == 0x80, last == 0x89 || last == 0xAF else { return false }
    drop(3)
    return true
  }

  /// Longest word between a date and its time, or beside an hour, bytes.
  private static let longestWord = 16

  /// A short word of any script: `klo`, `г.`; false if there is none.
  mutating func passWord() -> Bool {
    let word = rest.prefix(Self.longestWord + 1).prefix {
      $0.isASCIILetter || $0 >= 0x80 || $0 == UInt8(ascii: ".")
    }
    guard !word.isEmpty, word.count <= Self.longestWord else { return false }
    drop(word.count)
    return true
  }

  /// Whether a short non-Latin word follows a time, which may be a half of the day.
  var isAtForeignWord: Bool {
    var ahead = self
    ahead.blank()
    // Letters, not the dashes, arrows and bullets of U+2000 to U+2FFF, nor emoji.
    guard let lead = ahead.rest.first, lead >= 0xC3, lead <= 0xED, lead != 0xE2,
      !DayHalf.units.contains(where: { ahead.rest.starts(with: $0) })
    else { return false }
    return ahead.passWord() && !ahead.isAtWord
  }
}
