/// What Swift prints around a value whose type hides another: `Optional("c1")`, `AnyHashable("callId")`.
enum SwiftText {
  private static let wrappings = ["Optional", "AnyHashable"].map { Array($0.utf8) }
  // Most of them around one value.
  private static let most = 4

  /// The length of a wrapping's name and bracket at the beginning of a text, nil where none is.
  static func wrapping(at text: ArraySlice<UInt8>) -> Int? {
    for name in wrappings where text.first == name[0] && text.starts(with: name) {
      return text.dropFirst(name.count).first == UInt8(ascii: "(") ? name.count + 1 : nil
    }
    return nil
  }

  /// The length of a wrapping's name that ends a word: `reason=Optional`.
  static func nameEnding(_ word: [UInt8]) -> Int? {
    for name in wrappings where word.last == name.last && word.reversed().starts(with: name.reversed()) {
      let before = word.dropLast(name.count).last
      return before == nil || before == UInt8(ascii: "=") || before == UInt8(ascii: ":") ? name.count : nil
    }
    return nil
  }

  /// A value without its wrappings, and without the quotes inside them.
  static func unwrapped(_ text: String) -> String {
    var bytes = Array(text.utf8)[...]
    for _ in 0..<most {
      guard let wrapping = wrapping(at: bytes), bytes.last == UInt8(ascii: ")") else { break }
      bytes = bytes.dropFirst(wrapping).dropLast()
    }
    guard bytes.count < text.utf8.count else { return text }
    if bytes.count >= 2, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"") {
      bytes = bytes.dropFirst().dropLast()
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
