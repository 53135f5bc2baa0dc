import Bytes

/// The names of all dialects at one look: nearly every word of a log is nobody's, and need not be compared with each of them.
///
/// Told by numbers made of their letters, so that no word is copied. Two words of one number cost a comparison and nothing else.
struct NameIndex: Sendable {
  private let names: Set<UInt64>

  /// What can be an event by its name, and by a value with what stands in front of it.
  init(of dialects: [Dialect]) {
    let values = dialects.flatMap(\.enums).flatMap { enumeration in
      enumeration.prefixes.flatMap { prefix in enumeration.values.keys.map { prefix + $0 } }
    }
    names = Set((dialects.flatMap(\.events.keys) + values).map { FNV1a.value(of: $0.utf8) })
  }

  /// Whether a word, or a part of it before or behind a dot or a colon, may be a name of any dialect.
  func mayHold(_ word: ArraySlice<UInt8>) -> Bool {
    var (whole, part) = (FNV1a(), FNV1a())
    for byte in word {
      if byte == UInt8(ascii: ".") || byte == UInt8(ascii: ":") {
        if names.contains(part.value) { return true }
        part = FNV1a()
      } else if Dialect.isNormal(byte) {
        whole.add(byte.asciiLowercased)
        part.add(byte.asciiLowercased)
      }
    }
    return names.contains(part.value) || names.contains(whole.value)
  }
}
