import Bytes

/// A bit set of the last three letters of some names: it rules out nearly every word of a log.
struct NameSuffixes: Sendable {
  /// A bit for each combination of three of 36 letters and digits.
  private var bits = [UInt64](repeating: 0, count: 36 * 36 * 36 / 64)
  /// Whether a name has other characters among its last three.
  private var holdsOthers = false

  /// - Parameter names: lower-cased names without `-` and `_`.
  init(of names: some Sequence<[UInt8]>) {
    for name in names {
      guard name.count >= 3, let place = name.withUnsafeBufferPointer(Self.place) else {
        holdsOthers = true
        continue
      }
      bits[place >> 6] |= 1 << UInt64(place & 63)
    }
  }

  /// Whether a word, in any case, with or without hyphens, may end like one of the names.
  @inline(__always)
  func mayEnd(_ word: UnsafeBufferPointer<UInt8>) -> Bool {
    guard !holdsOthers, word.count >= 3, let place = Self.place(word) else { return true }
    return bits[place >> 6] >> UInt64(place & 63) & 1 == 1
  }

  /// The index of its last three characters; nil if one of them is neither letter nor digit.
  @inline(__always)
  private static func place(_ word: UnsafeBufferPointer<UInt8>) -> Int? {
    var place = 0
    for byte in word[(word.count - 3)...] {
      if byte.isASCIIDigit {
        place = place * 36 + 26 + Int(byte - UInt8(ascii: "0"))
      } else if byte.isASCIILetter {
        place = place * 36 + Int(byte | 0x20) - 0x61
      } else {
        return nil
      }
    }
    return place
  }
}
