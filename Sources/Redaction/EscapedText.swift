import Bytes

/// A text as its reader sees it: escapes of JSON, percent-encoding, HTML and UTF-16 decoded, blanks and signs of other
/// widths as those of ASCII. Each byte knows where it comes from, so that what is found here is cut there.
struct EscapedText {
  private(set) var bytes: [UInt8] = []
  /// The place of each byte in the original, and the end of the original.
  private(set) var places: [Int] = []

  /// The most layers: an escape may itself be escaped.
  static let mostLayers = 3

  /// Decodes one layer; nil if there is nothing to decode.
  init?(_ text: UnsafeBufferPointer<UInt8>) {
    guard Self.mayHoldEscapes(text) else { return nil }
    self.init(decoding: text) { $0 }
  }

  /// Decodes a further layer; nil if there is none.
  func decoded() -> EscapedText? {
    bytes.withUnsafeBufferPointer { text in
      Self.mayHoldEscapes(text) ? EscapedText(decoding: text) { places[$0] } : nil
    }
  }

  private init?(decoding text: UnsafeBufferPointer<UInt8>, place: (Int) -> Int) {
    bytes.reserveCapacity(text.count)
    places.reserveCapacity(text.count + 1)
    var (at, hasDecoded) = (0, false)
    while at < text.count {
      let start = place(at)
      if let (decoded, length) = Escape.at(at, in: text) {
        hasDecoded = true
        for byte in decoded {
          bytes.append(byte)
          places.append(start)
        }
        at += length
      } else {
        bytes.append(text[at])
        places.append(start)
        at += 1
      }
    }
    guard hasDecoded else { return nil }
    places.append(place(text.count))
  }

  /// Whether there is anything to decode.
  static func isNeeded(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    mayHoldEscapes(text) && text.indices.contains { Escape.at($0, in: text) != nil }
  }

  /// Whether a text has a byte that an escape, or a sign of another width, begins with: most texts have none.
  private static func mayHoldEscapes(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    let raw = UnsafeRawBufferPointer(text)
    var at = 0
    while at &+ 8 <= text.count {
      let word = raw.loadUnaligned(fromByteOffset: at, as: UInt64.self)
      if word & high | holds(slashes, word) | holds(percents, word) | holds(ampersands, word) != 0 {
        return true
      }
      at &+= 8
    }
    return text[at...].contains {
      $0 >= 0x80 || $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "&")
    }
  }

  private static let high: UInt64 = 0x8080_8080_8080_8080
  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let slashes = ones &* UInt64(UInt8(ascii: "\\"))
  private static let percents = ones &* UInt64(UInt8(ascii: "%"))
  private static let ampersands = ones &* UInt64(UInt8(ascii: "&"))

  /// Not zero if one of eight bytes is that of the pattern.
  @inline(__always)
  private static func holds(_ pattern: UInt64, _ word: UInt64) -> UInt64 {
    let differing = word ^ pattern
    return (differing &- ones) & ~differing & high
  }
}

/// One escape of a text.
private enum Escape {
  typealias Text = UnsafeBufferPointer<UInt8>

  /// What an escape that begins here stands for, and its length; nil if none does.
  static func at(_ at: Int, in text: Text) -> (decoded: [UInt8], length: Int)? {
    switch text[at] {
    case UInt8(ascii: "\\"): backslash(at, in: text)
    case UInt8(ascii: "%"): percent(at, in: text)
    case UInt8(ascii: "&"): entity(at, in: text)
    case 0xC2...: sign(at, in: text)
    default: nil
    }
  }

  /// `\u0070` and `\x70` with any number of backslashes; a surrogate pair gives one letter.
  private static func backslash(_ start: Int, in text: Text) -> (decoded: [UInt8], length: Int)? {
    var at = start + 1
    while at < text.count, text[at] == UInt8(ascii: "\\"), at - start < 8 { at += 1 }
    guard at < text.count else { return nil }
    if text[at] == UInt8(ascii: "x"), let byte = hex(2, at + 1, in: text) {
      return ([UInt8(truncatingIfNeeded: byte)], at + 3 - start)
    }
    guard text[at] == UInt8(ascii: "u"), let unit = hex(4, at + 1, in: text) else { return nil }
    var (value, end) = (unit, at + 5)
    if unit & 0xFC00 == 0xD800, end + 6 <= text.count, text[end] == UInt8(ascii: "\\"),
      text[end + 1] == UInt8(ascii: "u"), let low = hex(4, end + 2, in: text), low & 0xFC00 == 0xDC00
    {
      (value, end) = (0x10000 + (unit & 0x3FF) << 10 + low & 0x3FF, end + 6)
    }
    return utf8(value).map { ($0, end - start) }
  }

  /// `%70` and `%u0070`.
  private static func percent(_ at: Int, in text: Text) -> (decoded: [UInt8], length: Int)? {
    if let byte = hex(2, at + 1, in: text) { return ([UInt8(truncatingIfNeeded: byte)], 3) }
    guard at + 1 < text.count, text[at + 1] == UInt8(ascii: "u"), let unit = hex(4, at + 2, in: text) else {
      return nil
    }
    return utf8(unit).map { ($0, 6) }
  }

  private static let entities: [(name: [UInt8], decoded: UInt8)] = [
    ("quot", "\""), ("apos", "'"), ("amp", "&"), ("lt", "<"), ("gt", ">"), ("nbsp", " "), ("colon", ":"),
    ("equals", "="),
  ].map { (Array($0.0.utf8), UInt8(ascii: $0.1)) }

  /// `&#112;`, `&#x70;`, `&quot;`.
  private static func entity(_ start: Int, in text: Text) -> (decoded: [UInt8], length: Int)? {
    var at = start + 1
    while at < text.count, at - start < 10, text[at] != UInt8(ascii: ";") { at += 1 }
    guard at < text.count, text[at] == UInt8(ascii: ";"), at > start + 1 else { return nil }
    let name = text[start + 1..<at]
    let length = at + 1 - start
    guard name.first == UInt8(ascii: "#") else {
      return entities.first { $0.name.elementsEqual(name) }.map { ([$0.decoded], length) }
    }
    let digits = String(decoding: name.dropFirst(), as: UTF8.self)
    let value =
      digits.first == "x" || digits.first == "X" ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
    return value.flatMap(utf8).map { ($0, length) }
  }

  /// A blank, quote, colon or equals sign of another width, or a letter of full width; one without width is left out.
  private static func sign(_ at: Int, in text: Text) -> (decoded: [UInt8], length: Int)? {
    let length = text[at] < 0xE0 ? 2 : 3
    guard text[at] < 0xF0, at + length <= text.count else { return nil }
    var value = UInt32(text[at]) & (length == 2 ? 0x1F : 0x0F)
    for byte in text[at + 1..<at + length] { value = value << 6 | UInt32(byte & 0x3F) }
    switch value {
    case 0xFF01...0xFF5E: return ([UInt8(truncatingIfNeeded: value - 0xFEE0)], length)
    case 0xA0, 0x2000...0x200A, 0x202F, 0x205F, 0x3000: return ([UInt8(ascii: " ")], length)
    case 0xAD, 0x200B...0x200F, 0x2060, 0xFEFF: return ([], length)
    case 0x201C...0x201F, 0xAB, 0xBB: return ([UInt8(ascii: "\"")], length)
    case 0x2018...0x201B: return ([UInt8(ascii: "'")], length)
    case 0xFE55, 0x2236, 0xA789: return ([UInt8(ascii: ":")], length)
    case 0xFE66: return ([UInt8(ascii: "=")], length)
    default: return nil
    }
  }

  private static func hex(_ count: Int, _ start: Int, in text: Text) -> UInt32? {
    guard start + count <= text.count else { return nil }
    var value: UInt32 = 0
    for byte in text[start..<start + count] {
      guard let digit = byte.asciiHexValue else { return nil }
      value = value << 4 | UInt32(digit)
    }
    return value
  }

  private static func utf8(_ value: UInt32) -> [UInt8]? {
    Unicode.Scalar(value).map { Array(String(Character($0)).utf8) }
  }
}
