/// A JSON string in its source form: the validated bytes between its quotes, not yet decoded.
public struct JSONText {
  /// The bytes between the quotes; valid as long as the scanned bytes are.
  public let bytes: UnsafeBufferPointer<UInt8>
  /// Whether it contains a backslash, so that the bytes have to be decoded.
  public let hasEscapes: Bool

  @inlinable
  init(_ bytes: UnsafeBufferPointer<UInt8>, hasEscapes: Bool) {
    self.bytes = bytes
    self.hasEscapes = hasEscapes
  }

  /// A string from bytes between quotes that were validated before.
  public init(escaped bytes: UnsafeBufferPointer<UInt8>) {
    self.init(bytes, hasEscapes: true)
  }

  /// The decoded text. An unpaired surrogate becomes U+FFFD.
  public var string: String {
    hasEscapes ? String(decoding: decoded(), as: UTF8.self) : String(decoding: bytes, as: UTF8.self)
  }

  /// The decoded text as UTF-8.
  public func decoded() -> [UInt8] {
    guard hasEscapes else { return Array(bytes) }
    // Decoding never makes a text longer: six bytes of an escape become three at most.
    return [UInt8](unsafeUninitializedCapacity: bytes.count) { output, used in
      used = decode(into: output)
    }
  }

  private func decode(into output: UnsafeMutableBufferPointer<UInt8>) -> Int {
    var used = 0
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      guard byte == UInt8(ascii: "\\"), index &+ 1 < bytes.count else {
        output[used] = byte
        used &+= 1
        index &+= 1
        continue
      }
      index &+= 2
      switch bytes[index &- 1] {
      case UInt8(ascii: "b"): output[used] = 0x08
      case UInt8(ascii: "f"): output[used] = 0x0C
      case UInt8(ascii: "n"): output[used] = UInt8(ascii: "\n")
      case UInt8(ascii: "r"): output[used] = UInt8(ascii: "\r")
      case UInt8(ascii: "t"): output[used] = UInt8(ascii: "\t")
      case UInt8(ascii: "u"):
        for unit in UTF8.encode(scalar(&index)) ?? UTF8.encodedReplacementCharacter {
          output[used] = unit
          used &+= 1
        }
        continue
      case let other: output[used] = other
      }
      used &+= 1
    }
    return used
  }

  /// The scalar of the hex digits at an index; a surrogate pair gives one scalar.
  private func scalar(_ index: inout Int) -> Unicode.Scalar {
    var value = hexUnit(at: index)
    index += 4
    if value & 0xFC00 == 0xD800, index + 1 < bytes.count, bytes[index] == UInt8(ascii: "\\"),
      bytes[index + 1] == UInt8(ascii: "u")
    {
      let low = hexUnit(at: index + 2)
      if low & 0xFC00 == 0xDC00 {
        value = 0x10000 + (value & 0x3FF) << 10 + low & 0x3FF
        index += 6
      }
    }
    return Unicode.Scalar(value) ?? "\u{FFFD}"
  }

  private func hexUnit(at index: Int) -> UInt32 {
    var unit: UInt32 = 0
    var offset = index
    while offset < index + 4, offset < bytes.count {
      unit = unit << 4 | UInt32(bytes[offset].asciiHexValue ?? 0)
      offset += 1
    }
    return unit
  }

  /// Whether the text equals an ASCII word without escapes.
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

  /// Allows a `switch` over a text with words as cases.
  @inlinable
  public static func ~= (word: StaticString, text: JSONText) -> Bool { text == word }
}
