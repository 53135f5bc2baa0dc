/// FNV-1a of 64 bits (draft-eastlake-fnv section 2): a number made of bytes, the same on every machine.
///
/// For tables and names. Anybody can make two texts of one number, so that it must never be all that tells them apart.
public struct FNV1a: Sendable {
  /// The number of the bytes so far.
  public private(set) var value: UInt64

  /// No bytes yet; another start makes other numbers of the same bytes.
  public init(from start: UInt64 = 0xCBF2_9CE4_8422_2325) { value = start }

  /// The number of some bytes.
  public static func value(of bytes: some Sequence<UInt8>, from start: UInt64? = nil) -> UInt64 {
    var hash = start.map(FNV1a.init(from:)) ?? FNV1a()
    for byte in bytes { hash.add(byte) }
    return hash.value
  }

  /// Adds a byte.
  public mutating func add(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
}
