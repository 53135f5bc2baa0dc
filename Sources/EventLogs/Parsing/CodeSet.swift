import LogText

/// Codes that an SDK has as an enumeration: programs print the number, or the name behind that of the type.
struct CodeSet: Sendable {
  /// The name under which the arguments of an event refer to it.
  var name: String
  /// Arguments that hold such a code, best first.
  var places: [String] = []
  /// What may stand in front of a name, normalised (`sincallendcause`).
  var prefixes: [String] = []
  /// Names by number: how the code is called, and other spellings.
  var numbers: [[String]] = []

  /// The code in the first of its places that is there; else what stands without a name, if it is all that does, or has the type's
  /// name in front of it.
  func code(in arguments: LogArguments) -> String? {
    for place in places {
      if let text = arguments.text(place) { return name(of: text) ?? text }
    }
    // An expression of the program: `call.details.endCause`.
    for place in places {
      let wanted = LogName.normal(place)
      let member = arguments.members.first { member in
        member.name.split(separator: ".").last.map { LogName.normal($0) } == wanted
      }
      if let text = member.flatMap({ LogArguments.plain($0.json) }) { return name(of: text) ?? text }
    }
    if let code = CodeWord.find(in: arguments, behind: isPlace, isCode: { name(of: $0) != nil }) {
      return name(of: code)
    }
    let loose = arguments.members.filter { Int($0.name) != nil || $0.name == "value" }
    let texts = loose.compactMap { LogArguments.plain($0.json) }
    if loose.count == 1, let text = texts.first, let code = name(of: text) ?? bare(text) { return code }
    return texts.lazy.filter { Int($0) == nil }.compactMap(name).first ?? amongWords(texts)
  }

  // Most words of a code, and fewest bytes of one that is looked for among others.
  private static let mostWords = 3
  private static let shortest = 5

  // Behind a call's object or words on it, the only code that stands there: as a constant (`NO_ANSWER`), or in words (`no answer`).
  private func amongWords(_ texts: [String]) -> String? {
    var found: Set<String> = []
    for start in texts.indices.prefix(32) {
      for count in 1...Self.mostWords where start + count <= texts.count {
        let words = texts[start..<(start + count)]
        let isConstant =
          count == 1 && words.allSatisfy { $0.utf8.allSatisfy { $0.isASCIICapital || $0 == 0x5F } }
        guard count > 1 || isConstant else { continue }
        let text = LogName.normal(words.joined(separator: " "))
        guard text.utf8.count >= Self.shortest else { continue }
        if let names = numbers.first(where: { $0.contains { LogName.normal($0) == text } }),
          let name = names.first
        {
          found.insert(name)
        }
      }
    }
    return found.count == 1 ? found.first : nil
  }

  // Whether a word is the last part of a place's name.
  private func isPlace(_ word: String) -> Bool {
    let word = LogName.normal(word)
    return places.contains { $0.split(separator: ".").last.map { LogName.normal($0) } == word }
  }

  // The name of a number, or of what has a prefix.
  private func name(of text: String) -> String? {
    if let number = Int(text) { return numbers.indices.contains(number) ? numbers[number].first : nil }
    let whole = LogName.normal(text)
    for prefix in prefixes where whole.hasPrefix(prefix) {
      let name = whole.dropFirst(prefix.count)
      if let found = numbers.first(where: { $0.contains { LogName.normal($0) == name } }) {
        return found.first
      }
    }
    return nil
  }

  private func bare(_ text: String) -> String? {
    let wanted = LogName.normal(text)
    return numbers.joined().contains { LogName.normal($0) == wanted } ? text : nil
  }
}

/// A code among the words of a line, none of which has a name: right behind a state (`ENDED (603 Decline)`), or behind the word that
/// says what it is (`ENDED statusCode 404`).
enum CodeWord {
  // Most arguments looked at.
  private static let most = 32
  // A number in front of one of them says how long the call lasted.
  private static let units: Set<String> = ["ms", "s", "sec", "secs", "second", "seconds", "min", "minutes"]

  /// The first word that is a code, right behind a word that announces one.
  ///
  /// - Parameter isFirst: whether the callback's name is such a word itself.
  static func find(
    in arguments: LogArguments, behind announces: (String) -> Bool, isFirst: Bool = false,
    isCode: (String) -> Bool
  ) -> String? {
    var words: [String] = []
    for member in arguments.members.prefix(most) where Int(member.name) != nil {
      words.append(LogArguments.plain(member.json) ?? "")
    }
    for (index, word) in words.enumerated() where index > 0 ? announces(words[index - 1]) : isFirst {
      let next = index + 1 < words.count ? words[index + 1].lowercased() : ""
      if isCode(word), !units.contains(next) { return word }
    }
    return nil
  }
}
