import Bytes

/// A method of an object as languages call it: `call->Hold()` in C++, `call?.hold()` in Swift, `[call hold]` in Objective-C. With a dot alone
/// the two are one word, which needs no look at what stands before.
enum MethodCall {
  /// The longest name of an object.
  private static let longest = 64

  /// The object whose method a word is; nil where it is none's, or is not called.
  static func receiver(of word: Range<Int>, in line: ArraySlice<UInt8>) -> String? {
    let next = line[word.upperBound...].first
    let before = line[..<word.lowerBound]
    if next == UInt8(ascii: "(") {
      if line[word.lowerBound] == UInt8(ascii: "."), let mark = before.last,
        mark == UInt8(ascii: "?") || mark == UInt8(ascii: "!")
      {
        return name(endingAt: before.endIndex - 1, in: line)
      }
      guard before.suffix(2).elementsEqual("->".utf8) else { return nil }
      return name(endingAt: before.endIndex - 2, in: line)
    }
    // A message of Objective-C ends with its bracket, or has arguments; a selector with a colon is long enough for a name of its own.
    guard next == UInt8(ascii: "]"), before.last == UInt8(ascii: " "),
      let object = name(endingAt: before.endIndex - 1, in: line)
    else { return nil }
    let start = before.endIndex - 1 - object.utf8.count
    return start > line.startIndex && line[start - 1] == UInt8(ascii: "[") ? object : nil
  }

  private static func name(endingAt end: Int, in line: ArraySlice<UInt8>) -> String? {
    let name = line[..<end].suffix(longest).reversed().prefix { $0.isASCIIWord || $0 == UInt8(ascii: ".") }
    return name.isEmpty ? nil : String(decoding: name.reversed(), as: UTF8.self)
  }
}
