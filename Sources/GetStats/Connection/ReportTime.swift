import Bytes
import CallModel
import Glibc
import IO

/// Parses the timestamps of reports to milliseconds since the epoch, whatever the browser wrote.
enum ReportTime {
  /// Reads a time: a number, a number in a string, or a date and time; nil for placeholders (0, null).
  static func read(_ scanner: inout JSONScanner) throws(JSONError) -> Double? {
    try read(&scanner, normal)
  }

  /// The same for a report: times that may be from another clock, or in seconds, are returned unchanged, for
  /// `ReportClock`.
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

  /// The time since the epoch of a number in a text; nil for anything else, such as a local time.
  static func moment(_ text: [UInt8]) -> Double? {
    numberInText(text).flatMap(normal).flatMap { isEpoch($0) ? $0 : nil }
  }

  /// Plausible seconds since the epoch, from 2001 to a year from now: other numbers count from another start, such as
  /// milliseconds since a boot a month ago.
  static let seconds = 1e9..<max(1e9, min(4.1e9, (WallClock.nowMs + ReportClock.farMs) / 1000))
  private static let milliseconds = 1e12..<4.1e12
  /// The unit of WebRTC's C++ code, and of databases.
  private static let microseconds = 1e15..<4.1e15
  private static let nanoseconds = 1e18..<4.1e18

  /// Converts seconds, milliseconds, microseconds or nanoseconds since the epoch to milliseconds; smaller numbers,
  /// relative to an unknown start, are unchanged.
  @inline(__always)
  static func normal(_ value: Double) -> Double? {
    if milliseconds.contains(value) { return value }
    return seconds.contains(value) ? value * 1000 : ofReport(value).flatMap { $0 < 1e14 ? $0 : nil }
  }

  /// The same, with seconds and relative numbers of any size unchanged.
  private static func ofReport(_ value: Double) -> Double? {
    if milliseconds.contains(value) { return value }
    if microseconds.contains(value) { return value / 1000 }
    if nanoseconds.contains(value) { return value / 1_000_000 }
    return value > 0 && value < nanoseconds.upperBound ? value : nil
  }

  /// Whether a time in milliseconds is since the epoch, rather than since the start of a page or connection.
  static func isEpoch(_ timeMs: Double) -> Bool { milliseconds.contains(timeMs) }

  /// Whether a text is a date and time without a zone: Python's `isoformat()` of local time.
  static func lacksZone(_ text: [UInt8]) -> Bool {
    guard let last = text.last, last.isASCIIDigit, numberInText(text) == nil else { return false }
    let behindDate = text.dropFirst("2017-04-17T".utf8.count)
    return !behindDate.contains(UInt8(ascii: "+")) && !behindDate.contains(UInt8(ascii: "-"))
      && iso8601(text) != nil
  }

  /// A date and time in ISO 8601 as written in practice, or in another form; nil for anything else.
  static func written(_ text: [UInt8]) -> Double? { iso8601(text) ?? DateText.ms(text) }

  /// `2017-04-17T23:47:42.784Z`, with or without fraction, `Z`, ` UTC` or an offset; `2026/11/24`, `20261124T021406Z`,
  /// Go's form (`2026-11-24 02:14:06.123 +0000 UTC`); nil for anything else.
  private static func iso8601(_ text: [UInt8]) -> Double? {
    var reader = DigitReader(text)
    guard let year = reader.number(4) else { return nil }
    let isBasic: Bool
    let month: Int
    let day: Int
    if reader.take("-") || reader.take("/") {
      let mark: Unicode.Scalar = text[4] == UInt8(ascii: "-") ? "-" : "/"
      guard let first = reader.number(2), reader.take(mark), let last = reader.number(2) else { return nil }
      (isBasic, month, day) = (false, first, last)
    } else {
      guard let first = reader.number(2), let last = reader.number(2) else { return nil }
      (isBasic, month, day) = (true, first, last)
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

/// Dates in forms other than ISO 8601.
enum DateText {
  /// A date and time with a zone, in milliseconds since the epoch; nil for anything else.
  static func ms(_ text: [UInt8]) -> Double? {
    guard let first = text.first else { return nil }
    return first == UInt8(ascii: "/") ? dotNet(text) : named(text)
  }

  /// `/Date(1700000000000)/` and `/Date(1700000000000+0100)/` of .NET's JSON; the zone is only for display.
  private static func dotNet(_ text: [UInt8]) -> Double? {
    var reader = DigitReader(text)
    guard reader.take(word: "/Date("), let ms = reader.long() else { return nil }
    if reader.take("+") || reader.take("-") { guard reader.number(4) != nil else { return nil } }
    guard reader.take(word: ")/"), reader.isAtEnd else { return nil }
    return ms
  }

  /// `Tue, 24 Nov 2026 02:14:06 GMT` (RFC 1123), `Tue Nov 24 2026 02:14:06 GMT+0100 (CET)` (JavaScript).
  private static func named(_ text: [UInt8]) -> Double? {
    var reader = DigitReader(text)
    if let name = reader.name(), !(1...12).contains(month(name)) {
      _ = reader.take(",")
      guard reader.take(" ") else { return nil }
    } else {
      reader = DigitReader(text)
    }
    var month = reader.name().map(month)
    if month != nil, !reader.take(" ") { return nil }
    guard let day = reader.number(), reader.take(" ") else { return nil }
    if month == nil {
      month = reader.name().map(Self.month)
      guard reader.take(" ") else { return nil }
    }
    guard let month, (1...12).contains(month), (1...31).contains(day), let year = reader.number(4),
      reader.take(" "), let clockMs = reader.clock(), reader.take(" "), let offset = reader.zone(),
      reader.passZoneName()
    else { return nil }
    return Double(CalendarDate.daysSinceEpoch(year, month, day)) * 86_400_000 + clockMs - offset
  }

  /// 1 to 12; 0 if it is not the name of a month.
  private static func month(_ name: ArraySlice<UInt8>) -> Int {
    let place = CalendarDate.months.firstIndex { month in
      name.count == 3 && name.elementsEqual(UnsafeBufferPointer(start: month.utf8Start, count: 3))
    }
    return place.map { $0 + 1 } ?? 0
  }
}

/// Caches the last time with its text: most reports of a snapshot have the same.
final class TimeCache {
  private var written = CachedBytes()
  private var time: Double?
  /// Whether any time had no zone.
  private(set) var lacksZone = false

  /// Reads a report's time as `ReportTime` does.
  func read(_ scanner: inout JSONScanner) throws(JSONError) -> Double? {
    let start = scanner.position
    if let place = written.bytes.baseAddress, scanner.pass(place, written.count) {
      // A number that is longer is a different one.
      if scanner.isAtMark() { return time }
      scanner.position = start
    }
    if !lacksZone, try scanner.peek() == .string {
      var ahead = scanner
      lacksZone = try ReportTime.lacksZone(ahead.string().decoded())
    }
    let read = try ReportTime.readOfReport(&scanner)
    written.set(UnsafeBufferPointer(rebasing: scanner.bytes[start..<scanner.position]))
    time = read
    return read
  }
}

/// Bytes with one owner, compared often. Each access to an array in an object retains and releases it, which in a loop
/// over reports costs more than the comparison.
struct CachedBytes: ~Copyable {
  /// The used length, the capacity, then the bytes; nil until first set.
  private var place: UnsafeMutableRawPointer?
  private static let head = 2 * MemoryLayout<Int>.size

  init() {}

  deinit { place?.deallocate() }

  /// The bytes in place; valid until the next `set`.
  var bytes: UnsafeBufferPointer<UInt8> {
    guard let place else { return UnsafeBufferPointer(start: nil, count: 0) }
    return UnsafeBufferPointer(
      start: (place + Self.head).assumingMemoryBound(to: UInt8.self), count: place.load(as: Int.self))
  }

  var count: Int { place?.load(as: Int.self) ?? 0 }
  var isEmpty: Bool { count == 0 }

  /// Whether the bytes are equal.
  @inline(__always)
  func equals(_ other: UnsafeBufferPointer<UInt8>) -> Bool { equal(bytes, other) }

  /// Replaces the bytes.
  mutating func set(_ other: UnsafeBufferPointer<UInt8>) {
    let room = place?.load(fromByteOffset: MemoryLayout<Int>.size, as: Int.self) ?? 0
    if other.count > room {
      place?.deallocate()
      let larger = UnsafeMutableRawPointer.allocate(
        byteCount: Self.head + other.count, alignment: MemoryLayout<Int>.alignment)
      larger.storeBytes(of: other.count, toByteOffset: MemoryLayout<Int>.size, as: Int.self)
      place = larger
    }
    place?.storeBytes(of: other.count, as: Int.self)
    if let place, let theirs = other.baseAddress { memcpy(place + Self.head, theirs, other.count) }
  }

  /// Releases the bytes and their storage.
  mutating func forget() {
    place?.deallocate()
    place = nil
  }
}
