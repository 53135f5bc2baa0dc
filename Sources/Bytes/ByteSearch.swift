import Glibc

/// Finds text in bytes.
public enum ByteSearch {
  /// Offset of the first occurrence at or after a place, nil if there is none.
  public static func find(_ word: StaticString, in bytes: UnsafeBufferPointer<UInt8>, from start: Int = 0)
    -> Int?
  {
    let length = word.utf8CodeUnitCount
    guard let base = bytes.baseAddress, length > 0 else { return nil }
    var at = start
    while at + length <= bytes.count {
      guard let hit = memchr(base + at, Int32(word.utf8Start[0]), bytes.count - at - length + 1) else {
        return nil
      }
      let index = UnsafeRawPointer(hit) - UnsafeRawPointer(base)
      if memcmp(base + index, word.utf8Start, length) == 0 { return index }
      at = index + 1
    }
    return nil
  }
}
