import Bytes

/// The time in front of the lines of a stream's log: ISO, epoch, or the time of day of a curl trace; and curl's own lines.
struct SSEStamp {
  /// The time of the last stamp, in ms since the epoch; nil while none was met.
  private(set) var lastMs: Double?
  /// Whether a stamp without a zone, or without a date, was taken for what it most likely is.
  private(set) var assumed: String?
  // What `< Date:` said, with the time of day of the line that said it.
  private var headerMs: Double?
  private var zoneMs: Double = 0
  private var lastDayMs: Double?

  /// Takes the stamp off a line and notes it. Nil where the line is curl's and no part of the stream.
  mutating func strip(_ line: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8>? {
    var rest = line
    if let first = line.first, first >= 0x30 && first <= 0x39 || first == 0x5B {
      rest = stripped(line)
    }
    return isCurls(rest) ? nil : rest
  }

  private mutating func stripped(_ line: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
    let isBracketed = line.first == 0x5B
    let bytes = ArraySlice(line.prefix(48))
    let inner = isBracketed ? bytes.dropFirst() : bytes
    var length = isBracketed ? 1 : 0
    if let epoch = epoch(inner) {
      lastMs = epoch.ms
      length += epoch.length
    } else if let stamp = LogTime.stamp(inner) {
      guard note(stamp) else { return line }
      length += stamp.length
    } else {
      return line
    }
    if isBracketed {
      guard length < line.count, line[length] == 0x5D else { return line }
      length += 1
    }
    // One space belongs to the stamp; a line that is a stamp alone is an empty line.
    if length < line.count, line[length] == 0x20 || line[length] == 0x09 { length += 1 }
    return UnsafeBufferPointer(rebasing: line[length...])
  }

  private mutating func note(_ stamp: LogTime.Stamp) -> Bool {
    if let date = stamp.date {
      if date.zoned == nil { assumed = "the times have no zone: taken as UTC" }
      lastMs = date.zoned ?? date.localMs
      return true
    }
    guard stamp.monthDay == nil, let dayMs = stamp.dayMs else { return false }
    // A time of day alone: the date comes from the server's answer.
    if let last = lastDayMs, dayMs < last - 60_000, let header = headerMs {
      headerMs = header + 86_400_000
    }
    lastDayMs = dayMs
    lastMs = headerMs.map { ($0 / 86_400_000).rounded(.down) * 86_400_000 + dayMs - zoneMs }
    return true
  }

  // Ten digits with decimals, or thirteen, and then the end or a space.
  private func epoch(_ bytes: ArraySlice<UInt8>) -> (ms: Double, length: Int)? {
    let word = bytes.prefix { $0 >= 0x30 && $0 <= 0x39 || $0 == 0x2E }
    guard word.count >= 10,
      word.endIndex == bytes.endIndex || [0x20, 0x09, 0x5D].contains(bytes[word.endIndex]),
      let number = Double(String(decoding: word, as: UTF8.self))
    else { return nil }
    return LogTime.epochMs(number).map { ($0, word.count) }
  }

  // `* Connected`, `> GET`, `< HTTP`, `{ [128 bytes data]`: what curl says, not what the server streams.
  private mutating func isCurls(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    guard line.count >= 1 else { return false }
    switch line[0] {
    case UInt8(ascii: "<"):
      if ByteSearch.find("Date: ", in: line) == 2 { date(UnsafeBufferPointer(rebasing: line[8...])) }
      return line.count == 1 || line[1] == 0x20
    case UInt8(ascii: "*"), UInt8(ascii: ">"): return line.count == 1 || line[1] == 0x20
    case UInt8(ascii: "{"), UInt8(ascii: "}"): return ByteSearch.find(" [", in: line) == 1
    default: return false
    }
  }

  // `Sat, 21 Nov 2026 01:55:17 GMT` beside the line's own time of day: the date, and the zone to a quarter of an hour.
  private mutating func date(_ text: UnsafeBufferPointer<UInt8>) {
    guard let ms = Self.httpDate(text) else { return }
    headerMs = ms
    guard let dayMs = lastDayMs else { return }
    var zone = dayMs - ms.truncatingRemainder(dividingBy: 86_400_000)
    if zone > 50_400_000 { zone -= 86_400_000 }
    if zone < -43_200_000 { zone += 86_400_000 }
    zoneMs = (zone / 900_000).rounded() * 900_000
    // The local day of that moment, so that midnight is midnight there.
    headerMs = ms + zoneMs
    lastMs = ms
    assumed = "date and zone of the times are taken from the server's Date header"
  }

  /// An HTTP date, RFC 9110 5.6.7.
  static func httpDate(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
    let words = String(decoding: text.prefix(40), as: UTF8.self).split(separator: " ")
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    guard words.count >= 5, let day = Int(words[1]), let month = months.firstIndex(of: String(words[2])),
      let year = Int(words[3]), (1970...9999).contains(year), (1...31).contains(day),
      let time = LogTime.stamp(Array(words[4].utf8)[...])?.dayMs
    else { return nil }
    return Double(LogTime.days(year, month + 1, day)) * 86_400_000 + time
  }
}
