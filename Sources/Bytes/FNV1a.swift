/// The 64-bit FNV-1a hash (draft-eastlake-fnv section 2), the same on every machine.
///
/// For hash tables and names. Collisions are easy to construct, so the hash alone must never identify a text.
public struct FNV1a: Sendable {
  /// The hash of the bytes so far.
  public private(set) var value: UInt64

  /// An empty hash; a different start gives a different hash function.
  public init(from start: UInt64 = 0xCBF2_9CE4_8422_2325) { value = start }

  /// The hash of some bytes.
  public static func value(of bytes: some Sequence<UInt8>, from start: UInt64? = nil) -> UInt64 {
    var hash = start.map(FNV1a.init(from:)) ?? FNV1a()
    for byte in bytes { hash.add(byte) }
    return hash.value
  }

  /// Adds a byte.
  public mutating func add(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
}
