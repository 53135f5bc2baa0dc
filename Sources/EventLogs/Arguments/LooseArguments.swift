import Bytes

/// Reads what stands behind a callback's name in a line: `(attempt: 1, delay: 0.5)`, `attempt=1 delay=500`, `: RINGING`, `(1, 500)`.
enum LooseArguments {
  private static let limit = 20
  /// Most objects in a row that are read as such; what follows them is words.
  private static let mostObjects = 20

  static func read(_ bytes: ArraySlice<UInt8>) -> LogArguments {
    var found: LogArguments?
    var rest = bytes
    for _ in 0..<mostObjects {
      guard let (members, behind) = object(rest) else { break }
      found = found?.adding(members) ?? members
      rest = behind
    }
    let words = loose(rest)
    return found?.adding(words) ?? words
  }

  // What stands in front of it: a colon, a bracket, the quote that ends the name, the comma behind that.
  private static let leads: Set<UInt8> = [
    UInt8(ascii: ":"), UInt8(ascii: "("), UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: ","),
  ]

  // An object that is the first argument, or is read as its arguments: its members.
  private static func object(_ bytes: ArraySlice<UInt8>) -> (LogArguments, rest: ArraySlice<UInt8>)? {
    let text = bytes.drop { $0 <= UInt8(ascii: " ") || leads.contains($0) }
    guard text.first == UInt8(ascii: "{") || text.first == UInt8(ascii: "["),
      let end = LooseObject.end(of: text.prefix(LooseObject.limit))
    else {
      return nil
    }
    let strict = text[..<end].withUnsafeBufferPointer { try? LogArguments(object: $0) }
    return (strict ?? LooseObject.members(text[..<end])).map { ($0, text[end...]) }
  }

  private static func loose(_ bytes: ArraySlice<UInt8>) -> LogArguments {
    var arguments = LogArguments()
    var isPhrase = true
    var position = 0
    var name: String?
    let words = LooseWords.read(bytes)
    for (number, word) in words.enumerated() {
      let text = word.text
      let count = arguments.members.count
      let pair = Self.pair(text)
      let isJoined =
        word.value != nil || word.isAssigned || pair.map { !$0.1.isEmpty || text.last == "=" } ?? false
      isPhrase = isPhrase && !word.isParted && !isJoined
      if isPhrase { arguments.phrase.append(text) }
      if word.isAssigned {
        name = text
      } else if let value = word.value {
        arguments.append(text, word: value)
      } else if let (left, right) = pair {
        if right.isEmpty { name = left } else { arguments.append(left, word: right) }
      } else if let waiting = name {
        arguments.append(waiting, word: text)
        name = nil
      } else {
        arguments.append(String(position), word: text)
        position += 1
      }
      if word.isReached, arguments.members.count > count {
        arguments.reached.append(arguments.members[count].name)
      }
      if arguments.members.count >= limit {
        arguments.leaveOut(words.count - number - 1)
        break
      }
    }
    return arguments
  }

  private static func pair(_ word: String) -> (String, String)? {
    guard let index = word.firstIndex(where: { $0 == "=" || $0 == ":" }) else { return nil }
    let left = String(word[..<index])
    guard LooseWords.isName(left) else { return nil }
    // An address is no pair of its scheme and the rest.
    if word[index...].hasPrefix("://") { return nil }
    return (left, String(word[word.index(after: index)...]))
  }
}
