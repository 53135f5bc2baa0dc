import Bytes

/// A text with its escapes undone and its ASCII letters small, that knows where each byte of it comes from. Words of a running text that
/// a reader has parted (`"0":"Zoe","1":"Quimby"`) have a blank between them, as they had before.
struct SpelledText {
  private(set) var plain: [UInt8] = []
  /// Where each byte, and after the last one the end, stands in the text.
  private var places: [Int] = []

  /// Undoes `%40` of URIs, the escapes of JSON, and what parts words in an object.
  init(_ text: some RandomAccessCollection<UInt8>) {
    let bytes = Array(text)
    let isObject = bytes.first == UInt8(ascii: "{")
    plain.reserveCapacity(bytes.count)
    places.reserveCapacity(bytes.count + 1)
    var at = 0
    while at < bytes.count {
      let seam = isObject ? Self.seam(bytes, at) : nil
      let (own, length) = seam.map { ([UInt8(ascii: " ")], $0) } ?? Self.unit(bytes, at)
      for byte in own {
        plain.append(byte.asciiLowercased)
        places.append(at)
      }
      at += length
    }
    places.append(bytes.count)
  }

  /// Where a part stands in the text.
  func source(of range: Range<Int>) -> Range<Int> { places[range.lowerBound]..<places[range.upperBound] }

  /// The bytes that stand at a place, and how long they are written.
  private static func unit(_ bytes: [UInt8], _ at: Int) -> (bytes: [UInt8], length: Int) {
    if bytes[at] == UInt8(ascii: "%"), let value = hex(bytes, at + 1, 2) { return ([UInt8(value)], 3) }
    guard bytes[at] == UInt8(ascii: "\\"), at + 1 < bytes.count else { return ([bytes[at]], 1) }
    switch bytes[at + 1] {
    case UInt8(ascii: "u"):
      guard let value = hex(bytes, at + 2, 4), let scalar = Unicode.Scalar(value) else {
        return ([bytes[at]], 1)
      }
      return (Array(String(Character(scalar)).utf8), 6)
    case UInt8(ascii: "/"), UInt8(ascii: "\""), UInt8(ascii: "\\"): return ([bytes[at + 1]], 2)
    case UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"): return ([UInt8(ascii: "\n")], 2)
    default: return ([bytes[at]], 1)
    }
  }

  /// How long what stands between two words is: `","1":"`, of numbers without the quotes; nil where a place is none.
  private static func seam(_ bytes: [UInt8], _ start: Int) -> Int? {
    let quote = UInt8(ascii: "\"")
    guard
      bytes[start] == quote || bytes[start] == UInt8(ascii: ",") && start > 0 && bytes[start - 1].isASCIIWord
    else { return nil }
    var at = start + (bytes[start] == quote ? 1 : 0)
    func passes(_ byte: UInt8) -> Bool {
      guard at < bytes.count, bytes[at] == byte else { return false }
      at += 1
      return true
    }
    guard passes(UInt8(ascii: ",")), passes(quote), at < bytes.count, bytes[at].isASCIIDigit else {
      return nil
    }
    while at < bytes.count, bytes[at].isASCIIDigit { at += 1 }
    guard passes(quote), passes(UInt8(ascii: ":")) else { return nil }
    _ = passes(quote)
    return at - start
  }

  private static func hex(_ bytes: [UInt8], _ start: Int, _ count: Int) -> UInt32? {
    guard start + count <= bytes.count else { return nil }
    var value: UInt32 = 0
    for byte in bytes[start..<start + count] {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
      value = value << 4 | UInt32(digit)
    }
    return value
  }
}
