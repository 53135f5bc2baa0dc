import Bytes
import CallModel

/// Parses times in logs, in milliseconds since the Unix epoch.
public enum LogTime {
  /// Normalised names of members with the time in JSON lines.
  public static let memberNames = [
    "ts", "t", "time", "timestamp", "date", "datetime", "asctime", "eventtime", "logtime", "timemillis",
    "timegenerated",
  ]

  /// Seconds before the year 2286, or milliseconds after April 1970: no log of calls has a time in between.
  public static func epochMs(_ number: Double) -> Double? {
    guard number > 0, number < 1e17 else { return nil }
    if number >= 1e15 { return number / 1000 }
    // Seconds have a rounding error: rounding to microseconds makes them exact again.
    return number < 1e10 ? (number * 1e6).rounded() / 1000 : number
  }

  /// A date and time at the start of a text.
  public struct Stamp {
    /// Its length in bytes.
    public var length: Int
    /// The date, nil for a time of day alone.
    public var date: (localMs: Double, zoned: Double?)?
    /// Milliseconds since midnight, for a time of day alone, or if the date is incomplete.
    public var dayMs: Double?
    /// A date without a year: `11-21 01:55:17.337` (logcat), `Nov 21 01:55:17` (syslog).
    public var monthDay: (month: Int, day: Int)?
    /// A date with an ambiguous order of day and month: `03/04/2026`.
    public var either: (first: Int, second: Int, year: Int)?
    /// Whether the day precedes the month, if a date with slashes or hyphens shows it: `21/11/2026`.
    public var isDayFirst: Bool?
    /// Whether the year is in the Buddhist era: `21/11/2569`.
    var isBuddhist = false
    /// The zone of a time with an incomplete date, ms east of Greenwich.
    var zoneMs: Double?
    /// An ambiguous zone name: `IST`.
    var unknownZone: String?
    /// What an unknown word beside the hour may mean.
    var hourWord = HourWord.none

    /// Beside an hour of one to twelve it may be a half of the day, beside any other it is not.
    enum HourWord { case none, mayBeHalf, isNoHalf }

    /// What a clock on the wall shows, ms since midnight or since some midnight.
    var clockMs: Double? { date?.localMs ?? dayMs }

    /// A time since the epoch.
    public init(length: Int = 0, ms: Double) {
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

    /// - Parameter known: the zone, if it is written before the year.
    init?(year: Int, month: Int, day: Int, dayMs: Double, scan: inout Scan, zone known: Zone? = nil) {
      guard (1...12).contains(month), (1...31).contains(day) else { return nil }
      isBuddhist = CalendarDate.buddhistYears.contains(year)
      let year = CalendarDate.year(year)
      let local = Double(CalendarDate.daysSinceEpoch(year, month, day)) * 86_400_000 + dayMs
      let zone = known ?? scan.zone()
      length = scan.taken
      hourWord = scan.hourWord
      unknownZone = zone?.name
      date = (local, zone?.ms.map { local - $0 })
    }
  }

  /// A number or text in a time member: epoch milliseconds, epoch seconds, or a date and time; otherwise nil.
  public static func stamp(_ text: String) -> Stamp? {
    if let number = Double(text) { return number.isFinite ? epochMs(number).map { Stamp(ms: $0) } : nil }
    if text.hasPrefix("/Date(") {
      // .NET's JSON; a zone after the number is only for display.
      return Double(text.dropFirst(6).prefix { $0.isNumber }).flatMap(epochMs).map { Stamp(ms: $0) }
    }
    return stamp(Array(text.utf8)[...])
  }

  /// Reads `2026-11-21T01:55:17.337Z`, `2026-11-21 01:55:17,337+0100`, `11-21 01:55:17.337`, `01:55:17.337`, `Nov 21 01:55:17`,
  /// `Sat Nov 21 2026 01:55:17 GMT+0100`, `Sat Nov 21 01:55:17 CET 2026`, `Nov 21, 2026 @ 01:55:17.337`,
  /// `21/Nov/2026:01:55:17 +0100`, `1121/015517.337`; and numeric dates of all locales: `21.11.2026 01:55:17`,
  /// `11/21/2026, 1:55:17 AM`, `21. 11. 2026 01:55:17`, `01:55:17 21/11/2026`.
  public static func stamp(_ bytes: ArraySlice<UInt8>) -> Stamp? {
    guard let first = bytes.first else { return nil }
    guard first.isASCIIDigit else { return (first | 0x20) >= UInt8(ascii: "a") ? named(bytes) : nil }
    return numbered(bytes) ?? named(bytes) ?? packed(bytes)
  }

  /// Reads `1121/015517.337`, optionally with microseconds: Chromium's local time.
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
    // In ctime's form the year is last; in that of Java's Date, after the zone.
    var behind = scan
    let zone = behind.zone(isSure: true) ?? (hasWeekday ? behind.namedZone(allowsAny: true) : nil)
    behind.gap()
    if let year = behind.digits(4), (1970...9999).contains(year), behind.isAtGap {
      return Stamp(year: year, month: month, day: day, dayMs: clock, scan: &behind, zone: zone)
    }
    return Stamp(scan, dayMs: clock, monthDay: (month, day))
  }

  /// The year of a time.
  static func year(ofMs ms: Double) -> Int {
    var year = 1970 + Int((ms / 31_556_952_000).rounded(.down))
    while Double(CalendarDate.daysSinceEpoch(year + 1, 1, 1)) * 86_400_000 <= ms { year += 1 }
    while Double(CalendarDate.daysSinceEpoch(year, 1, 1)) * 86_400_000 > ms { year -= 1 }
    return year
  }
}

extension LogTime {
  /// Log4j's `{"epochSecond":1795168800,"nanoOfSecond":123000000}` in milliseconds; nil if it is not that.
  public static func instantMs(_ json: UnsafeBufferPointer<UInt8>) -> String? {
    guard json.first == UInt8(ascii: "{"), json.count <= 128, let members = try? LogArguments(object: json),
      let seconds = members.text("epochSecond").flatMap(Double.init),
      let nanoseconds = members.text("nanoOfSecond").flatMap(Double.init)
    else { return nil }
    var out = ByteWriter()
    out.append(seconds * 1000 + (nanoseconds / 1e6).rounded())
    return out.string
  }
}

extension LogTime {
  /// A time in ISO 8601, in UTC, to the millisecond.
  public static func text(ofMs ms: Double) -> String {
    let whole = min(max(ms.rounded(), 0), 4e15)
    let day = (whole / 86_400_000).rounded(.down)
    var rest = Int(whole - day * 86_400_000)
    let year = year(ofMs: whole)
    var days = Int(day) - CalendarDate.daysSinceEpoch(year, 1, 1)
    var month = 1
    while month < 12 {
      let length =
        CalendarDate.daysSinceEpoch(year, month + 1, 1) - CalendarDate.daysSinceEpoch(year, month, 1)
      if days < length { break }
      days -= length
      month += 1
    }
    func padded(_ number: Int, _ width: Int) -> String {
      let digits = String(number)
      return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
    let milliseconds = rest % 1000
    rest /= 1000
    return
      "\(padded(year, 4))-\(padded(month, 2))-\(padded(days + 1, 2))T\(padded(rest / 3600, 2)):\(padded(rest / 60 % 60, 2))"
      + ":\(padded(rest % 60, 2)).\(padded(milliseconds, 3))Z"
  }
}

/// Names of months in the languages of programs.
extension LogTime {
  // Abbreviated names (CLDR, months, abbreviated) without their points: English, German, French, Spanish, Italian,
  // Portuguese, Dutch, Russian.
  private static let monthNames = [
    "jan janv ene gen j\u{E4}n \u{44F}\u{43D}\u{432}", "feb f\u{E9}vr fev \u{444}\u{435}\u{432}\u{440}",
    "mar m\u{E4}rz m\u{E4}r mrz mars mrt \u{43C}\u{430}\u{440}", "apr avr abr \u{430}\u{43F}\u{440}",
    "may mai mag mei \u{43C}\u{430}\u{44F}", "jun juni juin giu \u{438}\u{44E}\u{43D}",
    "jul juli juil lug \u{438}\u{44E}\u{43B}", "aug ao\u{FB}t ago \u{430}\u{432}\u{433}",
    "sep sept set \u{441}\u{435}\u{43D}\u{442}", "oct okt ott out \u{43E}\u{43A}\u{442}",
    "nov \u{43D}\u{43E}\u{44F}\u{431}", "dec dez d\u{E9}c dic \u{434}\u{435}\u{43A}",
  ]

  /// Months by the lower-cased bytes of their names, at most eight.
  fileprivate static let months: [UInt64: Int] = {
    var months: [UInt64: Int] = [:]
    for (index, names) in monthNames.enumerated() {
      for name in names.split(separator: " ") { months[key(of: name.utf8)] = index + 1 }
    }
    return months
  }()

  fileprivate static func key(of name: some Sequence<UInt8>) -> UInt64 {
    name.reduce(0) { $0 << 8 | UInt64($1.asciiLowercased) }
  }
}

extension LogTime.Scan {
  /// A month by its abbreviated name, with or without a point.
  mutating func month() -> Int? {
    let word = rest.prefix(9).prefix { $0.isASCIILetter || $0 >= 0x80 }
    guard (3...8).contains(word.count), word.endIndex < rest.endIndex,
      let month = LogTime.months[LogTime.key(of: word)]
    else { return nil }
    drop(word.count)
    _ = skip(UInt8(ascii: "."))
    return month
  }
}

/// Time zones in logs.
extension LogTime {
  /// The zone of a time in a log.
  enum Zone {
    /// East of Greenwich, ms.
    case known(Double)
    /// A name with several meanings, or an unknown one.
    case unknown(String)

    var ms: Double? { if case .known(let ms) = self { ms } else { nil } }
    var name: String? { if case .unknown(let name) = self { name } else { nil } }
  }

  /// Unambiguous zone names: those of RFC 5322 4.3 except CST, and those of the tz database with a single offset. In
  /// hours.
  fileprivate static let zones: [String: Double] = [
    "EST": -5, "EDT": -4, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7, "AKST": -9, "AKDT": -8,
    "HST": -10, "WET": 0, "WEST": 1, "CET": 1, "CEST": 2, "MET": 1, "MEST": 2, "MEZ": 1, "MESZ": 2, "EET": 2,
    "EEST": 3, "MSK": 3, "SAST": 2, "PKT": 5, "WIB": 7, "HKT": 8, "SGT": 8, "JST": 9, "KST": 9, "AWST": 8,
    "ACST": 9.5, "ACDT": 10.5, "AEST": 10, "AEDT": 11, "NZST": 12, "NZDT": 13, "BRT": -3,
  ]

  /// Ambiguous names: India, Ireland and Israel; America and China; Britain and Bangladesh; Arabia and the Atlantic.
  fileprivate static let sharedZones: Set<String> = ["IST", "CST", "BST", "AST", "ADT", "GST", "SST"]
}

extension LogTime.Scan {
  /// Z, +01:00, +0100, +01, GMT, UTC, GMT+0100, GMT+1, CET, with or without a space before.
  /// - Parameter isSure: whether to accept only unambiguous forms, as after a time of day: not `-12`.
  mutating func zone(isSure: Bool = false) -> LogTime.Zone? {
    let begin = self
    if skip(UInt8(ascii: "Z")) || skip(UInt8(ascii: "z")) {
      if !isSure || !isAtWord { return .known(0) }
      self = begin
      return nil
    }
    _ = skip(UInt8(ascii: " "))
    let isNamed = rest.starts(with: "GMT".utf8) || rest.starts(with: "UTC".utf8)
    if isNamed { drop(3) }
    let west = isAt(UInt8(ascii: "-"))
    guard west || isAt(UInt8(ascii: "+")) else {
      if isNamed, !isSure || !isAtWord { return .known(0) }
      self = begin
      return namedZone()
    }
    drop(1)
    guard let hours = digits(2) ?? (isNamed ? digits(1) : nil), hours <= 14 else {
      self = begin
      return nil
    }
    _ = skip(UInt8(ascii: ":"))
    let minutes = digits(2)
    if isSure, !isNamed, minutes.map({ !$0.isMultiple(of: 15) }) ?? true || isAtWord {
      self = begin
      return nil
    }
    return .known(Double(hours * 60 + (minutes ?? 0)) * (west ? -60_000 : 60_000))
  }

  /// A zone by its name; also an unknown one if a year must follow.
  mutating func namedZone(allowsAny: Bool = false) -> LogTime.Zone? {
    var ahead = self
    _ = ahead.skip(UInt8(ascii: " "))
    let word = ahead.rest.prefix(6).prefix(while: \.isASCIICapital)
    guard (3...5).contains(word.count) else { return nil }
    ahead.drop(word.count)
    guard !ahead.isAtWord, !ahead.isAt(UInt8(ascii: "_")), !ahead.isAt(UInt8(ascii: "=")) else { return nil }
    let name = String(decoding: word, as: UTF8.self)
    let zone: LogTime.Zone
    if let hours = LogTime.zones[name] {
      zone = .known(hours * 3_600_000)
    } else if allowsAny || LogTime.sharedZones.contains(name) {
      zone = .unknown(name)
    } else {
      return nil
    }
    self = ahead
    return zone
  }
}
