import Bytes

/// Reads what stands behind a callback's name in a line: `(attempt: 1, delay: 0.5)`, `attempt=1 delay=500`, `: RINGING`, `(1, 500)`.
enum LooseArguments {
  private static let limit = 20

  static func read(_ bytes: ArraySlice<UInt8>) -> LogArguments {
    if let (members, rest) = object(bytes) {
      var arguments = members
      for member in read(rest).members { arguments.add(member.name, json: member.json) }
      return arguments
    }
    return loose(bytes)
  }

  // An object that is the first argument, or is read as its arguments: its members.
  private static func object(_ bytes: ArraySlice<UInt8>) -> (LogArguments, rest: ArraySlice<UInt8>)? {
    let text = bytes.drop { $0 <= 0x20 || $0 == 0x3A || $0 == 0x28 }
    guard text.first == 0x7B, let end = LooseObject.end(of: text.prefix(LooseObject.limit)) else {
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
    let words = words(bytes)
    for (number, word) in words.enumerated() {
      let word = word.text
      if let (left, right) = pair(word) {
        isPhrase = false
        if right.isEmpty { name = left } else { arguments.append(left, word: right) }
      } else if let waiting = name {
        arguments.append(waiting, word: word)
        name = nil
      } else {
        arguments.append(String(position), word: word)
        position += 1
        isPhrase = isPhrase && !words[number].isParted
        if isPhrase { arguments.phrase.append(word) }
      }
      if arguments.members.count >= limit {
        arguments.leaveOut(words.count - number - 1)
        break
      }
    }
    return arguments
  }

  // Parted by spaces, commas and brackets; what stands in quotes is one word; `=` and `:` part nothing yet.
  private static func words(_ bytes: ArraySlice<UInt8>) -> [(text: String, isParted: Bool)] {
    var found: [(text: String, isParted: Bool)] = []
    var word: [UInt8] = []
    var quote: UInt8?
    // Whether more than a blank parts the word from what stands before it, or quotes it.
    var isParted = false
    func isGap(_ byte: UInt8) -> Bool {
      byte <= 0x20 || [0x2C, 0x3B, 0x28, 0x29, 0x5B, 0x5D, 0x7B, 0x7D].contains(byte)
    }
    let mark = Array(Redactor.mark.utf8)
    var rest = bytes.prefix(4096)
    while let byte = rest.first {
      // Where a secret was is part of the word.
      if byte == mark[0], rest.starts(with: mark) {
        word += mark
        rest = rest.dropFirst(mark.count)
        continue
      }
      rest.removeFirst()
      if let open = quote {
        if byte == open { quote = nil } else { word.append(byte) }
      } else if byte == 0x22 || byte == 0x27 {
        quote = byte
        isParted = true
      } else if isGap(byte) {
        if !word.isEmpty {
          found.append((String(decoding: word, as: UTF8.self), isParted))
          isParted = false
        }
        if byte > 0x20, !found.isEmpty { isParted = true }
        word.removeAll(keepingCapacity: true)
      } else {
        word.append(byte)
      }
    }
    if !word.isEmpty { found.append((String(decoding: word, as: UTF8.self), isParted)) }
    return found.filter { !["=", ":", "-", "->"].contains($0.text) }
  }

  private static func pair(_ word: String) -> (String, String)? {
    guard let index = word.firstIndex(where: { $0 == "=" || $0 == ":" }) else { return nil }
    let left = String(word[..<index])
    guard left.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }),
      left.first?.isLetter == true
    else { return nil }
    // An address is no pair of its scheme and the rest.
    if word[index...].hasPrefix("://") { return nil }
    return (left, String(word[word.index(after: index)...]))
  }
}
