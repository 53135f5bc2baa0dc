import CallModel
import IO
import LogText

/// Where a row's time is, and how it is written.
struct FigureTime: Sendable {
  /// What part of its interval the time is.
  enum Mark: String, Sendable { case start, end, instant }

  /// Alternatives, each of one path or several whose texts are joined with a blank (date and time).
  var paths: [[FigurePath]] = []
  var unit: FigureUnit?
  /// The order of a date's parts: `dd.MM.yyyy HH:mm:ss`.
  var pattern: DatePattern?
  var marks: Mark = .start
  /// Where the time is that a relative time begins at.
  var since: [FigurePath] = []
}

/// Times of rows. A zone in the value wins, then one in the heading, then the form's, then the user's; else UTC.
struct FigureClock {
  /// The form's zone, else the user's.
  let zone: Zone?
  /// Whether a time had no zone.
  private(set) var lacksZone = false
  /// The time read last: where clocks go back an hour comes twice, and the nearer one is meant.
  var lastMs = 0.0

  init(zone: Zone?) { self.zone = zone }

  /// From 1990 to 2200.
  private static let times = 631_152_000_000.0...7_258_118_400_000.0

  /// The time of a row, ms since the Unix epoch; nil without one.
  mutating func ms(_ time: FigureTime, of row: some FigureRow) -> Double? {
    for paths in time.paths {
      let texts = paths.compactMap(row.text)
      guard texts.count == paths.count else { continue }
      if let since = time.since.lazy.compactMap(row.text).first {
        guard let base = ms(since, nil, nil), let number = Double(texts[0]) else { continue }
        return Self.inRange(base + (time.unit ?? .seconds).converted(number))
      }
      let text = texts.count == 1 ? texts[0] : texts.joined(separator: " ")
      if let ms = ms(text, time.unit, time.pattern, saysUTC: paths.contains(where: \.saysUTC)) { return ms }
    }
    return nil
  }

  /// A time as written; nil if it is none. 0 is no time.
  ///
  /// - Parameter saysUTC: whether its heading says that it is UTC.
  mutating func ms(_ text: String, _ unit: FigureUnit?, _ pattern: DatePattern?, saysUTC: Bool = false)
    -> Double?
  {
    guard text.utf8.count <= 60 else { return nil }
    if let number = Double(text) {
      if let unit { return Self.inRange(unit.converted(number)) }
      // Nanoseconds too.
      return LogTime.epochMs(number >= 1e17 ? number / 1000 : number).flatMap(Self.inRange)
    }
    if let pattern {
      guard let local = pattern.localMs(text) else { return nil }
      return Self.inRange(saysUTC ? local : moment(ofLocalMs: local))
    }
    guard let stamp = LogTime.stamp(text) ?? Self.withColons(text).flatMap({ LogTime.stamp($0) }) else {
      return nil
    }
    if let zoned = stamp.date?.zoned { return Self.inRange(zoned) }
    guard let local = stamp.date?.localMs else { return nil }
    return Self.inRange(saysUTC ? local : moment(ofLocalMs: local))
  }

  /// A time as some languages write it, 10.00.05, with colons; nil without a day before it.
  private static func withColons(_ text: String) -> String? {
    guard let blank = text.firstIndex(of: " ") else { return nil }
    return String(text[..<blank] + text[blank...].replacing(".", with: ":", maxReplacements: 2))
  }

  private mutating func moment(ofLocalMs local: Double) -> Double {
    guard let zone else {
      lacksZone = true
      return local
    }
    let moment = zone.momentMs(wallMs: local)
    let twice = [-3_600_000, 0, 3_600_000].map { moment + $0 }.filter { zone.wallMs($0) == local }
    lastMs = twice.min { abs($0 - lastMs) < abs($1 - lastMs) } ?? moment
    return lastMs
  }

  private static func inRange(_ ms: Double) -> Double? { times.contains(ms) ? ms : nil }
}

/// The order of the parts of a date: runs of y, M, d, H, h, m, s, S and a; anything else stands for itself.
struct DatePattern: Sendable {
  private let parts: [(letter: UInt8, length: Int)]

  /// Nil unless it has a year, a month and a day.
  init?(_ text: String) {
    var parts: [(letter: UInt8, length: Int)] = []
    for letter in text.utf8 {
      if parts.last?.letter == letter {
        parts[parts.count - 1].length += 1
      } else {
        parts.append((letter, 1))
      }
    }
    guard text.utf8.count <= 60, "yMd".utf8.allSatisfy({ letter in parts.contains { $0.letter == letter } })
    else { return nil }
    self.parts = parts
  }

  /// Local time as ms since 1970 there; nil if the text is not of this form. A fraction of a second may follow.
  func localMs(_ text: String) -> Double? {
    var text = text
    return text.withUTF8(localMs)
  }

  private func localMs(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
    var (year, month, day, hour, minute, ms) = (-1, 0, 0, 0, 0, 0.0)
    var (isHalved, half, at) = (false, 0, 0)
    for (letter, length) in parts {
      switch letter {
      case UInt8(ascii: "a"):
        guard at + 2 <= text.count, text[at + 1] | 0x20 == UInt8(ascii: "m") else { return nil }
        switch text[at] | 0x20 {
        case UInt8(ascii: "a"): half = 0
        case UInt8(ascii: "p"): half = 12
        default: return nil
        }
        at += 2
      case UInt8(ascii: "S"):
        let from = at
        guard let number = Self.number(text, &at, most: 9) else { return nil }
        ms += (Double(number) / Self.powers[at - from] * 1000).rounded(.down)
      case UInt8(ascii: "y"):
        guard let number = Self.number(text, &at, most: length) else { return nil }
        year = number < 100 ? 2000 + number : number
      case UInt8(ascii: "M"), UInt8(ascii: "d"), UInt8(ascii: "H"), UInt8(ascii: "h"), UInt8(ascii: "m"),
        UInt8(ascii: "s"):
        // One letter also takes two digits.
        guard let number = Self.number(text, &at, most: max(2, length)) else { return nil }
        switch letter {
        case UInt8(ascii: "M"): month = number
        case UInt8(ascii: "d"): day = number
        case UInt8(ascii: "m"): minute = number
        case UInt8(ascii: "s"): ms += Double(number) * 1000
        case UInt8(ascii: "h"): (hour, isHalved) = (number % 12, true)
        default: hour = isHalved ? hour : number
        }
      default:
        guard at + length <= text.count, text[at..<at + length].allSatisfy({ $0 == letter }) else {
          return nil
        }
        at += length
      }
    }
    guard (1...12).contains(month), (1...31).contains(day), (0...9999).contains(year) else { return nil }
    if at < text.count, [UInt8(ascii: "."), UInt8(ascii: ",")].contains(text[at]) {
      let from = at + 1
      at = from
      if let number = Self.number(text, &at, most: 9) { ms += Double(number) / Self.powers[at - from] * 1000 }
    }
    if isHalved { hour += half }
    return Double(CalendarDate.daysSinceEpoch(year, month, day)) * 86_400_000
      + Double(hour * 60 + minute) * 60_000 + ms
  }

  private static let powers = [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9]

  /// The number at a place, of no more than so many digits, behind which the place is then; nil without a digit.
  private static func number(_ text: UnsafeBufferPointer<UInt8>, _ at: inout Int, most: Int) -> Int? {
    var (value, digits) = (0, 0)
    while digits < min(most, 9), at < text.count, case let digit = Int(text[at]) - 48, (0...9).contains(digit)
    {
      (value, digits, at) = (value * 10 + digit, digits + 1, at + 1)
    }
    return digits > 0 ? value : nil
  }
}
