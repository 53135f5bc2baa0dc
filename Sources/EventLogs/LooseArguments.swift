import Bytes

/// Reads what stands behind a callback's name in a line: `(attempt: 1, delay: 0.5)`, `attempt=1 delay=500`, `: RINGING`, `(1, 500)`.
enum LooseArguments {
  private static let limit = 20

  static func read(_ bytes: ArraySlice<UInt8>) -> LogArguments {
    var arguments = LogArguments()
    var position = 0
    var name: String?
    let words = words(bytes)
    for (number, word) in words.enumerated() {
      if let (left, right) = pair(word) {
        if right.isEmpty { name = left } else { arguments.append(left, word: right) }
      } else if let waiting = name {
        arguments.append(waiting, word: word)
        name = nil
      } else {
        arguments.append(String(position), word: word)
        position += 1
      }
      if arguments.members.count >= limit {
        arguments.leaveOut(words.count - number - 1)
        break
      }
    }
    return arguments
  }

  // Parted by spaces, commas and brackets; what stands in quotes is one word; `=` and `:` part nothing yet.
  private static func words(_ bytes: ArraySlice<UInt8>) -> [String] {
    var found: [String] = []
    var word: [UInt8] = []
    var quote: UInt8?
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
      } else if isGap(byte) {
        if !word.isEmpty { found.append(String(decoding: word, as: UTF8.self)) }
        word.removeAll(keepingCapacity: true)
      } else {
        word.append(byte)
      }
    }
    if !word.isEmpty { found.append(String(decoding: word, as: UTF8.self)) }
    return found.filter { $0 != "=" && $0 != ":" && $0 != "-" && $0 != "->" }
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
