/// Times as logs write them, in milliseconds since the Unix epoch.
enum LogTime {
  /// A number or a text in a time member: epoch milliseconds, epoch seconds, or RFC 3339. Nil where it is none of them.
  static func epochMs(_ text: String) -> Double? {
    let bytes = Array(text.utf8)
    if let number = Double(text), number.isFinite { return epochMs(number) }
    return stamp(bytes[...])?.date?.zoned
  }

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
    /// Milliseconds since midnight, for a time of day alone.
    var dayMs: Double?
    /// A date without a year: `11-21 01:55:17.337` (logcat).
    var monthDay: (month: Int, day: Int)?
  }

  /// Reads `2026-11-21T01:55:17.337Z`, `2026-11-21 01:55:17,337+0100`, `11-21 01:55:17.337`, `01:55:17.337`.
  static func stamp(_ bytes: ArraySlice<UInt8>) -> Stamp? {
    var scan = Scan(bytes)
    var year: Int?
    var month: Int?
    var day: Int?
    if let first = scan.digits(4), scan.skip(0x2D) || scan.skip(0x2F) {
      year = first
      month = scan.digits(2)
      guard scan.skip(0x2D) || scan.skip(0x2F) else { return nil }
      day = scan.digits(2)
    } else {
      scan = Scan(bytes)
      if let first = scan.digits(2), scan.skip(0x2D) {
        month = first
        day = scan.digits(2)
      } else {
        scan = Scan(bytes)
      }
    }
    if month != nil, !(scan.skip(0x54) || scan.skip(0x20) || scan.skip(0x74)) { return nil }
    guard let clock = scan.timeOfDay() else { return nil }
    guard let month, let day else { return Stamp(length: scan.taken, dayMs: clock) }
    guard (1...12).contains(month), (1...31).contains(day) else { return nil }
    guard let year else { return Stamp(length: scan.taken, dayMs: clock, monthDay: (month, day)) }
    let local = Double(days(year, month, day)) * 86_400_000 + clock
    let zone = scan.zone()
    return Stamp(length: scan.taken, date: (local, zone.map { local - $0 }))
  }

  /// Days since 1970-01-01 of a proleptic Gregorian date.
  static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let ofEra = shifted - era * 400
    let ofYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468
  }

  /// The year of a moment.
  static func year(ofMs ms: Double) -> Int {
    var year = 1970 + Int((ms / 31_556_952_000).rounded(.down))
    while Double(days(year + 1, 1, 1)) * 86_400_000 <= ms { year += 1 }
    while Double(days(year, 1, 1)) * 86_400_000 > ms { year -= 1 }
    return year
  }

  /// Reads the parts of a stamp.
  struct Scan {
    private var rest: ArraySlice<UInt8>
    private let start: Int

    init(_ bytes: ArraySlice<UInt8>) {
      rest = bytes
      start = bytes.startIndex
    }

    var taken: Int { rest.startIndex - start }

    mutating func digits(_ count: Int) -> Int? {
      guard rest.count >= count else { return nil }
      var value = 0
      for byte in rest.prefix(count) {
        guard byte >= 0x30, byte <= 0x39 else { return nil }
        value = value * 10 + Int(byte - 0x30)
      }
      rest = rest.dropFirst(count)
      return value
    }

    mutating func skip(_ byte: UInt8) -> Bool {
      guard rest.first == byte else { return false }
      rest = rest.dropFirst()
      return true
    }

    // hh:mm:ss with any number of decimals after a point or a comma.
    mutating func timeOfDay() -> Double? {
      guard let hour = digits(2), skip(0x3A), let minute = digits(2), skip(0x3A), let second = digits(2),
        hour < 24, minute < 60, second <= 60
      else { return nil }
      var ms = Double((hour * 60 + minute) * 60 + second) * 1000
      if let point = rest.first, point == 0x2E || point == 0x2C, let digit = rest.dropFirst().first,
        digit >= 0x30,
        digit <= 0x39
      {
        rest = rest.dropFirst()
        var scale = 100.0
        while let digit = digits(1) {
          ms += Double(digit) * scale
          scale /= 10
        }
      }
      return ms
    }

    // Z, +01:00, +0100, +01, with or without a space before; in milliseconds east of Greenwich.
    mutating func zone() -> Double? {
      let before = rest
      if skip(0x5A) || skip(0x7A) { return 0 }
      _ = skip(0x20)
      let west = rest.first == 0x2D
      guard west || rest.first == 0x2B else {
        rest = before
        return nil
      }
      rest = rest.dropFirst()
      guard let hours = digits(2), hours <= 14 else {
        rest = before
        return nil
      }
      _ = skip(0x3A)
      let minutes = digits(2) ?? 0
      return Double(hours * 60 + minutes) * (west ? -60_000 : 60_000)
    }
  }
}
