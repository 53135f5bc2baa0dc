import LogText

/// What an error says in words: a reason of its own, or what Apple's prints of an `NSError` have (`Error Domain=D Code=3 "The dial failed"
/// UserInfo={NSLocalizedFailureReason=…}`), the reason of the failure before its description.
enum ErrorWords {
  private static let names = [
    "reason", "reasonText", "NSLocalizedFailureReason", "localizedFailureReason", "failureReason",
    "NSLocalizedDescription", "localizedDescription", "errorReason", "errorDescription", "description",
  ]
  /// Longest text that is taken for a reason.
  private static let longest = 300
  /// How many texts without a name are looked at: the call's object may stand in front of the error.
  private static let mostWords = 8
  /// What is no reason, though it stands where one does.
  private static let nothing: Set = ["", "nil", "null", "none", "undefined", "unknown"]

  /// The reason that the arguments have; nil where they have none.
  static func reason(in arguments: LogArguments) -> String? {
    for name in names {
      if let text = arguments.text(name), says(text) { return text }
      for around in ["UserInfo", "userInfo", "error", "withError"] {
        if let text = arguments.text("\(around).\(name)"), says(text) { return text }
      }
    }
    // The words that stand in quotes behind the code.
    guard arguments.text("Domain") != nil else { return nil }
    return (0..<mostWords).lazy.compactMap { arguments.text(String($0)) }.first(where: says)
  }

  /// Adds the words of an error as the reason, and as what is told of its code; where they stand for a code, what that means. The
  /// SDK's standard words say no more than its code.
  static func add(to arguments: inout LogArguments, codes: CodeTable, sdk: String?) {
    guard let said = reason(in: arguments) else { return }
    arguments.add("reason", word: said)
    guard let known = codes.meaning(said, sdk: sdk) else {
      if areWords(said) { arguments.add("words", word: said) }
      return
    }
    guard arguments.text("code").flatMap({ codes.meaning($0, sdk: sdk) }) == nil else { return }
    arguments.add("words", word: known.words)
    if let outcome = known.outcome { arguments.add("outcome", word: outcome.rawValue) }
  }

  /// Whether a text is more than one word of a program.
  static func areWords(_ text: String) -> Bool { text.contains(" ") }

  private static func says(_ text: String) -> Bool {
    text.utf8.count <= longest && text.contains(where: \.isLetter)
      && !nothing.contains(text.trimmed.lowercased())
      // What Objective-C prints of an object: `<REBCall: 0x60001>`.
      && !(text.hasPrefix("<") && text.hasSuffix(">"))
  }
}
