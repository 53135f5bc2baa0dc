import Bytes

/// A text with its escapes undone and its ASCII letters small, that knows where each byte of it comes from.
struct SpelledText {
  private(set) var plain: [UInt8] = []
  /// Where each byte, and after the last one the end, stands in the text.
  private var places: [Int] = []

  /// Undoes `%40` of URIs and the escapes of JSON.
  init(_ text: some RandomAccessCollection<UInt8>) {
    let bytes = Array(text)
    plain.reserveCapacity(bytes.count)
    places.reserveCapacity(bytes.count + 1)
    var at = 0
    while at < bytes.count {
      let (own, length) = Self.unit(bytes, at)
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
