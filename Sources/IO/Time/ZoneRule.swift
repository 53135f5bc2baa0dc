import CallModel

/// The annual rule for clock changes of a zone, in POSIX syntax: `CET-1CEST,M3.5.0,M10.5.0/3`.
package struct ZoneRule: Sendable {
  private let standard: Int
  private let summer: (offset: Int, from: Change, until: Change)?

  /// Parses a rule; nil if it is invalid. Only the `Mm.w.d` form of days is supported, which every current zone uses.
  package init?(_ text: String) {
    var rest = text.utf8[...]
    guard Self.skipName(&rest), let west = Self.time(&rest) else { return nil }
    standard = -west
    guard !rest.isEmpty else {
      summer = nil
      return
    }
    guard Self.skipName(&rest) else { return nil }
    let summerWest = rest.first == UInt8(ascii: ",") ? west - 3600 : Self.time(&rest)
    guard let summerWest, let from = Change(&rest), let until = Change(&rest) else { return nil }
    summer = (-summerWest, from, until)
  }

  /// Seconds east of Greenwich at a time given in seconds since the epoch.
  package func offset(at seconds: Int) -> Int {
    guard let summer, let civil = CivilTime(wallMs: Double(seconds + standard) * 1000) else {
      return standard
    }
    let from = summer.from.second(year: civil.year) - standard
    let until = summer.until.second(year: civil.year) - summer.offset
    let inSummer = from < until ? seconds >= from && seconds < until : seconds >= from || seconds < until
    return inSummer ? summer.offset : standard
  }

  /// The time of a change: a weekday in a week of a month, at a local time.
  private struct Change: Sendable {
    package let month: Int
    let week: Int
    package let weekday: Int
    package let time: Int

    package init?(_ rest: inout Substring.UTF8View) {
      guard take(UInt8(ascii: ","), &rest), take(UInt8(ascii: "M"), &rest), let month = number(&rest),
        take(UInt8(ascii: "."), &rest), let week = number(&rest), take(UInt8(ascii: "."), &rest),
        let weekday = number(&rest), (1...12).contains(month), (1...5).contains(week),
        (0...6).contains(weekday)
      else { return nil }
      var time = 7200
      if take(UInt8(ascii: "/"), &rest) {
        guard let given = ZoneRule.time(&rest) else { return nil }
        time = given
      }
      (self.month, self.week, self.weekday, self.time) = (month, week, weekday, time)
    }

    /// Local time of the change in a year, in seconds since 1970-01-01T00:00.
    package func second(year: Int) -> Int {
      let first = CalendarDate.daysSinceEpoch(year, month, 1)
      let next = CalendarDate.daysSinceEpoch(month == 12 ? year + 1 : year, month == 12 ? 1 : month + 1, 1)
      // 1970-01-01 was a Thursday (4).
      let firstWeekday = ((first + 4) % 7 + 7) % 7
      var day = first + (weekday - firstWeekday + 7) % 7 + (week - 1) * 7
      while day >= next { day -= 7 }
      return day * 86_400 + time
    }
  }

  private static func skipName(_ rest: inout Substring.UTF8View) -> Bool {
    let before = rest.count
    if take(UInt8(ascii: "<"), &rest) {
      rest = rest.drop { $0 != UInt8(ascii: ">") }
      return take(UInt8(ascii: ">"), &rest)
    }
    rest = rest.drop { ($0 | 0x20) >= UInt8(ascii: "a") && ($0 | 0x20) <= UInt8(ascii: "z") }
    return before - rest.count >= 3
  }

  private static func time(_ rest: inout Substring.UTF8View) -> Int? {
    let negative = take(UInt8(ascii: "-"), &rest)
    if !negative { _ = take(UInt8(ascii: "+"), &rest) }
    guard var value = number(&rest) else { return nil }
    value *= 3600
    for unit in [60, 1] where take(UInt8(ascii: ":"), &rest) {
      guard let part = number(&rest) else { return nil }
      value += part * unit
    }
    return negative ? -value : value
  }

  private static func take(_ byte: UInt8, _ rest: inout Substring.UTF8View) -> Bool {
    guard rest.first == byte else { return false }
    rest = rest.dropFirst()
    return true
  }

  private static func number(_ rest: inout Substring.UTF8View) -> Int? {
    let digits = rest.prefix(while: \.isASCIIDigit)
    guard (1...4).contains(digits.count) else { return nil }
    rest = rest.dropFirst(digits.count)
    return Int(String(decoding: digits, as: UTF8.self))
  }
}
