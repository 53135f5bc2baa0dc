import Bytes
import LogText

/// Statistics with the time that stands beside them, where they have none of the epoch themselves: reports of an SDK's own making, and
/// those whose clock counts from the start of a page or a machine.
enum StampedStatistics {
  /// So far into a value its times are looked for.
  private static let mostBytes = 4096
  /// So many digits have seconds, milliseconds, microseconds and nanoseconds since the epoch.
  private static let epochDigits: Set = [10, 13, 16, 19]

  /// An object or a list with a time added; nil where it has one, or holds no reports.
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

  /// Whether the value says when it was: in its first report by the epoch, or in a member of its own.
  private static func hasTime(_ json: UnsafeBufferPointer<UInt8>) -> Bool {
    if hasReportOfEpoch(UnsafeBufferPointer(rebasing: json.prefix(mostBytes))) { return true }
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
