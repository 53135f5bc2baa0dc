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
