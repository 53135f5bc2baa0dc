import Bytes
import Redaction

/// Splits a line into words at spaces, commas and brackets; quoted text is one word, and so is `name[value]`.
public struct LenientWords {
  /// One word.
  struct Word {
    var text: String
    /// Whether the word is quoted, or separated from the previous one by more than a blank.
    var isParted = false
    /// The value in brackets directly after a name: `status[IN_CALL]`.
    var value: String?
    /// Whether a lone `=` follows: the next word is its value.
    var isAssigned = false
    /// Whether an arrow points to it: `SETUP -> RINGING`.
    var isReached = false
  }

  /// Arrows in debug output, longer ones first.
  public static let arrows = ["-->", "==>", "->", "=>", "\u{2192}", "\u{21D2}", "\u{27F6}", "\u{279C}"]

  private var found: [Word] = []
  private var word: [UInt8] = []
  private var isParted = false
  private var isReached = false
  private static let mark = Array(Redactor.mark.utf8)
  // Longest value in brackets, as they may also surround the rest of the line.
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
      // A redaction mark is part of the word.
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
        // Objective-C strings have an @ before their quotes.
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

  // The value in the bracket after a name, unless it is a list of pairs.
  private func value(in rest: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard !word.isEmpty, Self.isName(String(decoding: word, as: UTF8.self)),
      let end = rest.prefix(Self.longestValue).firstIndex(of: UInt8(ascii: "]"))
    else { return nil }
    let value = rest[rest.startIndex..<end]
    let isList = value.contains { ":=[{(\"'".utf8.contains($0) }
    return isList || value.allSatisfy { $0 <= UInt8(ascii: " ") } ? nil : value
  }

  // A list of plain words that is one value: after its name, or the first argument of several.
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
    // Punctuation between words has no effect, except that a lone `=` joins its neighbours.
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
