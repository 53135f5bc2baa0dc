import LogText

/// The unit in which a source gives a figure.
enum FigureUnit: String, CaseIterable {
  case seconds = "s"
  case milliseconds = "ms"
  case microseconds = "us"
  /// A duration of ISO 8601: `PT0.012S`.
  case iso
  case percent, ratio, permille
  case bitsPerSecond = "bit/s"
  case kilobits = "kbit/s"
  case megabits = "Mbit/s"
  case bytesPerSecond = "byte/s"
  case kilobytes = "kbyte/s"
  case minutes = "min"
  /// The figure times ten, a hundred, a thousand.
  case tenfold = "x10"
  case hundredfold = "x100"
  case thousandfold = "x1000"
  /// Samples of the RTP clock.
  case samples
  /// The unit is in each value: `27.15 kbps`.
  case text

  /// A number in this unit in the figure's own: ms, per cent, bit/s. Divided where that is exact.
  ///
  /// - Parameter clockHz: the RTP clock, for a time in samples.
  func converted(_ number: Double, clockHz: Double = 8000) -> Double {
    switch self {
    case .seconds, .kilobits: number * 1000
    case .microseconds, .thousandfold: number / 1000
    case .ratio: number * 100
    case .permille, .tenfold: number / 10
    case .megabits: number * 1_000_000
    case .bytesPerSecond: number * 8
    case .kilobytes: number * 8000
    case .hundredfold: number / 100
    case .minutes: number * 60_000
    case .samples: number * 1000 / clockHz
    case .milliseconds, .percent, .bitsPerSecond, .iso, .text: number
    }
  }

  /// The unit that is written behind a number, in any language; nil if it is none.
  init?(word: String) {
    let word = word.lowercased().filter { !" ().[]（）".contains($0) }
    guard let unit = FigureNames.installed.units[word] else { return nil }
    self = unit
  }

  /// Whether the unit can be one of a figure.
  func fits(_ figure: String) -> Bool {
    switch self {
    case .seconds, .milliseconds, .microseconds, .iso, .samples, .minutes:
      figure.hasSuffix("_ms") || figure == "duration_s"
    case .percent, .ratio, .permille: figure.hasSuffix("_percent")
    case .bitsPerSecond, .kilobits, .megabits, .bytesPerSecond, .kilobytes: figure.hasSuffix("_bps")
    case .tenfold, .hundredfold, .thousandfold, .text: true
    }
  }
}

/// How a source writes numbers and what it does not know.
struct FigureNotation: Sendable {
  /// Whether a comma parts the decimals.
  var hasDecimalComma = false
  /// What stands for an unknown value, in lower case, in addition to the usual words.
  var missing: Set<String> = [] { didSet { missingNumbers = missing.compactMap(Double.init) } }
  private var missingNumbers: [Double] = []

  init(hasDecimalComma: Bool = false) { self.hasDecimalComma = hasDecimalComma }

  /// What means unknown everywhere.
  private static let unknown: Set<String> = [
    "", "-", "--", "n/a", "na", "nan", "null", "nil", "none", "undefined", "unknown", "\\n", "inf", "-nan",
    "?",
    "k.a.", "#n/a", "-1",
  ]
  private static let longestNumber = 60
  private static let plain = UInt8(ascii: "-")...UInt8(ascii: "9")

  /// Whether a text stands for nothing known.
  func isMissing(_ text: String) -> Bool {
    let word = text.trimmed.lowercased()
    return Self.unknown.contains(word) || missing.contains(word)
      || !missingNumbers.isEmpty && Double(word).map(missingNumbers.contains) == true
  }

  /// A figure's value in its own unit (ms, per cent, bit/s); nil if it is missing or no number.
  func number(_ value: SummaryTree.Value?, _ source: FigureSource) -> Double? {
    guard var text = value?.text.trimmed, !isMissing(text) else { return nil }
    if let part = source.part {
      guard let found = Self.part(part, of: text), !isMissing(found) else { return nil }
      text = found
    }
    if source.figure.name == "duration_s" || source.unit == .iso, let seconds = Self.seconds(text) {
      return seconds * 1000
    }
    guard let (number, rest) = leading(text) else { return nil }
    let name = source.figure.name
    if name == "height", let times = rest.first, "*x×".contains(times) {
      return leading(String(rest.dropFirst()).trimmed)?.number
    }
    var unit = source.unit
    if !rest.isEmpty, name != "width" {
      // The unit in a value wins.
      guard let own = FigureUnit(word: rest), own.fits(name) else { return nil }
      unit = own
    } else if unit == .text, !["width", "frame_rate"].contains(name) {
      return nil
    }
    let result = unit?.converted(number, clockHz: source.clockHz) ?? number
    return result.isFinite ? result : nil
  }

  /// The number at the start of a text, whatever unit follows; nil if there is none.
  func plainNumber(_ text: String) -> Double? {
    guard let (number, rest) = leading(text.trimmed), rest.isEmpty || FigureUnit(word: rest) != nil else {
      return nil
    }
    return number
  }

  /// The number at the start of a text, and what follows it.
  private func leading(_ text: String) -> (number: Double, rest: String)? {
    guard text.utf8.count <= Self.longestNumber else { return nil }
    // Most are plain.
    if !hasDecimalComma, text.utf8.allSatisfy(Self.plain.contains), let value = Double(text) {
      return (value, "")
    }
    let digits = text.prefix { $0.isNumber && $0.isASCII || "+-.,eE'\u{a0}".contains($0) }
    var number = String(digits)
    while let last = number.last, "eE,.".contains(last) { number.removeLast() }
    let rest = String(text.dropFirst(number.count)).trimmed
    number.removeAll { $0 == "'" || $0 == "\u{a0}" }
    if hasDecimalComma {
      number = String(number.filter { $0 != "." }.map { $0 == "," ? "." : $0 })
    } else {
      number.removeAll { $0 == "," }
    }
    guard let value = Double(number), value.isFinite else { return nil }
    return (value, rest)
  }

  /// The value of a name in a text of many: `lp=3;rxjitter=0.002`, `MLQKav=4.41;CCR=0.004`.
  static func part(_ name: String, of text: String) -> String? {
    for part in text.split(whereSeparator: { ";,&| ".contains($0) }) {
      guard let equals = part.firstIndex(where: { $0 == "=" || $0 == ":" }) else { continue }
      if part[..<equals].caseInsensitiveCompare(name) {
        return String(part[part.index(after: equals)...]).trimmed
      }
    }
    return nil
  }

  /// Seconds of a duration of ISO 8601, or of a clock.
  static func seconds(_ text: String) -> Double? { isoSeconds(text) ?? clockSeconds(text) }

  /// Seconds of `01:02:03` and `02:03`; nil for anything else.
  private static func clockSeconds(_ text: String) -> Double? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { Double($0) }
    guard (2...3).contains(parts.count), !parts.contains(nil) else { return nil }
    return parts.compactMap(\.self).reduce(0) { 60 * $0 + $1 }
  }

  /// Seconds of `PT1M0.5S`, `P1DT2H`; nil for anything else.
  static func isoSeconds(_ text: String) -> Double? {
    guard text.first == "P", text.utf8.count <= longestNumber else { return nil }
    var (sum, isTime, digits, isAny) = (0.0, false, "", false)
    for character in text.dropFirst() {
      if character == "T", digits.isEmpty {
        isTime = true
        continue
      }
      if character.isNumber || character == "." {
        digits.append(character)
        continue
      }
      let seconds: [Character: Double] = isTime ? ["H": 3600, "M": 60, "S": 1] : ["W": 604_800, "D": 86_400]
      guard let unit = seconds[character], let number = Double(digits) else { return nil }
      sum += unit * number
      (digits, isAny) = ("", true)
    }
    return isAny && digits.isEmpty ? sum : nil
  }
}

extension Substring {
  fileprivate func caseInsensitiveCompare(_ other: String) -> Bool {
    utf8.count == other.utf8.count && lowercased() == other.lowercased()
  }
}

/// Where a figure is found in a row, and what it is.
struct FigureSource: Sendable {
  /// Since when a counter counts.
  enum Counts: String, Sendable { case interval, call }

  var figure: SummaryFigure
  /// The first that has a value counts.
  var paths: [FigurePath]
  var unit: FigureUnit?
  var counts: Counts?
  /// The name of the value in a text of many.
  var part: String?
  /// The RTP clock, Hz, for times in samples.
  var clockHz = 8000.0
}
