import Bytes
import CallModel

/// Times as logs write them, in milliseconds since the Unix epoch.
enum LogTime {
  /// Seconds before the year 2286, milliseconds after April 1970: between them lies nothing that a log of calls can hold.
  static func epochMs(_ number: Double) -> Double? {
    guard number > 0, number < 1e17 else { return nil }
    if number >= 1e15 { return number / 1000 }
    // Seconds carry a rounding error of their own: to the microsecond they are exact again.
    return number < 1e10 ? (number * 1e6).rounded() / 1000 : number
  }

  /// A date and time at the head of a text.
  struct Stamp {
    /// Bytes it took, without what follows it.
    var length: Int
    /// The date, nil for a time of day alone.
    var date: (localMs: Double, zoned: Double?)?
    /// Milliseconds since midnight, for a time of day alone, or where the date is not whole.
    var dayMs: Double?
    /// A date without a year: `11-21 01:55:17.337` (logcat), `Nov 21 01:55:17` (syslog).
    var monthDay: (month: Int, day: Int)?
    /// A date that does not say which of two numbers is the day: `03/04/2026`.
    var either: (first: Int, second: Int, year: Int)?
    /// Whether the day stands before the month, where a date with slashes or hyphens says so: `21/11/2026`.
    var isDayFirst: Bool?
    /// Whether the year was told in the Buddhist era: `21/11/2569`.
    var isBuddhist = false
    /// The zone that stands beside a time without a whole date, ms east of Greenwich.
    var zoneMs: Double?
    /// The name of a zone that does not tell which it is: `IST`.
    var unknownZone: String?
    /// What a word beside the hour tells of it, where it is none that is known.
    var hourWord = HourWord.none

    /// Beside an hour of one to twelve a word may name the half of the day; beside any other it does not.
    enum HourWord { case none, mayBeHalf, isNoHalf }

    /// A moment.
    init(length: Int = 0, ms: Double) {
      self.length = length
      date = (ms, ms)
    }

    init(length: Int, dayMs: Double, monthDay: (month: Int, day: Int)? = nil) {
      self.length = length
      self.dayMs = dayMs
      self.monthDay = monthDay
    }

    init(_ scan: Scan, dayMs: Double, monthDay: (month: Int, day: Int)? = nil) {
      var scan = scan
      let zone = scan.zone(isSure: true)
      self.init(length: scan.taken, dayMs: dayMs, monthDay: monthDay)
      (zoneMs, unknownZone) = (zone?.ms, zone?.name)
      hourWord = scan.hourWord
    }

    /// - Parameter told: the zone, where it stands before the year.
    init?(year: Int, month: Int, day: Int, dayMs: Double, scan: inout Scan, zone told: Zone? = nil) {
      guard (1...12).contains(month), (1...31).contains(day) else { return nil }
      isBuddhist = CalendarDate.buddhistYears.contains(year)
      let year = CalendarDate.year(year)
      let local = Double(CalendarDate.daysSinceEpoch(year, month, day)) * 86_400_000 + dayMs
      let zone = told ?? scan.zone()
      length = scan.taken
      hourWord = scan.hourWord
      unknownZone = zone?.name
      date = (local, zone?.ms.map { local - $0 })
    }
  }

  /// A number or a text in a time member: epoch milliseconds, epoch seconds, or a date and time. Nil where it is none of them.
  static func stamp(_ text: String) -> Stamp? {
    if let number = Double(text) { return number.isFinite ? epochMs(number).map { Stamp(ms: $0) } : nil }
    if text.hasPrefix("/Date(") {
      // .NET's JSON; a zone behind the number is only how to show it.
      return Double(text.dropFirst(6).prefix { $0.isNumber }).flatMap(epochMs).map { Stamp(ms: $0) }
    }
    return stamp(Array(text.utf8)[...])
  }

  /// Reads `2026-11-21T01:55:17.337Z`, `2026-11-21 01:55:17,337+0100`, `11-21 01:55:17.337`, `01:55:17.337`, `Nov 21 01:55:17`,
  /// `Sat Nov 21 2026 01:55:17 GMT+0100`, `Sat Nov 21 01:55:17 CET 2026`, `Nov 21, 2026 @ 01:55:17.337`,
  /// `21/Nov/2026:01:55:17 +0100`, `1121/015517.337`; and dates in digits as the world writes them: `21.11.2026 01:55:17`, `11/21/2026, 1:55:17 AM`, `21. 11. 2026 01:55:17`, `01:55:17 21/11/2026`.
  static func stamp(_ bytes: ArraySlice<UInt8>) -> Stamp? {
    guard let first = bytes.first else { return nil }
    guard first.isASCIIDigit else { return (first | 0x20) >= UInt8(ascii: "a") ? named(bytes) : nil }
    return numbered(bytes) ?? named(bytes) ?? packed(bytes)
  }

  /// Reads `1121/015517.337`, or with microseconds: Chromium's, in local time.
  static func packed(_ bytes: ArraySlice<UInt8>) -> Stamp? {
    var scan = Scan(bytes)
    guard let month = scan.digits(2), let day = scan.digits(2), (1...12).contains(month),
      (1...31).contains(day),
      scan.skip(UInt8(ascii: "/")), let clock = scan.packedTimeOfDay()
    else { return nil }
    return Stamp(length: scan.taken, dayMs: clock, monthDay: (month, day))
  }

  // The month by its name: `Nov 21 01:55:17`, `Sat Nov 21 2026 01:55:17`, `Sat, 21 Nov 2026 01:55:17`, `21/Nov/2026:01:55:17`,
  // `Nov 21, 2026 @ 01:55:17`.
  private static func named(_ bytes: ArraySlice<UInt8>) -> Stamp? {
    var scan = Scan(bytes)
    let hasWeekday = scan.weekday()
    if hasWeekday { scan.gap() }
    var month = scan.month()
    if month != nil { scan.gap() }
    guard let day = scan.digits(upTo: 2) else { return nil }
    if month == nil { _ = scan.skip(UInt8(ascii: ".")) }
    scan.gap()
    if month == nil {
      month = scan.month()
      scan.gap()
    }
    guard let month else { return nil }
    let before = scan
    if let year = scan.digits(4) {
      scan.gap()
      if scan.skip(UInt8(ascii: "@")) { scan.gap() }
      guard let clock = scan.timeOfDay() else { return nil }
      return Stamp(year: year, month: month, day: day, dayMs: clock, scan: &scan)
    }
    scan = before
    guard let clock = scan.timeOfDay(), (1...31).contains(day) else { return nil }
    // As ctime writes it, the year comes last; as Java's Date does, behind the zone.
    var behind = scan
    let zone = behind.zone(isSure: true) ?? (hasWeekday ? behind.namedZone(allowsAny: true) : nil)
    behind.gap()
    if let year = behind.digits(4), (1970...9999).contains(year), behind.isAtGap {
      return Stamp(year: year, month: month, day: day, dayMs: clock, scan: &behind, zone: zone)
    }
    return Stamp(scan, dayMs: clock, monthDay: (month, day))
  }

  /// The year of a moment.
  static func year(ofMs ms: Double) -> Int {
    var year = 1970 + Int((ms / 31_556_952_000).rounded(.down))
    while Double(CalendarDate.daysSinceEpoch(year + 1, 1, 1)) * 86_400_000 <= ms { year += 1 }
    while Double(CalendarDate.daysSinceEpoch(year, 1, 1)) * 86_400_000 > ms { year -= 1 }
    return year
  }
}
