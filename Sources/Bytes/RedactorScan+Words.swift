/// The small questions that the scan asks of bytes.
extension RedactorScan {
  @inline(__always)
  static func isWord(_ byte: UInt8) -> Bool {
    (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7A || byte >= 0x30 && byte <= 0x39 || byte == 0x5F
      || byte == 0x2D
  }

  // Space, quotes, & , ; < > ) ] } \ and everything that is no text.
  @inline(__always)
  static func endsValue(_ byte: UInt8) -> Bool {
    switch byte {
    case 0...0x20, 0x22, 0x26, 0x27, 0x29, 0x2C, 0x3B, 0x3C, 0x3E, 0x5C, 0x5D, 0x7D, 0x60: true
    default: false
    }
  }

  func starts(_ text: StaticString, at start: Int) -> Bool {
    guard start >= 0, start + text.utf8CodeUnitCount <= bytes.count else { return false }
    for index in 0..<text.utf8CodeUnitCount where bytes[start + index] != text.utf8Start[index] {
      return false
    }
    return true
  }

  func skipSpace(_ at: inout Int) {
    while at < bytes.count, bytes[at] == 0x20 || bytes[at] == 0x09 { at += 1 }
  }

  // The quote that closes a name, escaped or not.
  func skipQuote(_ at: inout Int) -> Bool {
    var next = at
    while next < bytes.count, bytes[next] == 0x5C { next += 1 }
    guard next < bytes.count, bytes[next] == 0x22 || bytes[next] == 0x27 else { return false }
    at = next + 1
    return true
  }

  // `:`, `=`, `=>`, `%3D`, `\u003d`.
  func skipSeparator(_ at: inout Int) -> Bool {
    if starts("=>", at: at) {
      at += 2
    } else if starts("%3D", at: at) || starts("%3d", at: at) {
      at += 3
    } else if starts("\\u003d", at: at) || starts("\\u003D", at: at) {
      at += 6
    } else if at < bytes.count, bytes[at] == 0x3A || bytes[at] == 0x3D {
      at += 1
    } else {
      return false
    }
    return true
  }

  // `%3Fpin`, `\npin`, `\u0026pin`: the escape in front is no part of the name.
  func strippedOfEscape(_ word: Range<Int>) -> Range<Int> {
    guard word.lowerBound > 0 else { return word }
    let before = bytes[word.lowerBound - 1]
    let escape =
      switch (before, bytes[word.lowerBound]) {
      case (0x25, _): 2
      case (0x5C, 0x75): 5
      case (0x5C, _): 1
      default: 0
      }
    return escape < word.count ? word.lowerBound + escape..<word.upperBound : word
  }

  func isBearer(_ word: Range<Int>) -> Bool {
    word.count == 6 && (starts("Bearer", at: word.lowerBound) || starts("bearer", at: word.lowerBound))
  }

  func isPIN(_ word: Range<Int>) -> Bool { word.count == 3 }

  // Three parts of base64url with dots between, the first being `{"…` in base64.
  func jsonWebToken(_ word: Range<Int>) -> Int? {
    guard word.count >= 10 else { return nil }
    var at = word.upperBound
    var parts = 1
    while at + 1 < bytes.count, bytes[at] == 0x2E, Self.isWord(bytes[at + 1]) {
      at += 1
      while at < bytes.count, Self.isWord(bytes[at]) { at += 1 }
      parts += 1
    }
    return parts >= 3 ? at : nil
  }
}
