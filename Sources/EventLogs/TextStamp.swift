/// The time at the head of a line of a text log, and what is left of the line.
enum TextStamp {
  /// Splits a line: NSLog (`2026-11-21 01:55:17.337 App[123:456] …`), logcat (`11-21 01:55:17.337  123  456 D Tag: …`), consoles
  /// (`[01:55:17.337] …`, `2026-11-21T01:55:17.337Z …`), epoch times.
  static func split(_ line: ArraySlice<UInt8>) -> (LogTime.Stamp?, ArraySlice<UInt8>) {
    var rest = line.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x5B }
    if let stamp = LogTime.stamp(rest) {
      rest = rest.dropFirst(stamp.length).drop { $0 == 0x5D || $0 == 0x20 || $0 == 0x09 }
      return (stamp, rest)
    }
    let word = rest.prefix { $0 >= 0x30 && $0 <= 0x39 || $0 == 0x2E }
    if word.count >= 10, let next = rest.dropFirst(word.count).first,
      next == 0x20 || next == 0x5D || next == 0x09,
      let number = Double(String(decoding: word, as: UTF8.self)), let ms = LogTime.epochMs(number), ms > 1e12
    {
      rest = rest.dropFirst(word.count).drop { $0 == 0x5D || $0 == 0x20 || $0 == 0x09 }
      return (LogTime.Stamp(length: word.count, date: (ms, ms)), rest)
    }
    return (nil, line)
  }
}

/// Epoch times that a log prints beside its stamps: they tell the stamps' zone and year.
enum TextEvidence {
  /// The first few of them: a stamp, and a `time` of thirteen digits on its line or the lines that belong to it.
  static func epochTimes(in head: [UInt8]) -> [(epochMs: Double, stamp: LogTime.Stamp)] {
    var found: [(epochMs: Double, stamp: LogTime.Stamp)] = []
    var stamp: LogTime.Stamp?
    for line in head.split(separator: 0x0A) {
      let (own, message) = TextStamp.split(line)
      stamp = own ?? stamp
      guard let beside = stamp, let epoch = epoch(in: message) else { continue }
      found.append((epoch, beside))
      if found.count >= 5 { break }
    }
    return found
  }

  private static func epoch(in line: ArraySlice<UInt8>) -> Double? {
    guard TextLine.contains("time", in: line) else { return nil }
    var at = line.startIndex
    while let start = line[at...].firstIndex(where: { $0 >= 0x30 && $0 <= 0x39 }) {
      let end = line[start...].firstIndex { $0 < 0x30 || $0 > 0x39 } ?? line.endIndex
      if end - start == 13 { return Double(String(decoding: line[start..<end], as: UTF8.self)) }
      at = end
    }
    return nil
  }
}
