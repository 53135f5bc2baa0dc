import LogText

/// The state named by the arguments of an enumeration's callback.
struct StateChoice {
  /// The meaning of the state.
  var entry: Dialect.Entry
  /// The state, normalised and without its prefix.
  var state: String
  var spelling: Spelling

  /// How the state is written: with the enumeration's own prefix, as a bare word, or as a number.
  enum Spelling { case prefixed, word, number }
}

extension Dialect {
  /// The maximum number of arguments searched for an unnamed state, and the maximum length of a word that may
  /// be one.
  private static let maxArguments = 32
  private static let longestState = 64
  /// The maximum number of words in a state: `NO MB CAPACITY`.
  private static let maxWords = 3

  /// Returns the state of a callback, from the first of these that applies: the last state after an arrow, or
  /// after `to` between two states; the argument that the entry names, or the first argument, unless another
  /// state is next to it; the only word that is a state; a number in a position given by the entry, or as the
  /// only argument. Nil if there is none, or if several words are states.
  func stateChoice(of entry: Entry, in arguments: LogArguments) -> StateChoice? {
    if let reached = stateReached(of: entry, in: arguments) ?? stateBehindTo(of: entry, in: arguments) {
      return reached
    }
    var places: [StateChoice] = []
    for path in entry.decidedBy {
      guard let text = arguments.text(path), let choice = state(text, of: entry) else { continue }
      guard let place = Int(path) else { return choice }
      if place == 0, choice.spelling != .number {
        return isBesideAnother(choice, of: entry, in: arguments) ? nil : choice
      }
      places.append(choice)
    }
    switch onlyState(of: entry, in: arguments) {
    case .one(let choice): return choice
    case .several: return nil
    case .none: break
    }
    if let place = places.first { return place }
    guard arguments.members.count == 1, let text = LogArguments.plain(arguments.members[0].json) else {
      return nil
    }
    return state(text, of: entry)
  }

  private enum Found {
    case none, one(StateChoice), several
  }

  // The last state after an arrow. A number counts only if there is one before the arrow too.
  private func stateReached(of entry: Entry, in arguments: LogArguments) -> StateChoice? {
    guard !arguments.reached.isEmpty else { return nil }
    let words = words(of: arguments)
    for name in arguments.reached.reversed() {
      guard let at = arguments.members.firstIndex(where: { $0.name == name }), at < words.count else {
        continue
      }
      if let found = longestState(at: at, in: words, of: entry) { return found.choice }
      if at > 0, let number = state(words[at], of: entry), state(words[at - 1], of: entry) != nil {
        return number
      }
    }
    return nil
  }

  // The new state in words: `from RINGING to BUSY`.
  private func stateBehindTo(of entry: Entry, in arguments: LogArguments) -> StateChoice? {
    let words = words(of: arguments)
    for at in words.indices.dropFirst().dropLast() where words[at].lowercased() == "to" {
      guard Int(arguments.members[at].name) != nil, state(words[at - 1], of: entry) != nil else { continue }
      if let found = longestState(at: at + 1, in: words, of: entry) { return found.choice }
    }
    return nil
  }

  // Whether the first word is a state directly followed by another one, so that it is unclear which is new.
  private func isBesideAnother(_ first: StateChoice, of entry: Entry, in arguments: LogArguments) -> Bool {
    let words = words(of: arguments)
    guard let start = arguments.members.firstIndex(where: { $0.name == "0" }), start < words.count else {
      return false
    }
    let next = start + (longestState(at: start, in: words, of: entry)?.length ?? 1)
    guard next < words.count, Int(arguments.members[next].name) != nil else { return false }
    return longestState(at: next, in: words, of: entry).map { $0.choice.state != first.state } ?? false
  }

  // The values, except those too long for a state.
  private func words(of arguments: LogArguments) -> [String] {
    arguments.members.prefix(Self.maxArguments).map { member in
      let isLong = member.json.utf8.count > 2 * Self.longestState
      return isLong ? "" : LogArguments.plain(member.json) ?? ""
    }
  }

  private func onlyState(of entry: Entry, in arguments: LogArguments) -> Found {
    let words = words(of: arguments)
    var found: StateChoice?
    var at = 0
    while at < words.count {
      let choice = longestState(at: at, in: words, of: entry)
      if let choice, choice.choice.state != found?.state {
        guard found == nil else { return .several }
        found = choice.choice
      }
      at += choice?.length ?? 1
    }
    return found.map(Found.one) ?? .none
  }

  private func longestState(at start: Int, in words: [String], of entry: Entry) -> (
    choice: StateChoice, length: Int
  )? {
    for length in (1...Self.maxWords).reversed() where start + length <= words.count {
      let text = words[start..<(start + length)].joined(separator: " ")
      guard text.utf8.count <= Self.longestState, let choice = state(text, of: entry),
        choice.spelling != .number
      else { continue }
      return (choice, length)
    }
    return nil
  }

  private func state(_ text: String, of entry: Entry) -> StateChoice? {
    let text = Self.behindArrow(text)
    for name in entry.enumerations {
      guard let enumeration = self.enums.first(where: { $0.name == name }),
        let meaning = value(text, of: enumeration)
      else { continue }
      let isPrefixed = value(text, of: enumeration, allowBare: false) != nil
      return StateChoice(
        entry: meaning, state: state(text, of: enumeration),
        spelling: isPrefixed ? .prefixed : Int(text) != nil ? .number : .word)
    }
    return nil
  }

  /// Whether a word is the given state.
  func isState(_ word: String, _ wanted: String, of entry: Entry) -> Bool {
    word.utf8.count <= Self.longestState && state(word, of: entry)?.state == wanted
  }

  // What the last arrow in a text points to, else the text: `SETUP->RINGING`.
  private static func behindArrow(_ text: String) -> String {
    guard text.utf8.count <= 2 * longestState,
      text.utf8.contains(where: { $0 == UInt8(ascii: ">") || $0 == 0xE2 })
    else {
      return text
    }
    let ends = LenientWords.arrows.compactMap { text.ranges(of: $0).last?.upperBound }
    return ends.max().map { String(text[$0...]).trimmed } ?? text
  }

  /// Returns a state of an enumeration, normalised and without its prefix.
  func state(_ raw: String, of enumeration: Enumeration) -> String {
    if let number = Int(raw), enumeration.numbers.indices.contains(number) {
      return enumeration.numbers[number]
    }
    let name = LogName.normal(raw)
    let prefix = enumeration.prefixes.first { name.hasPrefix($0) && name.utf8.count > $0.utf8.count }
    return prefix.map { String(name.dropFirst($0.count)) } ?? name
  }
}

extension Dialects {
  /// The number of SDKs with the given normalised state.
  func count(withState state: String) -> Int {
    all.count { dialect in dialect.enums.contains { $0.values[state] != nil } }
  }
}
