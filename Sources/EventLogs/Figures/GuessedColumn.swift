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
  /// Its name in lower case without anything but letters and digits, and its words.
  private let flat: String
  private let words: [String]
  /// The whole path in the same way: `call.id` is the id of a call.
  private let path: String

  init(_ name: String, _ texts: [String?], _ notation: FigureNotation) {
    (self.name, self.texts) = (name, texts)
    // The last part of a path names what it is.
    let last = name.split(separator: ".").last.map(String.init) ?? name
    let bare = last.prefix { !"([".contains($0) }
    words = Self.words(of: String(bare))
    flat = words.joined()
    path = Self.words(of: name).joined()
    named = Self.unit(in: last, words)
    numbers = texts.map { text in
      text.flatMap { text in
        notation.isMissing(text) ? nil : notation.plainNumber(text)
      }
    }
    let values = numbers.compactMap(\.self)
    known = values.count
    most = values.max() ?? 0
    let sorted = values.sorted()
    median = sorted.isEmpty ? 0 : sorted[sorted.count / 2]
    isWhole = values.allSatisfy { $0 == $0.rounded() }
    figure =
      known > 0 && 2 * known >= texts.count(where: { !notation.isMissing($0 ?? "") }) ? whichFigure : nil
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
    let inside = name.drop { !"([".contains($0) }.dropFirst().prefix { !")]".contains($0) }
    if let unit = FigureUnit(word: String(inside)) { return unit }
    if name.contains("%") { return .percent }
    let last = words.last.flatMap { FigureUnit(word: $0) }
    return last ?? (words.count > 1 ? words.lazy.compactMap { FigureUnit(word: $0) }.first : nil)
      ?? words.last.flatMap { FigureUnit(word: $0) }
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
        // Whole numbers without a unit are counts.
        let saysShare =
          named.map { [.percent, .ratio, .permille].contains($0) } ?? false
          || ["rate", "ratio", "quote", "anteil", "taux", "tasa", "tasso", "percent"].contains(
            where: flat.contains)
        guard
          saysShare || !isWhole
            || most <= 100
              && !FigureNames.installed.figures.contains(where: {
                $0.figure == "packets" && $0.any.contains(where: has)
              })
        else { continue }
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
    return grown + fallen > 0 && fallen == 0
  }

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
  var callRank: Int { figure != nil || timeRank > 600 || isMedium ? 0 : rank(FigureNames.installed["calls"]) }

  /// How likely it names an end; 0 if it cannot.
  var endRank: Int { figure != nil || isTime || isMedium || isWay ? 0 : rank(FigureNames.installed["ends"]) }

  /// How likely it is the time; 0 if its values are none.
  var timeRank: Int { isTime ? max(1, rank(FigureNames.installed["times"])) : 0 }

  private var isTime: Bool {
    var clock = FigureClock(zone: nil)
    let some = texts.compactMap { $0?.trimmed }.filter { !$0.isEmpty }.prefix(20)
    return !some.isEmpty
      && some.allSatisfy { text in
        if let number = Double(text), number < 6e8 { return false }
        return clock.ms(text, nil, nil, heading: name) != nil
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
}
