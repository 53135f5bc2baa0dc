import Bytes

/// The names of all dialects at one look: nearly every word of a log is nobody's, and need not be compared with each of them.
///
/// Told by numbers made of their letters, so that no word is copied. Two words of one number cost a comparison and nothing else.
struct NameIndex: Sendable {
  private var marks: Set<UInt64> = []

  /// What can be an event by its name, and by a value with what stands in front of it.
  init(of dialects: [Dialect]) {
    for dialect in dialects {
      for name in dialect.events.keys { marks.insert(Self.mark(name)) }
      for enumeration in dialect.enums {
        for prefix in enumeration.prefixes {
          for value in enumeration.values.keys { marks.insert(Self.mark(prefix + value)) }
        }
      }
    }
  }

  /// Whether a word, or a part of it before or behind a dot or a colon, may be a name of any dialect.
  func mayHold(_ word: ArraySlice<UInt8>) -> Bool {
    var (whole, part) = (Self.start, Self.start)
    for byte in word {
      if byte == UInt8(ascii: ".") || byte == UInt8(ascii: ":") {
        if part != Self.start, marks.contains(part) { return true }
        part = Self.start
      } else if Dialect.isNormal(byte) {
        Self.add(byte.asciiLowercased, to: &whole)
        Self.add(byte.asciiLowercased, to: &part)
      }
    }
    return marks.contains(part) || whole != part && marks.contains(whole)
  }

  private static func mark(_ name: String) -> UInt64 {
    var mark = start
    for byte in name.utf8 { add(byte, to: &mark) }
    return mark
  }

  // FNV-1a (draft-eastlake-fnv section 2).
  private static let start: UInt64 = 0xCBF2_9CE4_8422_2325

  @inline(__always)
  private static func add(_ byte: UInt8, to mark: inout UInt64) {
    mark = (mark ^ UInt64(byte)) &* 0x100_0000_01B3
  }
}
