import Bytes

/// The timestamp of a line of a text log, and the rest of the line.
enum TextStamp {
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
    let word = rest.prefix { $0.isASCIIDigit || $0 == UInt8(ascii: ".") }
    if word.count >= 10, let next = rest.dropFirst(word.count).first,
      " ]\t,;|".utf8.contains(next),
      let number = Double(String(decoding: word, as: UTF8.self)), let ms = LogTime.epochMs(number), ms > 1e12
    {
      return (LogTime.Stamp(length: word.count, ms: ms), behind(rest.dropFirst(word.count)))
    }
    return (nil, line)
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
        let stamp = LogTime.stamp(line[at...]), isWhole(stamp, in: line[at...]),
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
    if stamp != nil {
      areAtHead = true
    } else if !areAtHead, let (stamp, rest) = TextStamp.inside(line) {
      return (stamp, ConsoleFrame.text(of: rest[...]))
    }
    return (stamp, ConsoleFrame.text(of: rest))
  }
}

/// Removes terminal colours: ECMA-48 control sequences.
enum TextColours {
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
