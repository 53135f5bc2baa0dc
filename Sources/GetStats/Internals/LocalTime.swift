import CallModel

/// The numbers of a printed time, whose order is not known yet.
struct LocalTime {
  /// Day and month, in the order written.
  let date: (Int, Int)
  let year: Int
  let isYearFirst: Bool
  let isBuddhist: Bool
  /// Whether a word beside the hour may name the half of the day, and none that is known; and whether the hour shows that none does.
  let mayTellHalf: Bool
  let isOnWholeDay: Bool
  private let seconds: Int

  init?(_ text: [UInt8]) {
    var numbers: [Int] = []
    var reader = DigitReader(text)
    while !reader.isAtEnd, numbers.count < 6 {
      if let number = reader.number() { numbers.append(number) } else { reader.skipByte() }
    }
    // The number that is no day, month or hour is the year: the time stands on the other side of the date.
    guard numbers.count >= 5, let place = numbers.firstIndex(where: { $0 > 60 }) else { return nil }
    let isDateLast = place > 2
    let day = isDateLast ? Array(numbers.suffix(3)) : Array(numbers.prefix(3))
    let clock = isDateLast ? Array(numbers.dropLast(3)) : Array(numbers.dropFirst(3))
    isYearFirst = day[0] > 60
    guard isYearFirst || day[2] > 60 else { return nil }
    let told = isYearFirst ? day[0] : day[2]
    isBuddhist = CalendarDate.buddhistYears.contains(told)
    year = CalendarDate.year(told)
    date = isYearFirst ? (day[1], day[2]) : (day[0], day[1])
    let half = Self.isAfternoon(text)
    var hour = clock[0]
    isOnWholeDay = !(1...12).contains(hour)
    mayTellHalf = half == nil && Self.hasWord(text)
    if half == true, hour < 12 { hour += 12 }
    if half == false, hour == 12 { hour = 0 }
    seconds = hour * 3600 + clock[1] * 60 + (clock.count > 2 ? clock[2] : 0)
    guard (1970...9999).contains(year), hour < 25, clock[1] < 60 else { return nil }
  }

  /// The half of the day, where a word that is known names it.
  private static func isAfternoon(_ text: [UInt8]) -> Bool? {
    let letters = String(decoding: text, as: UTF8.self).lowercased().filter(\.isLetter)
    if letters.hasSuffix("pm") { return true }
    if letters.hasSuffix("am") { return false }
    // The longer word first: one may be a part of another.
    let names = DayHalf.names.sorted { $0.name.count > $1.name.count }
    return names.first { letters.contains(Self.letters($0.name)) }?.isAfternoon
  }

  /// Whether a word of another script stands in the text that is no unit of time.
  private static func hasWord(_ text: [UInt8]) -> Bool {
    let units = DayHalf.units.map(letters)
    return String(decoding: text, as: UTF8.self).lowercased().split { !$0.isLetter }
      .contains { word in !word.allSatisfy(\.isASCII) && !units.contains(String(word)) }
  }

  private static func letters(_ name: [UInt8]) -> String {
    String(decoding: name, as: UTF8.self).lowercased().filter(\.isLetter)
  }

  /// Milliseconds since the epoch as if the zone were UTC, nil if there is no such date.
  func epochMs(isMonthFirst: Bool) -> Double? {
    let (month, day) = isYearFirst || isMonthFirst ? date : (date.1, date.0)
    guard (1...12).contains(month), (1...31).contains(day) else { return nil }
    return Double(CalendarDate.daysSinceEpoch(year, month, day) * 86_400 + seconds) * 1000
  }
}
