/// Classes of ASCII characters, as in C's ctype with the "C" locale. Bytes from 0x80, which are parts of UTF-8
/// characters, are in none of them.
extension UInt8 {
  /// 0 to 9.
  @inlinable public var isASCIIDigit: Bool { self &- 0x30 <= 9 }

  /// A to Z and a to z.
  @inlinable public var isASCIILetter: Bool { (self | 0x20) &- 0x61 < 26 }

  /// A to Z.
  @inlinable public var isASCIICapital: Bool { self &- 0x41 < 26 }

  /// a to z.
  @inlinable public var isASCIISmall: Bool { self &- 0x61 < 26 }

  /// 0 to 9, a to f, A to F.
  @inlinable public var isASCIIHexDigit: Bool { isASCIIDigit || (self | 0x20) &- 0x61 < 6 }

  /// 0 to 15 for a hexadecimal digit, nil for anything else.
  @inlinable public var asciiHexValue: UInt8? {
    isASCIIDigit ? self - UInt8(ascii: "0") : isASCIIHexDigit ? (self | 0x20) - UInt8(ascii: "a") + 10 : nil
  }

  /// A character of an identifier: letter, digit or `_`; `\w` of regular expressions.
  @inlinable public var isASCIIWord: Bool { isASCIILetter || isASCIIDigit || self == UInt8(ascii: "_") }

  /// Lower-cases a capital; other bytes are unchanged.
  @inlinable public var asciiLowercased: UInt8 { isASCIICapital ? self | 0x20 : self }
}
