import Bytes
import CallModel

/// The timestamps of reports: milliseconds since the epoch, whatever the browser wrote.
enum ReportTime {
  /// Reads a time: a number, a number in a string, or a date and time; nil where it says nothing (0, null).
  static func read(_ scanner: inout JSONScanner) throws(JSONError) -> Double? {
    try read(&scanner, normal)
  }

  /// The same of a report: what may be of another clock, or in seconds, is given as it is, for `ReportClock` to tell.
  static func readOfReport(_ scanner: inout JSONScanner) throws(JSONError) -> Double? {
    try read(&scanner, ofReport)
  }

  @inline(__always)
  private static func read(
    _ scanner: inout JSONScanner, _ meaning: (Double) -> Double?
  ) throws(JSONError) -> Double? {
    if let digit = scanner.digitAhead(), digit { return try meaning(scanner.number()) }
    switch try scanner.peek() {
    case .number: return try meaning(scanner.number())
    case .string:
      let text = try scanner.string().decoded()
      return numberInText(text).flatMap(meaning) ?? written(text)
    default:
      try scanner.skip()
      return nil
    }
  }

  /// Seconds since the epoch that a time can be, from 2001 to a year from now: what is outside counts from elsewhere, as
  /// milliseconds do since a machine was switched on a month ago.
  static let seconds = 1e9..<max(1e9, min(4.1e9, (WallClock.nowMs + ReportClock.farMs) / 1000))
  private static let milliseconds = 1e12..<4.1e12
  /// WebRTC's own C++ unit, and what databases keep.
  private static let microseconds = 1e15..<4.1e15
  private static let nanoseconds = 1e18..<4.1e18

  /// Milliseconds out of seconds, milliseconds, microseconds or nanoseconds since the epoch; smaller numbers, relative to who
  /// knows what, as they are.
  @inline(__always)
  static func normal(_ value: Double) -> Double? {
    if milliseconds.contains(value) { return value }
    return seconds.contains(value) ? value * 1000 : ofReport(value).flatMap { $0 < 1e14 ? $0 : nil }
  }

  /// The same, with seconds as they are and relative numbers of any size.
  private static func ofReport(_ value: Double) -> Double? {
    if milliseconds.contains(value) { return value }
    if microseconds.contains(value) { return value / 1000 }
    if nanoseconds.contains(value) { return value / 1_000_000 }
    return value > 0 && value < nanoseconds.upperBound ? value : nil
  }

  /// Whether a time in milliseconds is one since the epoch, not one since a page or a connection began.
  static func isEpoch(_ timeMs: Double) -> Bool { milliseconds.contains(timeMs) }

  /// Whether a text is a date and time that does not say in which zone: Python's `isoformat()` of local time.
  static func lacksZone(_ text: [UInt8]) -> Bool {
    guard let last = text.last, last.isASCIIDigit, numberInText(text) == nil else { return false }
    let behindDate = text.dropFirst("2017-04-17T".utf8.count)
    return !behindDate.contains(UInt8(ascii: "+")) && !behindDate.contains(UInt8(ascii: "-"))
      && iso8601(text) != nil
  }

  /// A date and time in a text: ISO 8601 as all its writers have it, or otherwise; nil for anything else.
  static func written(_ text: [UInt8]) -> Double? { iso8601(text) ?? WrittenTime.ms(text) }

  /// `2017-04-17T23:47:42.784Z`, with or without fraction, `Z`, ` UTC` or an offset; `2026/11/24`, `20261124T021406Z`, what Go
  /// prints (`2026-11-24 02:14:06.123 +0000 UTC`); nil for anything else.
  private static func iso8601(_ text: [UInt8]) -> Double? {
    var reader = DigitReader(text)
    guard let year = reader.number(4) else { return nil }
    let isBasic: Bool
    let month: Int
    let day: Int
    if reader.take("-") || reader.take("/") {
      let mark: Unicode.Scalar = text[4] == UInt8(ascii: "-") ? "-" : "/"
      guard let told = reader.number(2), reader.take(mark), let last = reader.number(2) else { return nil }
      (isBasic, month, day) = (false, told, last)
    } else {
      guard let told = reader.number(2), let last = reader.number(2) else { return nil }
      (isBasic, month, day) = (true, told, last)
    }
    guard reader.take("T") || !isBasic && reader.take(" "), (1...12).contains(month), (1...31).contains(day),
      let clockMs = isBasic ? reader.basicClock() : reader.clock()
    else { return nil }
    _ = reader.take(" ")
    let offset = reader.zone()
    guard reader.isAtEnd || offset != nil && reader.passZoneName() else { return nil }
    return Double(CalendarDate.daysSinceEpoch(year, month, day)) * 86_400_000 + clockMs - (offset ?? 0)
  }
}
