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
    if let code = CodeWord.find(in: arguments, behind: isPlace, isCode: { name(of: $0) != nil }) {
      return name(of: code)
    }
    let loose = arguments.members.filter { Int($0.name) != nil || $0.name == "value" }
    let texts = loose.compactMap { LogArguments.plain($0.json) }
    if loose.count == 1, let text = texts.first, let code = name(of: text) ?? bare(text) { return code }
    return texts.lazy.filter { Int($0) == nil }.compactMap(name).first
  }

  // Whether a word is the last part of a place's name.
  private func isPlace(_ word: String) -> Bool {
    let word = Dialect.normal(word)
    return places.contains { $0.split(separator: ".").last.map { Dialect.normal($0) } == word }
  }

  // The name of a number, or of what has a prefix.
  private func name(of text: String) -> String? {
    if let number = Int(text) { return numbers.indices.contains(number) ? numbers[number].first : nil }
    let whole = Dialect.normal(text)
    for prefix in prefixes where whole.hasPrefix(prefix) {
      let name = whole.dropFirst(prefix.count)
      if let found = numbers.first(where: { $0.contains { Dialect.normal($0) == name } }) {
        return found.first
      }
    }
    return nil
  }

  private func bare(_ text: String) -> String? {
    let wanted = Dialect.normal(text)
    return numbers.joined().contains { Dialect.normal($0) == wanted } ? text : nil
  }
}
