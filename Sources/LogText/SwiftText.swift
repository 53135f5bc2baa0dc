import Bytes

/// Swift's wrappers around printed values: `Optional("c1")`, `AnyHashable("callId")`.
public enum SwiftText {
  private static let wrappings = ["Optional", "AnyHashable"].map { Array($0.utf8) }
  private static let longestObject = 128
  // The most wrappers around one value.
  private static let most = 4

  /// The length of a wrapper's name and bracket at the start of a text; nil if there is none.
  static func wrapping(at text: ArraySlice<UInt8>) -> Int? {
    for name in wrappings where text.first == name[0] && text.starts(with: name) {
      return text.dropFirst(name.count).first == UInt8(ascii: "(") ? name.count + 1 : nil
    }
    return nil
  }

  /// The length of a wrapper's name at the end of a word: `reason=Optional`.
  static func nameEnding(_ word: [UInt8]) -> Int? {
    for name in wrappings where word.last == name.last && word.reversed().starts(with: name.reversed()) {
      let before = word.dropLast(name.count).last
      return before == nil || before == UInt8(ascii: "=") || before == UInt8(ascii: ":") ? name.count : nil
    }
    return nil
  }

  /// A line with the texts of Swift optionals unwrapped: `event: Optional("stage") data: Optional("[{\\"…`; nil if it
  /// has none.
  public static func withoutOptionals(_ line: ArraySlice<UInt8>) -> [UInt8]? {
    let mark = Array("Optional(\"".utf8)
    guard line.count <= longestLine, ByteSearch.end(of: "Optional(\"", in: line) != nil else { return nil }
    var out: [UInt8] = []
    var at = line.startIndex
    var isChanged = false
    while at < line.endIndex {
      guard line[at...].starts(with: mark), let (text, end) = quoted(line, from: at + mark.count) else {
        out.append(line[at])
        at += 1
        continue
      }
      let isJSON = text.first == UInt8(ascii: "{") || text.first == UInt8(ascii: "[")
      let isWord =
        !text.isEmpty
        && text.allSatisfy { $0.isASCIIWord || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".") }
      if isJSON || isWord {
        out += text
        isChanged = true
      } else {
        out += line[at..<end]
      }
      at = end
    }
    return isChanged ? out : nil
  }

  private static let longestLine = 1 << 20

  // The text up to the closing quote and bracket, and its end.
  private static func quoted(_ line: ArraySlice<UInt8>, from start: Int) -> (text: [UInt8], end: Int)? {
    var at = start
    while at < line.endIndex {
      if line[at] == UInt8(ascii: "\\") {
        at += 2
      } else if line[at] == UInt8(ascii: "\"") {
        guard at + 1 < line.endIndex, line[at + 1] == UInt8(ascii: ")") else { return nil }
        return (unescaped(line[start..<at]), at + 2)
      } else {
        at += 1
      }
    }
    return nil
  }

  /// An object without a description, as printed by Objective-C and Swift: `<ACBClientCall: 0x60001>`.
  public static func printedObject(at text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard text.first == UInt8(ascii: "<"),
      let end = text.prefix(longestObject).firstIndex(of: UInt8(ascii: ">"))
    else { return nil }
    let inside = text[(text.startIndex + 1)..<end]
    let name = inside.prefix { $0.isASCIIWord || $0 == UInt8(ascii: ".") }
    let address = inside[name.endIndex...]
    guard !name.isEmpty, address.starts(with: ": 0x".utf8), address.dropFirst(4).allSatisfy(\.isASCIIWord)
    else {
      return nil
    }
    return text[...end]
  }

  /// A value without its wrappers, quotes and escapes.
  static func unwrapped(_ text: String) -> String {
    var bytes = Array(text.utf8)[...]
    for _ in 0..<most {
      guard let wrapping = wrapping(at: bytes), bytes.last == UInt8(ascii: ")") else { break }
      bytes = bytes.dropFirst(wrapping).dropLast()
    }
    guard bytes.count < text.utf8.count else { return text }
    if bytes.count >= 2, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"") {
      bytes = unescaped(bytes.dropFirst().dropLast())[...]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  // The escapes of Swift's string descriptions that occur in text and JSON: quotes, backslashes, line ends, tabs.
  private static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var out: [UInt8] = []
    var isEscaped = false
    for byte in text {
      if !isEscaped, byte == UInt8(ascii: "\\") {
        isEscaped = true
        continue
      }
      switch (isEscaped, byte) {
      case (false, _), (true, UInt8(ascii: "\"")), (true, UInt8(ascii: "'")), (true, UInt8(ascii: "\\")):
        out.append(byte)
      case (true, UInt8(ascii: "n")): out.append(UInt8(ascii: "\n"))
      case (true, UInt8(ascii: "r")): out.append(UInt8(ascii: "\r"))
      case (true, UInt8(ascii: "t")): out.append(UInt8(ascii: "\t"))
      default: out += [UInt8(ascii: "\\"), byte]
      }
      isEscaped = false
    }
    return out
  }
}
