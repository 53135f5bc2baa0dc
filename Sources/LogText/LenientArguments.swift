/// Parses what follows a callback's name in a line: `(attempt: 1, delay: 0.5)`, `attempt=1 delay=500`, `: RINGING`,
/// `(1, 500)`, `response {"status":"success"}`, `id=1 data={"uuid":"u-1"}`.
public struct LenientArguments {
  /// The most arguments parsed from words.
  private static let limit = 20
  /// The most objects parsed in a line; the rest is parsed as words.
  private static let maxObjects = 20
  /// The most brackets in a line at which parsing an object is attempted without success.
  private static let maxBrackets = 4

  private var found = LogArguments()
  private var position = 0
  private var count = 0
  private var isPhrase = true

  public static func read(_ bytes: ArraySlice<UInt8>) -> LogArguments {
    var reader = LenientArguments()
    var rest = bytes
    var tried = 0
    for _ in 0..<maxObjects {
      guard let object = leadingObject(rest) ?? object(in: rest, &tried) else { break }
      reader.take(words: rest[..<object.start])
      reader.found = reader.found.adding(object.members)
      reader.isPhrase = false
      rest = rest[object.end...]
    }
    reader.take(words: rest)
    return reader.found
  }

  private typealias Object = (members: LogArguments, start: Int, end: Int)

  // Characters before the arguments: a colon, a bracket, the quote that ends the name, the comma after it.
  private static let leads: Set<UInt8> = [
    UInt8(ascii: ":"), UInt8(ascii: "("), UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: ","),
  ]

  // The members of an object that is the first argument, or all of them.
  private static func leadingObject(_ bytes: ArraySlice<UInt8>) -> Object? {
    let text = behindLeads(bytes)
    guard text.first == UInt8(ascii: "{") || text.first == UInt8(ascii: "[") else { return nil }
    return object(at: text)
  }

  // The first object after words or a name, outside quotes: `data={"uuid":"u-1"}`.
  private static func object(in bytes: ArraySlice<UInt8>, _ tried: inout Int) -> Object? {
    var isQuoted = false
    var before = UInt8(ascii: " ")
    let bytes = behindLeads(bytes)
    for index in bytes.indices where tried < maxBrackets {
      let byte = bytes[index]
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      defer { before = byte }
      guard byte == UInt8(ascii: "{"), !isQuoted, before <= UInt8(ascii: " ") || "=:,(".utf8.contains(before)
      else { continue }
      if let object = object(at: bytes[index...]), !object.members.isEmpty { return object }
      tried += 1
    }
    return nil
  }

  private static func behindLeads(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    bytes.drop { $0 <= UInt8(ascii: " ") || leads.contains($0) }
  }

  private static func object(at text: ArraySlice<UInt8>) -> Object? {
    guard let end = LenientObject.end(of: text.prefix(LenientObject.limit)) else { return nil }
    let strict = text[..<end].withUnsafeBufferPointer { try? LogArguments(object: $0) }
    return (strict ?? LenientObject.members(text[..<end])).map { ($0, text.startIndex, end) }
  }

  private mutating func take(words bytes: ArraySlice<UInt8>) {
    let words = LenientWords.read(bytes)
    guard count < Self.limit else { return found.leaveOut(words.count) }
    var arguments = LogArguments()
    var name: String?
    for (number, word) in words.enumerated() {
      let text = word.text
      let before = arguments.members.count
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
      if word.isReached, arguments.members.count > before {
        arguments.reached.append(arguments.members[before].name)
      }
      if count + arguments.members.count >= Self.limit {
        arguments.leaveOut(words.count - number - 1)
        break
      }
    }
    count += arguments.members.count
    found = found.isEmpty ? arguments : found.adding(arguments)
  }

  private static func pair(_ word: String) -> (String, String)? {
    guard let index = word.firstIndex(where: { $0 == "=" || $0 == ":" }) else { return nil }
    let left = String(word[..<index])
    // Padding of base64 is not a value.
    guard LenientWords.isName(left), word[index...] != "==" else { return nil }
    // The scheme of a URL is not a name.
    if word[index...].hasPrefix("://") { return nil }
    return (left, String(word[word.index(after: index)...]))
  }
}
