import CallModel

/// Reads times as browsers print them for people: `11/5/2020, 9:34:11 PM`, `08/11/2020, 10:58:45`, `5.11.2020, 21:34:11`,
/// `08:54:26 21/11/2026`.
///
/// Which of day and month comes first, and what zone it is, the first poll decides: of the two readings the nearer one, of zones the
/// one that brings it within a quarter of an hour.
struct LocalClock {
  private let isMonthFirst: Bool
  /// What local time is ahead of UTC.
  let offsetMinutes: Int
  /// What was taken for granted in reading them.
  private(set) var notes: [String] = []

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
    if parsed.contains(where: \.isBuddhist) { notes.append(CalendarDate.buddhistNote) }
    if parsed.contains(where: \.mayTellHalf), !parsed.contains(where: \.isOnWholeDay) {
      notes.append(DayHalf.unknown)
    }
    isMonthFirst = order
    offsetMinutes = Int(ZoneOffset.nearest(toMs: localMs - firstPollMs) / 60_000)
  }

  /// Whether any of the texts is a time.
  static func canRead(_ times: [[UInt8]]) -> Bool {
    times.contains { absolute($0) != nil || LocalTime($0) != nil }
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
