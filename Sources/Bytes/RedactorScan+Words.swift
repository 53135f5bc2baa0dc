/// The small questions that the scan asks of bytes.
extension RedactorScan {
  @inline(__always)
  static func isWord(_ byte: UInt8) -> Bool {
    byte.isASCIIWord
      || byte == UInt8(ascii: "-")
  }

  // Space, quotes, & , ; < > ) ] } \ and everything that is no text.
  @inline(__always)
  static func endsValue(_ byte: UInt8) -> Bool {
    switch byte {
    case 0...UInt8(ascii: " "), UInt8(ascii: "\""), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: ")"),
      UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"),
      UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: "`"):
      true
    default: false
    }
  }

  // Space, comma, semicolon, closing brackets.
  static func followsString(_ byte: UInt8) -> Bool {
    byte <= UInt8(ascii: " ") || ",;)]}".utf8.contains(byte)
  }

  // Space, colon, equals sign, comma, opening brackets.
  static func precedesString(_ byte: UInt8) -> Bool {
    byte <= UInt8(ascii: " ") || ":=,([{".utf8.contains(byte)
  }

  func starts(_ text: StaticString, at start: Int) -> Bool {
    guard start >= 0, start + text.utf8CodeUnitCount <= bytes.count else { return false }
    for index in 0..<text.utf8CodeUnitCount where bytes[start + index] != text.utf8Start[index] {
      return false
    }
    return true
  }

  /// Whether the bytes of a range stand at another place too.
  func equal(_ range: Range<Int>, at start: Int) -> Bool {
    start + range.count <= bytes.count && slice(range).elementsEqual(slice(start..<start + range.count))
  }

  /// Passes blanks in every spelling: ` `, a tab, `%20`, `%2520`, `\u0020`, `\t`.
  func skipSpace(_ at: inout Int) {
    while at < bytes.count {
      switch bytes[at] {
      case UInt8(ascii: " "), UInt8(ascii: "\t"): at += 1
      case UInt8(ascii: "%"):
        guard let found = Self.escapedBlanks.first(where: { starts($0, at: at) }) else { return }
        at += found.utf8CodeUnitCount
      case UInt8(ascii: "\\"):
        guard let end = escapedBlank(at: at) else { return }
        at = end
      default: return
      }
    }
  }

  private static let escapedBlanks: [StaticString] = ["%20", "%2520", "%09"]

  /// The end of `\u0020`, `\u0009` or `\t` behind any number of backslashes; nil where there is none.
  private func escapedBlank(at start: Int) -> Int? {
    var at = start
    while at < bytes.count, bytes[at] == UInt8(ascii: "\\") { at += 1 }
    if starts("u0020", at: at) || starts("u0009", at: at) { return at + 5 }
    return at < bytes.count && bytes[at] == UInt8(ascii: "t") ? at + 1 : nil
  }

  /// A quote, with what escapes it: `"`, `'`, `\"`, `\\\"`, `%22`, `%2522`, `&quot;`, `\u0022`.
  func quote(at start: Int) -> Range<Int>? {
    guard start < bytes.count else { return nil }
    switch bytes[start] {
    case UInt8(ascii: "\""), UInt8(ascii: "'"): return start..<start + 1
    case UInt8(ascii: "%"):
      if starts("%22", at: start) || starts("%27", at: start) { return start..<start + 3 }
      return starts("%2522", at: start) || starts("%2527", at: start) ? start..<start + 5 : nil
    case UInt8(ascii: "&"): return starts("&quot;", at: start) ? start..<start + 6 : nil
    case UInt8(ascii: "\\"):
      var at = start
      while at < bytes.count, bytes[at] == UInt8(ascii: "\\") { at += 1 }
      guard at < bytes.count else { return nil }
      if bytes[at] == UInt8(ascii: "\"") || bytes[at] == UInt8(ascii: "'") { return start..<at + 1 }
      return starts("u0022", at: at) ? start..<at + 5 : nil
    default: return nil
    }
  }

  // `:`, `=`, `:=`, `==`, `=>`, `->`, `%3D`, `%253D`, `\u003d`, and the same of the colon.
  func skipSeparator(_ at: inout Int) -> Bool {
    let separators: [StaticString] = [
      ":=", "==", "=>", "->", "%3D", "%3d", "%3A", "%3a", "%253D", "%253d", "%253A", "%253a", "\\u003d",
      "\\u003D", "\\u003a", "\\u003A", ":", "=",
    ]
    guard at < bytes.count, let found = separators.first(where: { starts($0, at: at) }) else { return false }
    at += found.utf8CodeUnitCount
    return true
  }

  // `%3Fpin`, `\npin`, `\u0026pin`: the escape in front is no part of the name.
  func strippedOfEscape(_ word: Range<Int>) -> Range<Int> {
    guard word.lowerBound > 0 else { return word }
    let before = bytes[word.lowerBound - 1]
    let escape =
      switch (before, bytes[word.lowerBound]) {
      case (UInt8(ascii: "%"), _): starts("25", at: word.lowerBound) && word.count > 4 ? 4 : 2
      case (UInt8(ascii: "\\"), UInt8(ascii: "u")): 5
      case (UInt8(ascii: "\\"), _): 1
      default: 0
      }
    return escape < word.count ? word.lowerBound + escape..<word.upperBound : word
  }
}
