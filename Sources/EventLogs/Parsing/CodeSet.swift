import LogText

/// An SDK's enumeration of codes. Programs print the number, or the name prefixed with the type.
struct CodeSet: Sendable {
  /// The name by which the arguments of an event refer to it.
  var name: String
  /// Arguments that hold such a code, in order of preference.
  var places: [String] = []
  /// Possible prefixes of a name, normalised (`sincallendcause`).
  var prefixes: [String] = []
  /// Names by number: the name of the code, then other spellings.
  var numbers: [[String]] = []

  /// Returns the code from the first of its places that is present; else an unnamed value if it is the only
  /// one or is prefixed with the name of the type.
  func code(in arguments: LogArguments) -> String? {
    for place in places {
      if let text = arguments.text(place) { return name(of: text) ?? text }
    }
    // The expression in the program: `call.details.endCause`.
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

  // The maximum number of words of a code, and the minimum length in bytes of a code that is searched for
  // among others.
  private static let maxWords = 3
  private static let shortest = 5

  // Returns the only code after the call's object or a text about it, as a constant (`NO_ANSWER`) or in words
  // (`no answer`).
  private func amongWords(_ texts: [String]) -> String? {
    var found: Set<String> = []
    for start in texts.indices.prefix(32) {
      for count in 1...Self.maxWords where start + count <= texts.count {
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

  // The name for a number, or for a value with a prefix.
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

/// A code among unnamed words of a line: directly after a state (`ENDED (603 Decline)`), or after a word that
/// announces it (`ENDED statusCode 404`).
enum CodeWord {
  // The maximum number of arguments examined.
  private static let most = 32
  // A number before one of these is the duration of the call.
  private static let units: Set<String> = ["ms", "s", "sec", "secs", "second", "seconds", "min", "minutes"]

  /// Returns the first code that directly follows a word that announces one.
  ///
  /// - Parameter isFirst: Whether the callback's own name is such a word.
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
