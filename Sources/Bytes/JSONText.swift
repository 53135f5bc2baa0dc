/// A JSON string as it stands in the source: the bytes between its quotes, checked, not yet decoded.
public struct JSONText {
  /// The bytes between the quotes; valid as long as the scanned bytes are.
  public let bytes: UnsafeBufferPointer<UInt8>
  /// Whether a backslash occurs, so that the bytes are not the text itself.
  public let hasEscapes: Bool

  @inlinable
  init(_ bytes: UnsafeBufferPointer<UInt8>, hasEscapes: Bool) {
    self.bytes = bytes
    self.hasEscapes = hasEscapes
  }

  /// The decoded text. An escaped surrogate without its other half becomes U+FFFD.
  public var string: String {
    hasEscapes ? String(decoding: decoded(), as: UTF8.self) : String(decoding: bytes, as: UTF8.self)
  }

  /// The decoded text as UTF-8.
  public func decoded() -> [UInt8] {
    guard hasEscapes else { return Array(bytes) }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      guard byte == 0x5C, index + 1 < bytes.count else {
        result.append(byte)
        index += 1
        continue
      }
      index += 2
      switch bytes[index - 1] {
      case UInt8(ascii: "b"): result.append(0x08)
      case UInt8(ascii: "f"): result.append(0x0C)
      case UInt8(ascii: "n"): result.append(0x0A)
      case UInt8(ascii: "r"): result.append(0x0D)
      case UInt8(ascii: "t"): result.append(0x09)
      case UInt8(ascii: "u"):
        var scalar = hexUnit(at: index)
        index += 4
        if scalar & 0xFC00 == 0xD800, index + 1 < bytes.count, bytes[index] == 0x5C,
          bytes[index + 1] == UInt8(ascii: "u")
        {
          let low = hexUnit(at: index + 2)
          if low & 0xFC00 == 0xDC00 {
            scalar = 0x10000 + (scalar & 0x3FF) << 10 + low & 0x3FF
            index += 6
          }
        }
        result.append(contentsOf: String(Unicode.Scalar(scalar) ?? "\u{FFFD}").utf8)
      case let other: result.append(other)
      }
    }
    return result
  }

  private func hexUnit(at index: Int) -> UInt32 {
    var unit: UInt32 = 0
    var offset = index
    while offset < index + 4, offset < bytes.count {
      let digit = bytes[offset]
      unit = unit << 4 | UInt32(digit <= 0x39 ? digit &- 0x30 : (digit | 0x20) &- 0x57)
      offset += 1
    }
    return unit
  }

  /// Whether the text is the given ASCII word, which must not need escapes.
  @inlinable
  public static func == (text: JSONText, word: StaticString) -> Bool {
    guard text.bytes.count == word.utf8CodeUnitCount else { return false }
    var index = 0
    while index < text.bytes.count {
      if text.bytes[index] != word.utf8Start[index] { return false }
      index &+= 1
    }
    return true
  }

  /// The opposite of `==`.
  @inlinable
  public static func != (text: JSONText, word: StaticString) -> Bool { !(text == word) }

  /// So that a `switch` over a text takes words as its cases.
  @inlinable
  public static func ~= (word: StaticString, text: JSONText) -> Bool { text == word }
}
