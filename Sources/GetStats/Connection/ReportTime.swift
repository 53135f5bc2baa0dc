import Bytes
import CallModel

/// The timestamps of reports: milliseconds since the epoch, whatever the browser wrote.
enum ReportTime {
  /// Reads a timestamp: a number, a number in a string, or ISO 8601; nil where it says nothing (0, null).
  static func read(_ scanner: inout JSONScanner) throws(JSONError) -> Double? {
    if let digit = scanner.digitAhead(), digit { return try normal(scanner.number()) }
    switch try scanner.peek() {
    case .number: return try normal(scanner.number())
    case .string:
      let text = try scanner.string().decoded()
      return numberInText(text).flatMap(normal) ?? iso8601(text)
    default:
      try scanner.skip()
      return nil
    }
  }

  /// Milliseconds out of what may be seconds, milliseconds or microseconds; small numbers, relative to who knows what, as they are.
  @inline(__always)
  static func normal(_ value: Double) -> Double? {
    if value > 1e11, value < 1e14 { return value }
    return oddUnit(value)
  }

  private static func oddUnit(_ value: Double) -> Double? {
    switch value {
    case 1e14..<1e17: value / 1000  // Microseconds: WebRTC's own C++ unit.
    case 1e9..<1e11: value * 1000  // Seconds, from 2001 on.
    case 0..<1e9 where value > 0: value
    default: nil
    }
  }

  /// Whether a time is one since the epoch (after 1973), not one since a page or a connection began.
  static func isEpoch(_ timeMs: Double) -> Bool { timeMs > 1e11 }

  /// `2017-04-17T23:47:42.784Z`, with or without fraction, `Z` or an offset; nil for anything else.
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
    if reader.take("+") || reader.takeMinus() {
      guard let hours = reader.number(2) else { return nil }
      _ = reader.take(":")
      offset = (hours * 60 + (reader.number(2) ?? 0)) * (reader.wasMinus ? -1 : 1)
    } else {
      _ = reader.take("Z")
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
      guard byte &- 0x30 <= 9 else { return nil }
      value = value * 10 + Int(byte - 0x30)
    }
    position += digits
    return value
  }

  /// A number of one or more digits, up to nine.
  mutating func number() -> Int? {
    let digits = bytes[position...].prefix(10).prefix { $0 &- 0x30 <= 9 }.count
    return digits > 0 && digits < 10 ? number(digits) : nil
  }

  /// Passes over one byte.
  mutating func skipByte() { if position < bytes.count { position += 1 } }

  /// Digits after a point.
  mutating func fraction() -> Double {
    var value = 0.0
    var scale = 0.1
    while position < bytes.count, bytes[position] &- 0x30 <= 9 {
      value += Double(bytes[position] - 0x30) * scale
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

  mutating func takeMinus() -> Bool {
    wasMinus = take("-")
    return wasMinus
  }
}
