import Bytes

/// The last three letters of some names: of nearly every word of a log they tell that it is none of them.
struct NameEnds: Sendable {
  /// A bit for each three of 36 letters and digits.
  private var bits = [UInt64](repeating: 0, count: 36 * 36 * 36 / 64)
  /// Whether a name has something else among its last three.
  private var holdsOthers = false

  /// - Parameter names: names in small letters, without `-` and `_`.
  init(of names: some Sequence<[UInt8]>) {
    for name in names {
      guard name.count >= 3, let place = name.withUnsafeBufferPointer(Self.place) else {
        holdsOthers = true
        continue
      }
      bits[place >> 6] |= 1 << UInt64(place & 63)
    }
  }

  /// Whether a word, large or small, with hyphens or without, may end as one of the names does.
  @inline(__always)
  func mayEnd(_ word: UnsafeBufferPointer<UInt8>) -> Bool {
    guard !holdsOthers, word.count >= 3, let place = Self.place(word) else { return true }
    return bits[place >> 6] >> UInt64(place & 63) & 1 == 1
  }

  /// The number of its last three, nil where one of them is neither letter nor digit.
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
