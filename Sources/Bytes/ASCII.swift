/// Classes of ASCII characters, as the C library's ctype has them in the "C" locale. Bytes from 0x80 on, which are
/// parts of characters in UTF-8, are in none of them.
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

  /// What a name in a program is made of: letters, digits and `_`; `\w` of regular expressions.
  @inlinable public var isASCIIWord: Bool { isASCIILetter || isASCIIDigit || self == UInt8(ascii: "_") }

  /// A capital as its small letter; any other byte as it is.
  @inlinable public var asciiLowercased: UInt8 { isASCIICapital ? self | 0x20 : self }
}
