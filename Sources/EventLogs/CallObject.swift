import Bytes
import LogText

/// A call object as programs print it: `<ACBClientCall: 0x60001>`, `call: 0x60001`, `CallImpl@1a2b`,
/// `Call#17`, `[call 17]`.
///
/// It distinguishes concurrent calls of one process. It is not an id: another phone uses the same addresses and
/// numbers, and so may a later call.
enum CallObject {
  /// The number of bytes of a line that are searched, and the maximum lengths of a class name and a number.
  private static let longestLine = 1024
  private static let longestClass = 64
  private static let longestNumber = 20

  /// The call object that a line prints; nil if it prints none or several.
  static func named(in line: ArraySlice<UInt8>) -> CallSegmenter.ID? {
    let line = line.prefix(longestLine)
    return line.withUnsafeBufferPointer { bytes in
      var found: CallSegmenter.ID?
      var at = 0
      // The common part of `call` and `Call`.
      while let hit = ByteSearch.find("all", in: bytes, from: at) {
        at = hit + 3
        guard hit > 0, let object = object(bytes, from: hit - 1) else { continue }
        if let found, found.value != object.value { return nil }
        found = object
      }
      return found
    }
  }

  /// Whether a value is a printed object with its address rather than an id.
  static func isPrinted(_ value: String) -> Bool {
    SwiftText.printedObject(at: Array(value.utf8)[...]) != nil
  }

  // Parses an object whose class, or whose own name, ends with the word at `start`.
  private static func object(_ line: UnsafeBufferPointer<UInt8>, from start: Int) -> CallSegmenter.ID? {
    var first = start
    while first > 0, start - first < longestClass, line[first - 1].isASCIIWord { first -= 1 }
    guard line[start] == UInt8(ascii: "C") || line[start] == UInt8(ascii: "c") && first == start else {
      return nil
    }
    var end = start + 4
    if line[end...].starts(with: "Impl".utf8) { end += 4 }
    guard end < line.count else { return nil }
    let name = String(decoding: line[first..<end], as: UTF8.self)
    switch line[end] {
    case UInt8(ascii: "@"):
      return number(line, from: end + 1, isDigit: isHex).map { ("object \(name)", "\(name)@\($0)") }
    case UInt8(ascii: "#"):
      return number(line, from: end + 1, isDigit: isDecimal).map { ("object number", "#\($0)") }
    case UInt8(ascii: ":"):
      let value = line[(end + 1)...].firstIndex { $0 != UInt8(ascii: " ") } ?? line.count
      guard value - end <= 2, line[value...].starts(with: "0x".utf8) else { return nil }
      let isClass = first > 0 && line[first - 1] == UInt8(ascii: "<")
      return number(line, from: value + 2, isDigit: isHex).map {
        (isClass ? "object \(name)" : "object", "0x\($0)")
      }
    case UInt8(ascii: " "):
      guard first == start, first > 0, line[first - 1] == UInt8(ascii: "["),
        let number = number(line, from: end + 1, isDigit: isDecimal),
        line[(end + 1 + number.utf8.count)...].first == UInt8(ascii: "]")
      else { return nil }
      return ("object number", "#\(number)")
    default: return nil
    }
  }

  // Returns the digits at `start`, provided that nothing but punctuation follows them.
  private static func number(
    _ line: UnsafeBufferPointer<UInt8>, from start: Int, isDigit: (UInt8) -> Bool
  ) -> String? {
    let digits = line[start...].prefix(longestNumber).prefix(while: isDigit)
    guard !digits.isEmpty else { return nil }
    if let next = line[digits.endIndex...].first {
      let isInside = next == UInt8(ascii: ".") || next == UInt8(ascii: "-")
      let goesOn = line[digits.endIndex...].dropFirst().first.map(\.isASCIIWord) ?? false
      if next.isASCIIWord || isInside && goesOn { return nil }
    }
    return String(decoding: digits, as: UTF8.self)
  }

  private static func isDecimal(_ byte: UInt8) -> Bool { byte.isASCIIDigit }

  private static func isHex(_ byte: UInt8) -> Bool {
    byte.isASCIIDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
  }
}
