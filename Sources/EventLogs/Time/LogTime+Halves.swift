import Bytes
import CallModel

/// The halves of the day beside an hour.
extension LogTime.Scan {
  /// A half of the day by its name, behind a blank; whether it is the second.
  mutating func halfOfDay() -> Bool? {
    var ahead = self
    ahead.blank()
    if let isAfternoon = ahead.latinHalf() {
      self = ahead
      return isAfternoon
    }
    guard let next = ahead.rest.first, next >= 0x80 || next == UInt8(ascii: "P"),
      let half = DayHalf.names.first(where: { ahead.rest.starts(with: $0.name) })
    else { return nil }
    ahead.drop(half.name.count)
    // "下午3:09:50" has no blank in front of its hour.
    guard next >= 0x80 || !ahead.isAtWord else { return nil }
    self = ahead
    return half.isAfternoon
  }

  // `AM`, `pm`, `a.m.`, `p. m.`
  private mutating func latinHalf() -> Bool? {
    guard let first = rest.first, first | 0x20 == UInt8(ascii: "a") || first | 0x20 == UInt8(ascii: "p")
    else { return nil }
    var ahead = self
    ahead.drop(1)
    let isDotted = ahead.skip(UInt8(ascii: "."))
    if isDotted { ahead.blank() }
    guard ahead.skip(UInt8(ascii: "M")) || ahead.skip(UInt8(ascii: "m")) else { return nil }
    if isDotted { _ = ahead.skip(UInt8(ascii: ".")) }
    guard !ahead.isAtWord else { return nil }
    self = ahead
    return first | 0x20 == UInt8(ascii: "p")
  }

  /// A blank, or one that no line breaks at, the narrow one too.
  mutating func blank() {
    if !skip(UInt8(ascii: " ")) { _ = wideBlank() }
  }

  /// U+00A0, U+2009 or U+202F.
  mutating func wideBlank() -> Bool {
    guard let first = rest.first, first == 0xC2 || first == 0xE2 else { return false }
    let next = rest.dropFirst()
    if first == 0xC2, next.first == 0xA0 {
      drop(2)
      return true
    }
    let last = next.dropFirst().first
    guard first == 0xE2, next.first == 0x80, last == 0x89 || last == 0xAF else { return false }
    drop(3)
    return true
  }

  /// Longest word between a date and its time, or beside an hour, bytes.
  private static let longestWord = 16

  /// A short word of any script: `klo`, `г.`; false where none stands here.
  mutating func passWord() -> Bool {
    let word = rest.prefix(Self.longestWord + 1).prefix {
      $0.isASCIILetter || $0 >= 0x80 || $0 == UInt8(ascii: ".")
    }
    guard !word.isEmpty, word.count <= Self.longestWord else { return false }
    drop(word.count)
    return true
  }

  /// Whether a short word in letters other than Latin stands behind a time: it may name the half of the day.
  var isAtForeignWord: Bool {
    var ahead = self
    ahead.blank()
    // Letters, not the dashes, arrows and bullets of U+2000 to U+2FFF, nor pictures.
    guard let lead = ahead.rest.first, lead >= 0xC3, lead <= 0xED, lead != 0xE2,
      !DayHalf.units.contains(where: { ahead.rest.starts(with: $0) })
    else { return false }
    return ahead.passWord() && !ahead.isAtWord
  }
}
