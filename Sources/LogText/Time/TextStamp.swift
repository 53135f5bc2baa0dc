import Bytes

/// The timestamp of a line of a text log, and the rest of the line.
private enum TextStamp {
  /// Splits a line: NSLog (`2026-11-21 01:55:17.337 App[123:456] …`), logcat (`11-21 01:55:17.337  123  456 D Tag: …`), consoles
  /// (`[01:55:17.337] …`, `2026-11-21T01:55:17.337Z …`), Chromium (`[123:456:1121/015517.337:INFO:…`), epoch times.
  static func split(_ line: ArraySlice<UInt8>) -> (LogTime.Stamp?, ArraySlice<UInt8>) {
    var rest = behindPriority(line).drop {
      $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: "[")
        || $0 == UInt8(ascii: "(")
    }
    if line.first == UInt8(ascii: "["), let found = chromium(rest) { return found }
    if let stamp = LogTime.stamp(rest) {
      rest = behind(rest.dropFirst(stamp.length))
      return (stamp, rest)
    }
    if let stamp = epoch(rest) { return (stamp, behind(rest.dropFirst(stamp.length))) }
    return (nil, line)
  }

  // A number of seconds or milliseconds since the epoch.
  private static func epoch(_ text: ArraySlice<UInt8>) -> LogTime.Stamp? {
    let word = text.prefix { $0.isASCIIDigit || $0 == UInt8(ascii: ".") }
    guard word.count >= 10, let next = text.dropFirst(word.count).first, " ]\t,;|".utf8.contains(next),
      let number = Double(String(decoding: word, as: UTF8.self)), let ms = LogTime.epochMs(number), ms > 1e12
    else { return nil }
    return LogTime.Stamp(length: word.count, ms: ms)
  }

  /// The time that the application wrote itself behind the head of a collector that has whole seconds, and the
  /// line without it: `Nov 21 01:55:17 host app[7]: 2026-11-21 01:55:17.337 …`. It is the same time, in the same
  /// zone or another.
  static func finer(than stamp: LogTime.Stamp, in rest: ArraySlice<UInt8>, of line: ArraySlice<UInt8>) -> (
    LogTime.Stamp, ArraySlice<UInt8>
  )? {
    let head = line[..<rest.startIndex]
    guard let clock = stamp.clockMs, clock.remainder(dividingBy: 1000) == 0, !hasFraction(head) else {
      return nil
    }
    var at = rest.startIndex
    let limit = min(at + 100, rest.endIndex)
    while at < limit {
      defer { at += 1 }
      let front = rest[..<at].drop { $0 <= UInt8(ascii: " ") }
      guard rest[at].isASCIIDigit, let last = rest[..<at].last, " [(".utf8.contains(last),
        let mark = front.last(where: { !" [(".utf8.contains($0) }), ":]>|-".utf8.contains(mark),
        let inner = LogTime.stamp(rest[at...]), isWhole(inner, in: rest[at...]),
        hasFraction(rest[at..<(at + inner.length)]), let finer = inner.clockMs,
        abs((finer - clock).remainder(dividingBy: quarterMs)) <= maxApartMs
      else { continue }
      return (inner, (front.isEmpty ? [] : Array(rest[..<at])) + behind(rest[(at + inner.length)...]))
    }
    return nil
  }

  // Zones differ by quarters of an hour; a line is delivered within this time.
  private static let quarterMs = 900_000.0
  private static let maxApartMs = 60_000.0

  // Whether digits follow a point or a comma behind a digit.
  private static func hasFraction(_ text: ArraySlice<UInt8>) -> Bool {
    text.indices.dropFirst().dropLast().contains { place in
      ".,".utf8.contains(text[place]) && text[place - 1].isASCIIDigit && text[place + 1].isASCIIDigit
    }
  }

  // `<134>Nov 21 01:55:17 …`, as syslog sends it (RFC 3164 4.1.1).
  private static func behindPriority(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard line.first == UInt8(ascii: "<") else { return line }
    let number = line.dropFirst().prefix(4).prefix(while: \.isASCIIDigit)
    let behind = line.dropFirst(1 + number.count)
    return !number.isEmpty && number.count <= 3 && behind.first == UInt8(ascii: ">")
      ? behind.dropFirst() : line
  }

  // `123:456:1121/015517.337:`, with none, one or both of the numbers of process and thread.
  private static func chromium(_ head: ArraySlice<UInt8>) -> (LogTime.Stamp?, ArraySlice<UInt8>)? {
    var rest = head
    for _ in 0...2 {
      if let stamp = LogTime.packed(rest) {
        return (stamp, rest.dropFirst(stamp.length).drop { $0 == UInt8(ascii: ":") })
      }
      let number = rest.prefix(11).prefix(while: \.isASCIIDigit)
      guard !number.isEmpty, rest.dropFirst(number.count).first == UInt8(ascii: ":") else { return nil }
      rest = rest.dropFirst(number.count + 1)
    }
    return nil
  }

  private static func behind(_ rest: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    rest.drop {
      $0 == UInt8(ascii: "]") || $0 == UInt8(ascii: ")") || $0 == UInt8(ascii: " ")
        || $0 == UInt8(ascii: "\t")
    }
  }

  /// The timestamp after a level, host, file or tag, and the line without it: `[INFO] 2026-11-21T01:55:17Z …`,
  /// `app.js:40 …`, `web-1  | …`, `<134>1 …`, `time="…" level=info …`.
  static func inside(_ line: ArraySlice<UInt8>) -> (LogTime.Stamp, [UInt8])? {
    var at = line.startIndex
    let limit = line.index(at, offsetBy: 64, limitedBy: line.endIndex) ?? line.endIndex
    while at < limit {
      defer { at += 1 }
      let byte = line[at]
      let before = at > line.startIndex ? line[at - 1] : UInt8(ascii: " ")
      guard byte.isASCIIDigit || byte.isASCIICapital, Self.parts.contains(before),
        let stamp = LogTime.stamp(line[at...]) ?? (before == UInt8(ascii: "=") ? epoch(line[at...]) : nil),
        isWhole(stamp, in: line[at...]),
        isTimeOfLine(stamp, behind: line[..<at])
      else { continue }
      return (stamp, Array(line[..<at] + line[(at + stamp.length)...]))
    }
    return nil
  }

  // Space, tab, quote, round and square bracket, pipe, equals sign.
  private static let parts: Set<UInt8> = [
    UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\""), UInt8(ascii: "("), UInt8(ascii: "["),
    UInt8(ascii: "|"), UInt8(ascii: "="),
  ]

  private static func isWhole(_ stamp: LogTime.Stamp, in text: ArraySlice<UInt8>) -> Bool {
    guard let next = text.dropFirst(stamp.length).first else { return true }
    return " \t\")]|,:".utf8.contains(next)
  }

  // A date after a name is the line's if the name says so; a time of day alone may be a duration, unless brackets or a
  // level in capitals precede it.
  private static func isTimeOfLine(_ stamp: LogTime.Stamp, behind prefix: ArraySlice<UInt8>) -> Bool {
    if let equals = prefix.lastIndex(of: UInt8(ascii: "=")), prefix[equals...].count <= 2 {
      let name = prefix[..<equals].suffix(while: { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") })
      return LogTime.memberNames.contains(LogName.normal(String(decoding: name, as: UTF8.self)))
    }
    if stamp.date != nil || stamp.monthDay != nil || stamp.either != nil || stamp.zoneMs != nil {
      return true
    }
    return prefix.last == UInt8(ascii: "[") || prefix.last == UInt8(ascii: "(")
      || !prefix.contains(where: \.isASCIISmall)
  }
}

extension ArraySlice<UInt8> {
  /// The longest suffix whose bytes all satisfy a condition.
  fileprivate func suffix(while isWanted: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    var start = endIndex
    while start > startIndex, isWanted(self[start - 1]) { start -= 1 }
    return self[start...]
  }
}

/// Splits off the timestamps of one log's lines: at the start, or further inside if no line starts with one.
public struct TextStamps {
  public private(set) var areAtHead = false

  public init() {}

  /// The time of a line, and the rest of it, without colours and console framing.
  public mutating func split(_ line: ArraySlice<UInt8>) -> (LogTime.Stamp?, ArraySlice<UInt8>) {
    let line = TextColours.without(line)
    let (stamp, rest) = TextStamp.split(line)
    if let stamp {
      areAtHead = true
      if let (finer, behind) = TextStamp.finer(than: stamp, in: rest, of: line) {
        return (finer, ConsoleFrame.text(of: behind))
      }
    } else if !areAtHead, let (stamp, rest) = TextStamp.inside(line) {
      return (stamp, ConsoleFrame.text(of: rest[...]))
    }
    return (stamp, ConsoleFrame.text(of: rest))
  }
}

/// Removes terminal colours: ECMA-48 control sequences.
private enum TextColours {
  static func without(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard line.contains(0x1B) else { return line }
    var out: [UInt8] = []
    var rest = line
    while let byte = rest.popFirst() {
      guard byte == 0x1B, rest.first == UInt8(ascii: "[") else {
        out.append(byte)
        continue
      }
      rest = rest.drop { $0 >= UInt8(ascii: " ") && $0 <= UInt8(ascii: "?") || $0 == UInt8(ascii: "[") }
        .dropFirst()
    }
    return out[...]
  }
}

/// Epoch times that a log prints beside its timestamps, which show their zone and year.
public enum TextEvidence {
  /// The first few of them: a timestamp, and a `time` of thirteen digits on its line or continuation lines.
  public static func epochTimes(in head: [UInt8]) -> [(epochMs: Double, stamp: LogTime.Stamp)] {
    var found: [(epochMs: Double, stamp: LogTime.Stamp)] = []
    var stamp: LogTime.Stamp?
    for line in head.lines() {
      let (own, message) = TextStamp.split(line)
      stamp = own ?? stamp
      guard let beside = stamp, let epoch = epoch(in: message) else { continue }
      found.append((epoch, beside))
      if found.count >= 5 { break }
    }
    return found
  }

  /// Whether dates with slashes or hyphens have the day first, if one of them shows it.
  public static func isDayFirst(in head: [UInt8]) -> Bool? {
    var stamps = TextStamps()
    guard head.contains(UInt8(ascii: "/")) || head.contains(UInt8(ascii: "-")) else { return nil }
    var others = 0
    for line in head.lines() {
      guard let stamp = stamps.split(line.prefix(256)).0 else { continue }
      if let isDayFirst = stamp.isDayFirst { return isDayFirst }
      // A log with other dates cannot show it.
      if stamp.either == nil { others += 1 } else { others = 0 }
      if others > maxOthers { break }
    }
    return nil
  }

  private static let maxOthers = 1000

  private static func epoch(in line: ArraySlice<UInt8>) -> Double? {
    guard ByteSearch.contains("time", in: line) else { return nil }
    var at = line.startIndex
    while let start = line[at...].firstIndex(where: \.isASCIIDigit) {
      let end = line[start...].firstIndex { !$0.isASCIIDigit } ?? line.endIndex
      if end - start == 13 { return Double(String(decoding: line[start..<end], as: UTF8.self)) }
      at = end
    }
    return nil
  }
}

/// The console output of a page, without the framing added by the browser or its driver:
/// - Chromium's log, Android's WebView: `INFO:CONSOLE(88)] "text", source: https://… (88)`, after the timestamp;
/// - Safari's console: `text (call.js, line 88)`;
/// - ChromeDriver's browser log: `https://app.example/call.js 4:120 "text"`, Firefox's output: `console.log: "text"`.
/// Each string is a JavaScript string with its escapes.
private enum ConsoleFrame {
  /// Longest text before Chromium's `CONSOLE(88)] "`, and before ChromeDriver's and Firefox's first quote.
  private static let longestHead = 200
  private static let longestAddress = 4096

  /// The text of the page; the whole line if it has no frame.
  static func text(of line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    line.withUnsafeBufferPointer { bytes in
      guard let first = bytes.first, first > 0 else { return line }
      if let start = behindChromiumHead(bytes) {
        let end = max(start, endOfText(bytes) ?? bytes.count)
        return line[(line.startIndex + start)..<(line.startIndex + end)]
      }
      // A multi-line text ends on another line than it begins.
      if let end = endOfText(bytes) ?? endBeforePlace(bytes) { return line[..<(line.startIndex + end)] }
      return quoted(bytes) ?? line
    }
  }

  // After `CONSOLE(88)] "`, or `CONSOLE:88] "` in later versions.
  private static func behindChromiumHead(_ line: UnsafeBufferPointer<UInt8>) -> Int? {
    let head = UnsafeBufferPointer(rebasing: line.prefix(longestHead))
    guard let word = ByteSearch.find("CONSOLE", in: head), word + 7 < head.count else { return nil }
    var at = word + 8
    while at < head.count, head[at].isASCIIDigit { at += 1 }
    switch head[word + 7] {
    case UInt8(ascii: "(") where at < head.count && head[at] == UInt8(ascii: ")"): at += 1
    case UInt8(ascii: ":"): break
    default: return nil
    }
    guard ByteSearch.find("] \"", in: UnsafeBufferPointer(rebasing: head[min(at, head.count)...])) == 0 else {
      return nil
    }
    return at + 3
  }

  // The start of `", source: https://… (88)` at the end of a line.
  private static func endOfText(_ line: UnsafeBufferPointer<UInt8>) -> Int? {
    guard line.last == UInt8(ascii: ")"), let open = line.lastIndex(of: UInt8(ascii: "(")),
      line[(open + 1)...].dropLast().allSatisfy(\.isASCIIDigit)
    else { return nil }
    var end: Int?
    while let next = ByteSearch.find("\", source: ", in: line, from: end.map { $0 + 1 } ?? 0) { end = next }
    return end
  }

  // The start of Safari's ` (call.js, line 88)` at the end of a line.
  private static func endBeforePlace(_ line: UnsafeBufferPointer<UInt8>) -> Int? {
    guard line.last == UInt8(ascii: ")"), let open = line.lastIndex(of: UInt8(ascii: "(")), open > 0,
      line[open - 1] == UInt8(ascii: " "), line.count - open <= longestHead
    else { return nil }
    let place = line[(open + 1)...].dropLast()
    let digits = place.reversed().prefix(while: \.isASCIIDigit).count
    let name = place.dropLast(digits)
    guard digits > 0, name.count > wordLine.count, name.suffix(wordLine.count).elementsEqual(wordLine)
    else { return nil }
    return open - 1
  }

  private static let wordLine = Array(", line ".utf8)

  // The concatenated JavaScript strings after the source position.
  private static func quoted(_ line: UnsafeBufferPointer<UInt8>) -> ArraySlice<UInt8>? {
    let quote = UInt8(ascii: "\"")
    guard line.last == quote, let start = line.prefix(longestAddress).firstIndex(of: quote),
      isPlaceOfPrint(line[..<start])
    else { return nil }
    var text: [UInt8] = []
    var scanner = JSONScanner(line)
    scanner.position = start
    while scanner.position < line.count {
      guard line[scanner.position] == quote else {
        text.append(line[scanner.position])
        scanner.position += 1
        continue
      }
      guard let string = try? scanner.string() else { return nil }
      text += string.decoded()
    }
    return text[...]
  }

  // `https://app.example/call.js 4:120 `, `console-api 4:120 `, `console.log: `.
  private static func isPlaceOfPrint(_ head: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    let words = head.split(separator: UInt8(ascii: " "))
    guard head.last == UInt8(ascii: " "), let last = words.last else { return false }
    if last.starts(with: "console.".utf8), last.last == UInt8(ascii: ":") { return true }
    guard let address = words.dropLast().last, last.contains(UInt8(ascii: ":")),
      last.allSatisfy({ $0.isASCIIDigit || $0 == UInt8(ascii: ":") })
    else { return false }
    return address.elementsEqual("console-api".utf8)
      || ByteSearch.find("://", in: UnsafeBufferPointer(rebasing: address)) != nil
  }

}
