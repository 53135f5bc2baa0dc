import Bytes
import Redaction

/// Cuts a line's text into words: parted by spaces, commas and brackets; what stands in quotes is one word, `name[value]` another.
public struct LenientWords {
  /// One word.
  struct Word {
    var text: String
    /// Whether more than a blank parts the word from what stands before it, or quotes it.
    var isParted = false
    /// What stands in brackets right behind a name: `status[IN_CALL]`.
    var value: String?
    /// Whether a lone `=` follows: the next word is its value.
    var isAssigned = false
    /// Whether an arrow points here: `SETUP -> RINGING`.
    var isReached = false
  }

  /// Arrows as programs print them, the longer first.
  public static let arrows = ["-->", "==>", "->", "=>", "\u{2192}", "\u{21D2}", "\u{27F6}", "\u{279C}"]

  private var found: [Word] = []
  private var word: [UInt8] = []
  private var isParted = false
  private var isReached = false
  private static let mark = Array(Redactor.mark.utf8)
  // Longest value in brackets: they may also go around the rest of the line.
  private static let longestValue = 256

  /// The words in the first 4 KB.
  static func read(_ bytes: ArraySlice<UInt8>) -> [Word] {
    var reader = LenientWords()
    reader.take(bytes.prefix(4096))
    return reader.found
  }

  /// Whether a word can be the name of an argument.
  static func isName(_ word: some StringProtocol) -> Bool {
    word.first?.isLetter == true
      && word.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
  }

  private mutating func take(_ bytes: ArraySlice<UInt8>) {
    var quote: UInt8?
    var rest = bytes
    var before = UInt8(ascii: " ")
    while let byte = rest.first {
      // Where a secret was is part of the word.
      if byte == Self.mark[0], rest.starts(with: Self.mark) {
        word += Self.mark
        rest = rest.dropFirst(Self.mark.count)
        continue
      }
      if byte == UInt8(ascii: "<"), quote == nil, let object = SwiftText.printedObject(at: rest) {
        word += object
        rest = rest[object.endIndex...]
        continue
      }
      rest.removeFirst()
      defer { before = byte }
      if let open = quote {
        if byte == open { quote = nil } else { word.append(byte) }
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        // A text of Objective-C has a sign in front of its quotes.
        if word == [UInt8(ascii: "@")] { word = [] }
        quote = byte
        isParted = true
      } else if byte == UInt8(ascii: "["), let list = list(in: rest, behind: before) {
        word += list
        rest = rest[(list.endIndex + 1)...]
      } else if byte == UInt8(ascii: "["), let value = value(in: rest) {
        end(with: String(decoding: value, as: UTF8.self).trimmed)
        rest = rest[(value.endIndex + 1)...]
        isParted = true
      } else if byte == UInt8(ascii: "("), let wrapping = SwiftText.nameEnding(word) {
        word.removeLast(wrapping)
      } else if Self.isGap(byte) {
        end()
        if byte > UInt8(ascii: " "), !found.isEmpty { isParted = true }
      } else {
        word.append(byte)
      }
    }
    end()
  }

  private static func isGap(_ byte: UInt8) -> Bool {
    byte <= UInt8(ascii: " ") || ",;()[]{}".utf8.contains(byte)
  }

  // What the bracket behind a name holds, if it is one value and no list of pairs.
  private func value(in rest: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard !word.isEmpty, Self.isName(String(decoding: word, as: UTF8.self)),
      let end = rest.prefix(Self.longestValue).firstIndex(of: UInt8(ascii: "]"))
    else { return nil }
    let value = rest[rest.startIndex..<end]
    let isList = value.contains { ":=[{(\"'".utf8.contains($0) }
    return isList || value.allSatisfy { $0 <= UInt8(ascii: " ") } ? nil : value
  }

  // A list of plain words that is one value: behind its name, or the first argument of several.
  private func list(in rest: ArraySlice<UInt8>, behind before: UInt8) -> ArraySlice<UInt8>? {
    let isValue = before == UInt8(ascii: "=") && word.count > 1
    guard isValue || word.isEmpty && before == UInt8(ascii: "("),
      let end = rest.prefix(Self.longestValue).firstIndex(of: UInt8(ascii: "]"))
    else { return nil }
    let list = rest[..<end]
    let isPlain = list.allSatisfy { $0.isASCIIWord || ", .-".utf8.contains($0) }
    guard isPlain, list.contains(where: \.isASCIIWord) else { return nil }
    return isValue || rest[(end + 1)...].first == UInt8(ascii: ",") ? list : nil
  }

  private mutating func end(with value: String? = nil) {
    guard !word.isEmpty else { return }
    defer { word.removeAll(keepingCapacity: true) }
    let text = String(decoding: word, as: UTF8.self)
    if Self.arrows.contains(text) {
      isReached = !found.isEmpty
      return
    }
    // Marks between words part nothing; only a lone `=` ties its two neighbours together.
    if ["=", ":", "-"].contains(text) {
      if text == "=", let last = found.indices.last, found[last].value == nil, !isParted,
        Self.isName(found[last].text)
      {
        found[last].isAssigned = true
      }
      return
    }
    found.append(Word(text: text, isParted: isParted, value: value, isReached: isReached))
    (isParted, isReached) = (false, false)
  }
}
