import CallModel
import LogText

/// A column, with what its name and values say.
struct GuessedColumn {
  let name: String
  let texts: [String?]
  /// The figure that its name and values mean; nil if none.
  private(set) var figure: String?
  /// How many of its values are numbers, and the largest one.
  private(set) var known = 0
  private(set) var most = 0.0
  private let numbers: [Double?]
  private let median: Double
  private let isWhole: Bool
  private let named: FigureUnit?
  private let hasPackets: Bool
  /// Its name in lower case without anything but letters and digits, and its words.
  private let flat: String
  private let words: [String]
  /// The whole path in the same way: `call.id` is the id of a call.
  private let path: String

  /// The medium and the direction in its name.
  let kind: MediaKind?
  let way: StreamDirection?
  /// Whose end it is of, where the ends lie side by side: `caller`, `callee`.
  let role: String?
  /// Its dates, where day and month may be taken for each other.
  let dates: SlashedDates?

  /// - Parameters:
  ///   - unit: what the row of units says.
  ///   - hasPackets: whether the table counts packets, so that whole numbers of losses are counts too.
  init(
    _ name: String, _ texts: [String?], _ notation: FigureNotation, unit: String = "",
    hasPackets: Bool = false
  ) {
    (self.name, self.texts, self.hasPackets) = (name, texts, hasPackets)
    // The last part of a path names what it is; a heading may have a dot in a word that is cut.
    let last = name.contains(" ") ? name : name.split(separator: ".").last.map(String.init) ?? name
    let bare = last.prefix { !"([（".contains($0) }
    words = Self.words(of: String(bare))
    flat = words.joined()
    let steps = Self.words(of: name)
    path = steps.joined()
    kind = MediaWords.kind(in: steps)
    let isFar = steps.contains { FigureNames.installed["far"].contains($0) }
    way = isFar ? .outbound : steps.lazy.compactMap(MediaWords.direction).first
    role = ["caller", "callee"].first { role in steps.contains { FigureNames.installed[role].contains($0) } }
    let known = texts.compactMap(\.self).filter { !notation.isMissing($0) }
    let isISO = known.contains { FigureNotation.isoSeconds($0) != nil }
    named = isISO ? .iso : FigureUnit(word: unit) ?? Self.unit(in: last, words)
    numbers = texts.map { text in
      text.flatMap { text in
        notation.isMissing(text)
          ? nil : notation.plainNumber(text) ?? FigureNotation.seconds(text).map { $0 * 1000 }
      }
    }
    let values = numbers.compactMap(\.self)
    dates = SlashedDates(known.prefix(200), isDayLikelier: notation.hasDecimalComma)
    self.known = values.count
    most = values.max() ?? 0
    let sorted = values.sorted()
    median = sorted.isEmpty ? 0 : sorted[sorted.count / 2]
    isWhole = values.allSatisfy { $0 == $0.rounded() }
    figure = values.count > 0 && 2 * values.count >= known.count ? whichFigure : nil
  }

  /// `packetsLost` and `packets_lost` as words.
  private static func words(of name: String) -> [String] {
    var words: [String] = []
    var wasLower = false
    var isOpen = false
    for character in name {
      guard character.isLetter || character.isNumber || character == "%" else {
        (isOpen, wasLower) = (false, false)
        continue
      }
      let begins = !isOpen || wasLower && character.isUppercase
      if begins { words.append("") }
      words[words.count - 1] += character.lowercased()
      (isOpen, wasLower) = (true, character.isLowercase || character.isNumber)
    }
    return words
  }

  private static func unit(in name: String, _ words: [String]) -> FigureUnit? {
    let inside = name.drop { !"([（".contains($0) }.dropFirst().prefix { !")]）".contains($0) }
    if let unit = FigureUnit(word: String(inside)) { return unit }
    if name.contains("%") || name.contains("％") { return .percent }
    // `BitsPerSecond`, `jitter_ms`.
    let ends = (1...3).reversed().lazy.compactMap { FigureUnit(word: words.suffix($0).joined()) }
    return ends.first ?? (words.count > 1 ? words.lazy.compactMap { FigureUnit(word: $0) }.first : nil)
  }

  /// Whether its name has a word: short ones as a whole, longer ones anywhere.
  private func has(_ word: String) -> Bool {
    word.utf8.count <= 3 && word.allSatisfy(\.isASCII) ? words.contains(word) : flat.contains(word)
  }

  private var whichFigure: String? {
    for kind in FigureNames.installed.figures where kind.any.contains(where: has) {
      guard kind.also.isEmpty || kind.also.contains(where: has), !kind.none.contains(where: has) else {
        continue
      }
      switch kind.figure {
      case "loss_percent", "loss_max_percent", "discarded_percent":
        let saysShare =
          named.map { [.percent, .ratio, .permille].contains($0) } ?? false
          || FigureNames.installed["shares"].contains(where: flat.contains)
        // Whole numbers of what was lost are counts, beside packets also those of a loss.
        let packets = FigureNames.installed.figures.first { $0.figure == "packets" }?.any ?? []
        let isCount =
          hasPackets || packets.contains(where: has) || FigureNames.installed["counted"].contains(where: has)
        guard saysShare || !isWhole || !isCount else { continue }
        guard most <= 100 else { continue }
      case "lost", "packets", "bytes": guard isWhole else { continue }
      case "mos", "mos_min", "mos_listening", "mos_conversational": guard most <= 5 else { continue }
      default: break
      }
      return kind.figure
    }
    return nil
  }

  /// Whether the name or the values say the unit.
  var saysUnit: Bool { named != nil }

  /// Whether it is a delay of which it is open whether it is of one way or both.
  var mayBeOneWay: Bool { FigureNames.installed["delays"].contains(where: has) }

  /// Whether its name is that of a MOS, and its values are on no scale of one.
  var isOddScore: Bool {
    let scores = FigureNames.installed.figures.first { $0.figure == "mos" }?.any ?? []
    return figure == nil && most > 5 && scores.contains(where: has)
  }

  /// Whether its values are numbers.
  var isOfNumbers: Bool { known > 0 }

  /// The unit of its values as a figure; nil if the figure has none.
  func unit(of figure: String) -> FigureUnit? {
    if let named, named.fits(figure), named != .text { return named }
    if figure.hasSuffix("_ms") { return median < 3 && most < 10 && !isWhole ? .seconds : .milliseconds }
    if figure.hasSuffix("_percent") { return most <= 1 ? .ratio : .percent }
    if figure.hasSuffix("_bps") { return median < 10_000 ? .kilobits : .bitsPerSecond }
    return nil
  }

  /// Whether it only grows within what a key tells apart.
  func grows(by key: (Int) -> String) -> Bool {
    var last: [String: Double] = [:]
    var (grown, fallen) = (0, 0)
    for (index, number) in numbers.enumerated() {
      guard let number else { continue }
      let key = key(index)
      if let before = last[key] {
        if number < before { fallen += 1 } else if number > before { grown += 1 }
      }
      last[key] = number
    }
    // A counter begins anew where somebody comes again.
    return 8 * fallen < grown
  }

  /// Whether all of its values are one: it may be a counter of what did not happen.
  var isLevel: Bool { Set(numbers.compactMap(\.self)).count == 1 }

  // MARK: What else it may be

  private var distinct: Set<String> { Set(texts.compactMap { $0?.trimmed }.filter { !$0.isEmpty }) }

  private func rank(_ names: [String]) -> Int {
    for (index, name) in names.enumerated() where flat == name || path == name { return 1000 - index }
    for (index, name) in names.enumerated()
    where name.utf8.count > 3 && flat.contains(name) || words.contains(name) {
      return 500 - index
    }
    return 0
  }

  /// How likely it tells calls apart; 0 if it cannot.
  var callRank: Int {
    figure != nil || timeRank > 600 || isMedium || role != nil ? 0 : rank(FigureNames.installed["calls"])
  }

  /// Whether it is the id of whatever a row is.
  var isID: Bool {
    words.last.map(FigureNames.installed["ids"].contains) == true && endRank == 0
      && distinct.count == texts.count
  }

  /// How likely it names an end; 0 if it cannot, as the id of a connection or the other end.
  var endRank: Int {
    let isOther = words.contains {
      FigureNames.installed["connections"].contains($0) || FigureNames.installed["far"].contains($0)
    }
    return figure != nil || isTime || isMedium || isWay || isOther ? 0 : rank(FigureNames.installed["ends"])
  }

  /// How likely it is the time; 0 if its values are none.
  var timeRank: Int {
    // What is above the rows is of all of them.
    isTime ? "/^".contains(name.prefix(1)) ? 1 : max(2, rank(FigureNames.installed["times"])) : 0
  }

  var isTime: Bool { isTime { $0 } }

  /// Whether it is a day, of which another column has the time.
  var isDay: Bool {
    !isOfNumbers && !distinct.contains { $0.contains(":") } && (isTime || isTime { $0 + " 00:00:00" })
  }

  /// Whether it is a time of day, of which another column has the day.
  var isTimeOfDay: Bool {
    distinct.allSatisfy { $0.contains(":") } && !isTime && isTime { "2020-01-01 " + $0 }
  }

  /// Whether it is a time at which a call ended.
  var isEnd: Bool { isTime && rank(FigureNames.installed["untils"]) > 0 }

  private func isTime(_ whole: (String) -> String) -> Bool {
    var clock = FigureClock(zone: nil)
    let some = texts.compactMap { $0?.trimmed }.filter { !$0.isEmpty && $0 != "0" }.prefix(20)
    return !some.isEmpty
      && some.allSatisfy { text in
        if let number = Double(text), number < 6e8 { return false }
        let text = whole(text)
        return clock.ms(text, nil, dates?.form(of: text).flatMap { DatePattern($0) }) != nil
      }
  }

  /// Whether its words are media, or directions.
  var isMedium: Bool {
    isOfWords { MediaWords.kind($0) != nil } && rank(FigureNames.installed["ends"]) < 600
      && rank(FigureNames.installed["calls"]) == 0
  }
  var isWay: Bool { isOfWords { MediaWords.direction($0) != nil } }

  private func isOfWords(_ isKnown: (String) -> Bool) -> Bool {
    let words = distinct
    return !words.isEmpty && words.count <= 8 && words.allSatisfy { isKnown($0.lowercased()) }
  }

  /// Whether it is how long a call was.
  var isTalk: Bool { isOfNumbers && rank(FigureNames.installed["talks"]) > 0 }

  /// Whether it is how long an interval is.
  var isEvery: Bool { isOfNumbers && rank(FigureNames.installed["intervals"]) > 0 }
}
