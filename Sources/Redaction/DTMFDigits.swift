import Bytes

/// The keys of a telephone (RFC 4733): people enter PINs and card numbers with them, so which keys were pressed is
/// redacted.
enum DTMFDigits {
  private static let names = [
    "dtmf", "dtmfs", "dtmftone", "dtmftones", "tones", "keypad", "inserttones", "postd",
  ].map {
    Array($0.utf8)
  }
  private static let ending = Array("dtmf".utf8)
  private static let ends = NameSuffixes(of: names)

  /// Whether the value of a name may be keys: `dtmf`, `tones`, `sendDTMF`, `insert_dtmf`.
  static func isName(_ word: UnsafeBufferPointer<UInt8>) -> Bool {
    guard word.count >= 4, word.count <= 32, ends.mayEnd(word) else { return false }
    let plain = word.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") }.map(\.asciiLowercased)
    return names.contains(plain) || plain.suffix(ending.count).elementsEqual(ending)
  }

  /// 0 to 9, `*`, `#`, A to D, and the comma for a pause.
  static func isKey(_ byte: UInt8) -> Bool {
    byte.isASCIIDigit || "*#,ABCDabcd".utf8.contains(byte)
  }

  /// Whether a text consists of keys, at least one of them a digit, `*` or `#`, so that it is not a word.
  static func areKeys(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
    value.count <= 64
      && value.contains { $0.isASCIIDigit || $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: "#") }
  }
}
