import Glibc

/// Finds text in bytes.
public enum ByteSearch {
  /// Offset of the first occurrence at or after an offset; nil if there is none.
  public static func find(_ word: StaticString, in bytes: UnsafeBufferPointer<UInt8>, from start: Int = 0)
    -> Int?
  {
    find(UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount), in: bytes, from: start)
  }

  /// The same for a text computed at run time.
  public static func find(_ word: String, in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    var word = word
    return word.withUTF8 { find($0, in: bytes) }
  }

  /// The index after the first occurrence of a text in a slice; nil if there is none.
  public static func end(of word: String, in bytes: ArraySlice<UInt8>) -> Int? {
    bytes.withUnsafeBufferPointer { find(word, in: $0) }.map { bytes.startIndex + $0 + word.utf8.count }
  }

  /// Whether a text occurs in a slice.
  public static func contains(_ word: String, in bytes: ArraySlice<UInt8>) -> Bool {
    end(of: word, in: bytes) != nil
  }

  private static func find(
    _ word: UnsafeBufferPointer<UInt8>, in bytes: UnsafeBufferPointer<UInt8>, from start: Int = 0
  ) -> Int? {
    guard let base = bytes.baseAddress, let first = word.first, let wanted = word.baseAddress else {
      return nil
    }
    var at = start
    while at + word.count <= bytes.count {
      guard let hit = memchr(base + at, Int32(first), bytes.count - at - word.count + 1) else { return nil }
      let index = UnsafeRawPointer(hit) - UnsafeRawPointer(base)
      if memcmp(base + index, wanted, word.count) == 0 { return index }
      at = index + 1
    }
    return nil
  }

  /// Ranges of the non-empty lines, without their LF; at most the first `most`. Faster than `split`, which calls a
  /// closure for each byte.
  public static func lines(in bytes: UnsafeBufferPointer<UInt8>, most: Int = .max) -> [Range<Int>] {
    guard let base = bytes.baseAddress else { return [] }
    var lines: [Range<Int>] = []
    var start = 0
    while start < bytes.count, lines.count < most {
      let hit = memchr(base + start, Int32(UInt8(ascii: "\n")), bytes.count - start)
      let end = hit.map { UnsafeRawPointer($0) - UnsafeRawPointer(base) } ?? bytes.count
      if end > start { lines.append(start..<end) }
      start = end + 1
    }
    return lines
  }
}

extension [UInt8] {
  /// The non-empty lines, without their LF; at most the first `most`.
  public func lines(most: Int = .max) -> [ArraySlice<UInt8>] {
    withUnsafeBufferPointer { ByteSearch.lines(in: $0, most: most) }.map { self[$0] }
  }
}
