import Glibc

/// Bytes that one owner keeps and compares often. An array in an object is held on to and let go of at each look, which
/// in a loop over reports costs more than the comparison.
struct KeptBytes: ~Copyable {
  /// Two lengths, the bytes in use and those there is room for, then the bytes; nil while there never was any.
  private var place: UnsafeMutableRawPointer?
  private static let head = 2 * MemoryLayout<Int>.size

  init() {}

  deinit { place?.deallocate() }

  /// The bytes where they lie, good until the next `set`.
  var bytes: UnsafeBufferPointer<UInt8> {
    guard let place else { return UnsafeBufferPointer(start: nil, count: 0) }
    return UnsafeBufferPointer(
      start: (place + Self.head).assumingMemoryBound(to: UInt8.self), count: place.load(as: Int.self))
  }

  var count: Int { place?.load(as: Int.self) ?? 0 }
  var isEmpty: Bool { count == 0 }

  /// Whether these are the bytes.
  @inline(__always)
  func equals(_ other: UnsafeBufferPointer<UInt8>) -> Bool { equal(bytes, other) }

  /// Keeps these bytes instead.
  mutating func set(_ other: UnsafeBufferPointer<UInt8>) {
    let room = place?.load(fromByteOffset: MemoryLayout<Int>.size, as: Int.self) ?? 0
    if other.count > room {
      place?.deallocate()
      let larger = UnsafeMutableRawPointer.allocate(
        byteCount: Self.head + other.count, alignment: MemoryLayout<Int>.alignment)
      larger.storeBytes(of: other.count, toByteOffset: MemoryLayout<Int>.size, as: Int.self)
      place = larger
    }
    place?.storeBytes(of: other.count, as: Int.self)
    if let place, let theirs = other.baseAddress { memcpy(place + Self.head, theirs, other.count) }
  }

  /// Keeps none, and no room for any.
  mutating func forget() {
    place?.deallocate()
    place = nil
  }
}
