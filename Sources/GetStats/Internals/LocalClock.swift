import CallModel

/// Reads times as browsers print them for people: `11/5/2020, 9:34:11 PM`, `08/11/2020, 10:58:45`, `5.11.2020, 21:34:11`.
///
/// Which of day and month comes first, and what zone it is, the first poll decides: of the two readings the nearer one, of zones the
/// one that brings it within a quarter of an hour.
struct LocalClock {
  private let isMonthFirst: Bool
  /// What local time is ahead of UTC.
  let offsetMinutes: Int

  /// Nil where no time can be read, or nothing tells the zone.
  init?(_ times: [[UInt8]], firstPollMs: Double?) {
    guard let first = times.first, let firstPollMs else { return nil }
    if let absolute = Self.absolute(first) {
      isMonthFirst = true
      offsetMinutes = absolute.offsetMinutes
      return
    }
    // A number above 12 anywhere settles the order for all.
    let parsed = times.compactMap(LocalTime.init)
    let dayFirst = parsed.contains { !$0.isYearFirst && $0.date.0 > 12 }
    let monthFirst = parsed.contains { !$0.isYearFirst && $0.date.1 > 12 }
    guard let time = LocalTime(first) else { return nil }
    let readings = [true, false].filter { $0 ? !dayFirst : !monthFirst }
    let nearest = readings.compactMap { order in time.epochMs(isMonthFirst: order).map { (order, $0) } }
      .min { abs($0.1 - firstPollMs) < abs($1.1 - firstPollMs) }
    guard let (order, localMs) = nearest, abs(localMs - firstPollMs) < 16 * 3_600_000 else { return nil }
    isMonthFirst = order
    offsetMinutes = Int(ZoneOffset.nearest(toMs: localMs - firstPollMs) / 60_000)
  }

  /// The time by the epoch, nil where the text is none.
  func epochMs(_ text: [UInt8]) -> Double? {
    if let absolute = Self.absolute(text) { return absolute.epochMs }
    return LocalTime(text)?.epochMs(isMonthFirst: isMonthFirst).map { $0 - Double(offsetMinutes) * 60_000 }
  }

  /// `Thu Nov 05 2020 21:34:11 GMT+0300 (…)`: JavaScript's `Date.toString()`, which has a zone.
  private static func absolute(_ text: [UInt8]) -> (epochMs: Double, offsetMinutes: Int)? {
    let words = String(decoding: text, as: UTF8.self).split(separator: " ")
    guard words.count >= 6, let month = CalendarDate.months.firstIndex(where: { $0.description == words[1] }),
      let day = Int(words[2]),
      let year = Int(words[3]), words[5].hasPrefix("GMT"), let zone = Int(words[5].dropFirst(3)),
      (1...31).contains(day), (1970...9999).contains(year)
    else { return nil }
    let clock = words[4].split(separator: ":").compactMap { Int($0) }
    guard clock.count == 3, clock.allSatisfy({ (0...60).contains($0) }), (-1600...1600).contains(zone)
    else { return nil }
    let offset = zone / 100 * 60 + zone % 100
    let minutes = (CalendarDate.daysSinceEpoch(year, month + 1, day) * 24 + clock[0]) * 60 + clock[1] - offset
    return (Double(minutes * 60 + clock[2]) * 1000, offset)
  }
}

/// The numbers of a printed time, whose order is not known yet.
struct LocalTime {
  /// Day and month, in the order written.
  let date: (Int, Int)
  let year: Int
  let isYearFirst: Bool
  private let seconds: Int

  init?(_ text: [UInt8]) {
    var numbers: [Int] = []
    var reader = DigitReader(text)
    while !reader.isAtEnd, numbers.count < 6 {
      if let number = reader.number() { numbers.append(number) } else { reader.skipByte() }
    }
    guard numbers.count >= 5 else { return nil }
    isYearFirst = numbers[0] > 31
    year = isYearFirst ? numbers[0] : numbers[2]
    date = isYearFirst ? (numbers[1], numbers[2]) : (numbers[0], numbers[1])
    let letters = String(decoding: text, as: UTF8.self).lowercased().filter { $0.isLetter }
    let isAfternoon = letters.hasSuffix("pm") || letters.contains("下午") || letters.contains("오후")
    let isMorning = letters.hasSuffix("am") || letters.contains("上午") || letters.contains("오전")
    var hour = numbers[3]
    if isAfternoon, hour < 12 { hour += 12 }
    if isMorning, hour == 12 { hour = 0 }
    seconds = hour * 3600 + numbers[4] * 60 + (numbers.count > 5 ? numbers[5] : 0)
    guard (1970...9999).contains(year), hour < 25, numbers[4] < 60 else { return nil }
  }

  /// Milliseconds since the epoch as if the zone were UTC, nil if there is no such date.
  func epochMs(isMonthFirst: Bool) -> Double? {
    let (month, day) = isYearFirst || isMonthFirst ? date : (date.1, date.0)
    guard (1...12).contains(month), (1...31).contains(day) else { return nil }
    return Double(CalendarDate.daysSinceEpoch(year, month, day) * 86_400 + seconds) * 1000
  }
}
