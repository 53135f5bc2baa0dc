import Bytes
import LogText

/// Statistics with the timestamp of their line added, if they have no epoch time of their own: custom
/// reports, and those whose clock counts from page load or system boot.
enum StampedStatistics {
  /// The number of bytes of a value that are searched for times.
  private static let maxBytes = 4096
  /// The number of digits of seconds, milliseconds, microseconds and nanoseconds since the epoch.
  private static let epochDigits: Set = [10, 13, 16, 19]

  /// Returns an object or array with a time added; nil if it has one, or holds no reports.
  static func added(_ timeMs: () -> Double?, to json: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    guard let first = json.first, first == UInt8(ascii: "{") || first == UInt8(ascii: "["),
      ByteSearch.find("\"type\"", in: json) != nil, !hasTime(json), let timeMs = timeMs(), timeMs.isFinite
    else { return nil }
    var out = ByteWriter(capacity: json.count + 64)
    out.append("{\"ts\":")
    out.append(timeMs)
    if first == UInt8(ascii: "[") {
      out.append(",\"stats\":")
      out.append(bytes: json)
      out.append(byte: UInt8(ascii: "}"))
    } else {
      out.append(byte: UInt8(ascii: ","))
      out.append(bytes: json[1...])
    }
    return out.bytes
  }

  /// Whether the value has its own time: an epoch time in its first report, or a member for the time.
  private static func hasTime(_ json: UnsafeBufferPointer<UInt8>) -> Bool {
    if hasReportOfEpoch(UnsafeBufferPointer(rebasing: json.prefix(maxBytes))) { return true }
    var scanner = JSONScanner(json)
    do throws(JSONError) {
      guard try scanner.peek() == .object else { return false }
      try scanner.beginObject()
      while let key = try scanner.nextKey() {
        if key.bytes.count <= 24, LogTime.memberNames.contains(LogName.normal(key.string)) { return true }
        try scanner.skip()
      }
      return false
    } catch { return true }
  }

  private static func hasReportOfEpoch(_ head: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let place = ByteSearch.find("\"timestamp", in: head) else { return false }
    var value = head[place...].drop { $0 != UInt8(ascii: ":") }.dropFirst().drop { $0 <= UInt8(ascii: " ") }
    let quote = UInt8(ascii: "\"")
    let isText = value.first == quote
    if isText { value = value.dropFirst() }
    let digits = value.prefix(while: \.isASCIIDigit)
    if isText, let next = value[digits.endIndex...].first, next != quote, next != UInt8(ascii: ".") {
      return true
    }
    return epochDigits.contains(digits.count)
  }
}
