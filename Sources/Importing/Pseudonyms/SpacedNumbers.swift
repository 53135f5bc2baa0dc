import Bytes

/// Telephone numbers as people write them, with blanks: `+49 170 5551234`.
enum SpacedNumbers {
  /// Digits of a number (E.164), at least and at most; with so many it is taken for whole.
  private static let least = 7
  private static let most = 15
  private static let whole = 11

  /// Whether a number of so many digits goes on with a group of so many more.
  static func goesOn(_ digits: Int, by more: Int) -> Bool { digits < whole && digits + more <= most }

  /// The text with such numbers replaced.
  static func replaced(_ text: String, by pseudonyms: Pseudonymizer) -> String {
    guard text.utf8.contains(UInt8(ascii: "+")), text.utf8.contains(UInt8(ascii: " ")) else { return text }
    let bytes = Array(text.utf8)
    var out: [UInt8] = []
    var kept = 0
    var at = 0
    while at < bytes.count {
      guard bytes[at] == UInt8(ascii: "+"), at == 0 || !bytes[at - 1].isASCIIWord,
        let end = end(of: bytes, at + 1)
      else {
        at += 1
        continue
      }
      out += bytes[kept..<at] + pseudonyms.person(String(decoding: bytes[at..<end], as: UTF8.self)).utf8
      (at, kept) = (end, end)
    }
    return kept > 0 ? String(decoding: out + bytes[kept...], as: UTF8.self) : text
  }

  // Where a number ends whose first digit stands at a place.
  private static func end(of bytes: [UInt8], _ start: Int) -> Int? {
    guard start < bytes.count, bytes[start].isASCIIDigit else { return nil }
    var (at, end, digits) = (start, start, 0)
    while at < bytes.count {
      let group = bytes[at...].prefix(while: \.isASCIIDigit)
      guard digits == 0 || goesOn(digits, by: group.count), group.count <= most else { break }
      if group.endIndex < bytes.count, bytes[group.endIndex].isASCIIWord { break }
      digits += group.count
      end = group.endIndex
      at = end
      // Between groups stands a mark or two: `+1 (415) 555-0123`.
      while at < bytes.count, at - end < 2, " -.()/".utf8.contains(bytes[at]) { at += 1 }
      guard at > end, at < bytes.count, bytes[at].isASCIIDigit else { break }
    }
    return digits >= least ? end : nil
  }
}
