import LogText

/// The text of an error: an explicit reason, or the parts of a printed `NSError` (`Error Domain=D Code=3 "The
/// dial failed" UserInfo={NSLocalizedFailureReason=…}`), where the failure reason is preferred to the
/// description.
enum ErrorWords {
  private static let names = [
    "reason", "reasonText", "NSLocalizedFailureReason", "localizedFailureReason", "failureReason",
    "NSLocalizedDescription", "localizedDescription", "errorReason", "errorDescription", "description",
  ]
  /// The maximum length of a text used as a reason.
  private static let longest = 300
  /// The number of unnamed texts examined. The call's object may precede the error.
  private static let maxWords = 8
  /// Placeholders that are not reasons.
  private static let nothing: Set = ["", "nil", "null", "none", "undefined", "unknown"]

  /// The reason in the arguments; nil if there is none.
  static func reason(in arguments: LogArguments) -> String? {
    for name in names {
      if let text = arguments.text(name), says(text) { return text }
      for around in ["UserInfo", "userInfo", "error", "withError"] {
        if let text = arguments.text("\(around).\(name)"), says(text) { return text }
      }
    }
    // The quoted text after the code.
    guard arguments.text("Domain") != nil else { return nil }
    return (0..<maxWords).lazy.compactMap { arguments.text(String($0)) }.first(where: says)
  }

  /// Adds an error's text as the reason, and as the explanation of its code; if the text itself is a known
  /// code, its meaning is added. The SDK's standard texts add nothing to its code.
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

  /// Whether a text is more than a single identifier.
  static func areWords(_ text: String) -> Bool { text.contains(" ") }

  private static func says(_ text: String) -> Bool {
    text.utf8.count <= longest && text.contains(where: \.isLetter)
      && !nothing.contains(text.trimmed.lowercased())
      // An object as Objective-C prints it: `<REBCall: 0x60001>`.
      && !(text.hasPrefix("<") && text.hasSuffix(">"))
  }
}
