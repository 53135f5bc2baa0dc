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
        guard let base = ms(since, nil, nil, heading: ""), let number = Double(texts[0]) else { continue }
        return Self.inRange(base + (time.unit ?? .seconds).converted(number))
      }
      let heading = paths.map(\.text).joined(separator: " ")
      if let ms = ms(texts.joined(separator: " "), time.unit, time.pattern, heading: heading) { return ms }
    }
    return nil
  }

  /// A time as written; nil if it is none. 0 is no time.
  mutating func ms(_ text: String, _ unit: FigureUnit?, _ pattern: DatePattern?, heading: String) -> Double? {
    guard text.utf8.count <= 60 else { return nil }
    if let number = Double(text) {
      if let unit { return Self.inRange(unit.converted(number)) }
      // Nanoseconds too.
      return LogTime.epochMs(number >= 1e17 ? number / 1000 : number).flatMap(Self.inRange)
    }
    if let pattern {
      guard let local = pattern.localMs(text) else { return nil }
      return Self.inRange(moment(ofLocalMs: local, heading: heading))
    }
    guard let stamp = LogTime.stamp(text) ?? Self.withColons(text).flatMap({ LogTime.stamp($0) }) else {
      return nil
    }
    if let zoned = stamp.date?.zoned { return Self.inRange(zoned) }
    guard let local = stamp.date?.localMs else { return nil }
    return Self.inRange(moment(ofLocalMs: local, heading: heading))
  }

  /// A time as some languages write it, 10.00.05, with colons; nil without a day before it.
  private static func withColons(_ text: String) -> String? {
    guard let blank = text.firstIndex(of: " ") else { return nil }
    return String(text[..<blank] + text[blank...].replacing(".", with: ":", maxReplacements: 2))
  }

  private mutating func moment(ofLocalMs local: Double, heading: String) -> Double {
    if ["utc", "gmt"].contains(where: heading.lowercased().contains) { return local }
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
  private let letters: [Character]

  /// Nil unless it has a year, a month and a day.
  init?(_ text: String) {
    letters = Array(text)
    guard letters.contains("y"), letters.contains("M"), letters.contains("d"), letters.count <= 40 else {
      return nil
    }
  }

  /// Local time as ms since 1970 there; nil if the text is not of this form. A fraction of a second may follow.
  func localMs(_ text: String) -> Double? {
    var (values, rest, at): ([Character: Int], Substring, Int) = ([:], text[...], 0)
    while at < letters.count {
      let letter = letters[at]
      let run = letters[at...].prefix { $0 == letter }.count
      at += run
      if letter == "a" {
        let half = rest.prefix(2).lowercased()
        guard half == "am" || half == "pm" else { return nil }
        values["a"] = half == "pm" ? 12 : 0
        rest = rest.dropFirst(2)
      } else if "yMdHhmsS".contains(letter) {
        // Two letters also take one digit where something else follows.
        let most = letter == "S" ? 9 : max(run, letter == "y" ? run : 2)
        let digits = rest.prefix(most).prefix { $0.isASCII && $0.isNumber }
        guard let number = Int(digits) else { return nil }
        values[letter] = letter == "S" ? Int((Double("0.\(digits)") ?? 0) * 1000) : number
        rest = rest.dropFirst(digits.count)
      } else {
        guard rest.prefix(run).allSatisfy({ $0 == letter }), rest.count >= run else { return nil }
        rest = rest.dropFirst(run)
      }
    }
    guard let year = values["y"], let month = values["M"], let day = values["d"], (1...12).contains(month),
      (1...31).contains(day), (0...9999).contains(year)
    else { return nil }
    let whole = year < 100 ? 2000 + year : year
    var seconds = values["s"].map(Double.init) ?? 0
    if let first = rest.first, ".,".contains(first), let fraction = Double("0.\(rest.dropFirst())") {
      seconds += fraction
    }
    let hour = values["h"].map { $0 % 12 + (values["a"] ?? 0) } ?? values["H"] ?? 0
    let ms = ((Double(hour) * 60 + Double(values["m"] ?? 0)) * 60 + seconds) * 1000
    return Double(CalendarDate.daysSinceEpoch(whole, month, day)) * 86_400_000 + ms + Double(values["S"] ?? 0)
  }
}
