import Bytes
import CallModel

/// The timestamps of reports: milliseconds since the epoch, whatever the browser wrote.
enum ReportTime {
  /// Reads a time: a number, a number in a string, or ISO 8601; nil where it says nothing (0, null).
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
      return numberInText(text).flatMap(meaning) ?? iso8601(text)
    default:
      try scanner.skip()
      return nil
    }
  }

  /// Seconds since the epoch that a time can be, from 2001 to 2099: what is outside counts from elsewhere.
  static let seconds = 1e9..<4.1e9
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

  /// `2017-04-17T23:47:42.784Z`, with or without fraction, `Z`, ` UTC` or an offset; nil for anything else.
  static func iso8601(_ text: [UInt8]) -> Double? {
    var reader = DigitReader(text)
    guard let year = reader.number(4), reader.take("-"), let month = reader.number(2), reader.take("-"),
      let day = reader.number(2), reader.take("T") || reader.take(" "), let hour = reader.number(2),
      reader.take(":"), let minute = reader.number(2)
    else { return nil }
    guard (1...12).contains(month), (1...31).contains(day), hour < 25, minute < 60 else { return nil }
    var seconds = 0.0
    if reader.take(":") {
      guard let whole = reader.number(2) else { return nil }
      seconds = Double(whole) + (reader.take(".") ? reader.fraction() : 0)
    }
    var offset = 0
    _ = reader.take(" ")
    if reader.take("+") || reader.takeMinus() {
      guard let hours = reader.number(2) else { return nil }
      _ = reader.take(":")
      offset = (hours * 60 + (reader.number(2) ?? 0)) * (reader.wasMinus ? -1 : 1)
    } else {
      _ = reader.take("Z") || reader.take(word: "UTC") || reader.take(word: "GMT")
    }
    guard reader.isAtEnd else { return nil }
    let minutes = (CalendarDate.daysSinceEpoch(year, month, day) * 24 + hour) * 60 + minute - offset
    return Double(minutes) * 60_000 + seconds * 1000
  }
}

/// Reads digits and marks from the front of a text.
struct DigitReader {
  private let bytes: [UInt8]
  private var position = 0
  private(set) var wasMinus = false

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  /// A number of exactly so many digits.
  mutating func number(_ digits: Int) -> Int? {
    guard position + digits <= bytes.count else { return nil }
    var value = 0
    for byte in bytes[position..<(position + digits)] {
      guard byte.isASCIIDigit else { return nil }
      value = value * 10 + Int(byte - UInt8(ascii: "0"))
    }
    position += digits
    return value
  }

  /// A number of one or more digits, up to nine.
  mutating func number() -> Int? {
    let digits = bytes[position...].prefix(10).prefix(while: \.isASCIIDigit).count
    return digits > 0 && digits < 10 ? number(digits) : nil
  }

  /// Passes over one byte.
  mutating func skipByte() { if position < bytes.count { position += 1 } }

  /// Digits after a point.
  mutating func fraction() -> Double {
    var value = 0.0
    var scale = 0.1
    while position < bytes.count, bytes[position].isASCIIDigit {
      value += Double(bytes[position] - UInt8(ascii: "0")) * scale
      scale /= 10
      position += 1
    }
    return value
  }

  /// Takes a mark if it is next.
  mutating func take(_ mark: Unicode.Scalar) -> Bool {
    guard position < bytes.count, UInt32(bytes[position]) == mark.value else { return false }
    position += 1
    return true
  }

  /// Takes a word if it is next.
  mutating func take(word: StaticString) -> Bool {
    let count = word.utf8CodeUnitCount
    guard position + count <= bytes.count,
      (0..<count).allSatisfy({ bytes[position + $0] == word.utf8Start[$0] })
    else { return false }
    position += count
    return true
  }

  mutating func takeMinus() -> Bool {
    wasMinus = take("-")
    return wasMinus
  }
}
