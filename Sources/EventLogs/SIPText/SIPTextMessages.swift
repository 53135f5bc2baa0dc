import Bytes
import LogText

/// Finds SIP messages among lines of text.
struct SIPTextMessages {
  private var stamps = TextStamps()
  private var clock: TextClock
  private var nowMs: Double?
  /// The last time with a date.
  private var datedMs: Double?
  /// The last lines before a message, the newest last.
  private var recent: [ArraySlice<UInt8>] = []
  private var message: Message?
  private var withoutWay = 0
  private var withoutTime = 0

  /// A message whose lines are being read.
  private struct Message {
    var number: Int
    var lines: [ArraySlice<UInt8>]
    /// What precedes the text in its first line, after the time.
    var prefix: ArraySlice<UInt8>
    var isStamped: Bool
    var isInBody = false
    var timeMs: Double?
    var heading: [ArraySlice<UInt8>]
  }

  private static let maxRecent = 3
  /// How far a message may be from the line before it, ms.
  private static let maxApartMs = 600_000.0
  private static let maxLines = 1000
  /// A line in which a message is announced, or one of the message, is kept up to this many bytes.
  private static let longestLine = 8192

  init(writtenMs: Double?) { clock = TextClock(writtenMs: writtenMs) }

  /// What was left out, and what was assumed of the times.
  var notes: [String] {
    clock.notes
      + [(withoutTime, "no time before them"), (withoutWay, "nothing that says who sent them")]
      .compactMap { $0.0 > 0 ? "\($0.0) SIP messages left out: \($0.1)" : nil }
  }

  /// Takes the next line; returns a message that ended before it.
  mutating func take(_ line: ArraySlice<UInt8>, number: Int) -> SignallingMessage? {
    var line = line
    while line.last == UInt8(ascii: "\r") { line.removeLast() }
    if continues(line) { return nil }
    let ended = finish()
    var (stamp, rest) = stamps.split(line)
    if stamp == nil, let own = Self.stampOfWay(line) {
      if let dayMs = own.dayMs, own.date == nil, own.monthDay == nil, let datedMs {
        // Beside lines with a date of their own, a time of day belongs to the nearest of them.
        let apart = (dayMs - datedMs).remainder(dividingBy: 86_400_000)
        nowMs = abs(apart) < Self.maxApartMs ? datedMs + apart : datedMs
      } else {
        stamp = own
      }
    }
    if let stamp, let moment = clock.moment(stamp) {
      nowMs = moment
      if stamp.date != nil || stamp.monthDay != nil || stamp.either != nil { datedMs = moment }
    }
    rest = Self.kept(rest)
    if let start = Self.start(in: rest) {
      message = Message(
        number: number, lines: [rest[start...]], prefix: rest[..<start],
        isStamped: stamp != nil && stamps.areAtHead,
        timeMs: nowMs, heading: recent)
      recent = []
    } else if rest.contains(where: { $0 > UInt8(ascii: " ") }) {
      recent.append(rest)
      if recent.count > Self.maxRecent { recent.removeFirst() }
    }
    return ended
  }

  /// Ends the last message.
  mutating func finish() -> SignallingMessage? {
    guard let message else { return nil }
    self.message = nil
    guard message.lines.count > 1 else { return nil }
    guard let timeMs = message.timeMs else {
      withoutTime += 1
      return nil
    }
    let texts = [message.prefix] + message.heading.reversed()
    guard let way = texts.lazy.compactMap({ SIPTextWay(String(decoding: $0, as: UTF8.self)) }).first else {
      withoutWay += 1
      return nil
    }
    return SignallingMessage(
      timeMs: timeMs, from: way.from, to: way.to, text: Self.text(message.lines), line: message.number)
  }

  /// The time further inside a line that says where a message went: `recv 900 bytes from udp/[192.0.2.9]:5060 at
  /// 10:00:00.427193:`.
  private static func stampOfWay(_ line: ArraySlice<UInt8>) -> LogTime.Stamp? {
    let line = line.prefix(200)
    guard line.contains(where: \.isASCIIDigit), SIPTextWay(String(decoding: line, as: UTF8.self)) != nil
    else {
      return nil
    }
    let starts = line.indices.filter {
      line[$0].isASCIIDigit && $0 > line.startIndex && " |@".utf8.contains(line[$0 - 1])
    }
    return starts.lazy.compactMap { LogTime.stamp(line[$0...]) }.first
  }

  /// Whether a line belongs to the message that is being read.
  private mutating func continues(_ line: ArraySlice<UInt8>) -> Bool {
    guard var message, message.lines.count < Self.maxLines else { return false }
    var text = line
    if LogTime.stamp(line.drop { $0 == UInt8(ascii: "[") }) != nil {
      guard message.isStamped else { return false }
      var own = stamps
      text = own.split(line).1
      guard text.starts(with: message.prefix) else { return false }
    }
    if text.starts(with: message.prefix) {
      text = text.dropFirst(message.prefix.count)
    } else if message.prefix.allSatisfy({ $0 == UInt8(ascii: " ") }) {
      text = text.drop { $0 == UInt8(ascii: " ") }
    }
    defer { self.message = message }
    let isBlank = text.allSatisfy { $0 <= UInt8(ascii: " ") || $0 == UInt8(ascii: ".") }
    let isDescription =
      text.count > 1 && text[text.startIndex + 1] == UInt8(ascii: "=")
      && text[text.startIndex] | 0x20 >= UInt8(ascii: "a")
    if message.isInBody {
      guard isBlank || isDescription else { return false }
    } else if isBlank || isDescription {
      guard message.lines.count > 1 else { return false }
      message.isInBody = true
      message.lines.append([])
    } else if !Self.isHeader(text) {
      return false
    }
    if !isBlank { message.lines.append(Self.kept(text)) }
    return true
  }

  /// A line, of a long one a copy of its beginning.
  private static func kept(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    line.count <= longestLine ? line : Array(line.prefix(longestLine))[...]
  }

  private static func isHeader(_ text: ArraySlice<UInt8>) -> Bool {
    if text.first == UInt8(ascii: " ") || text.first == UInt8(ascii: "\t") { return true }
    let name = text.prefix { $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "-") }
    return !name.isEmpty
      && text[name.endIndex...].first { $0 != UInt8(ascii: " ") } == UInt8(ascii: ":")
  }

  /// Where a start line (RFC 3261 section 7) begins in a line.
  private static func start(in line: ArraySlice<UInt8>) -> Int? {
    let text = line.prefix(4096)
    guard let end = ByteSearch.end(of: SIPTextReader.version, in: text) else { return nil }
    let place = (end - SIPTextReader.version.utf8.count)..<end
    let behind = text[end...]
    let isResponse =
      behind.count > 4 && behind.first == UInt8(ascii: " ")
      && behind.dropFirst().prefix(3).allSatisfy(\.isASCIIDigit)
    if isResponse { return place.lowerBound }
    guard behind.allSatisfy({ $0 <= UInt8(ascii: " ") || $0 == UInt8(ascii: ".") }) else { return nil }
    let before = text[..<place.lowerBound].split(
      separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard before.count >= 3, before[before.count - 2].contains(UInt8(ascii: ":")) else { return nil }
    let method = before[before.count - 3]
    let name = method.reversed().prefix { $0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z") }
    return name.count >= 3 ? method.endIndex - name.count : nil
  }

  /// The message as it was sent. Its body may be cut, or written with other ends of lines: it has no length.
  private static func text(_ lines: [ArraySlice<UInt8>]) -> [UInt8] {
    // ngrep prints a dot for each carriage return.
    let isDotted = lines.prefix(2).allSatisfy { $0.last == UInt8(ascii: ".") }
    var text: [UInt8] = []
    for line in lines {
      let line = isDotted && line.last == UInt8(ascii: ".") ? line.dropLast() : line
      if String(decoding: line.prefix(15), as: UTF8.self).lowercased().hasPrefix("content-length") {
        continue
      }
      text += line + [13, 10]
    }
    return text + (lines.contains { $0.isEmpty } ? [] : [13, 10])
  }

  /// The lines in one that has ends of lines as other programs escape them.
  static func unescaped(_ line: [UInt8]) -> [[UInt8]] {
    guard ByteSearch.contains(SIPTextReader.version, in: line[...]),
      let mark = ["\\r\\n", "#015#012", "\\n", "#012"].first(where: {
        ByteSearch.contains($0, in: line[...])
      })
    else { return [line] }
    return String(decoding: line, as: UTF8.self).split(separator: mark, omittingEmptySubsequences: false)
      .map { Array($0.utf8) }
  }
}
