/// Bounds-checked bytes of a packet: reads outside return zero and never trap.
///
/// Valid only as long as the packet.
public struct Octets {
  /// First byte; never read past `count`.
  public let base: UnsafeRawPointer
  /// Bytes that may be read.
  public let count: Int

  @inline(__always)
  public init(_ base: UnsafeRawPointer, count: Int) {
    self.base = base
    self.count = max(0, count)
  }

  /// One byte, 0 outside.
  @inline(__always)
  public func byte(_ at: Int) -> UInt8 {
    at >= 0 && at < count ? base.load(fromByteOffset: at, as: UInt8.self) : 0
  }

  /// Big-endian 16 bits, 0 outside.
  @inline(__always)
  public func short(_ at: Int) -> UInt16 {
    at >= 0 && at <= count &- 2
      ? UInt16(bigEndian: base.loadUnaligned(fromByteOffset: at, as: UInt16.self)) : 0
  }

  /// Big-endian 32 bits, 0 outside.
  @inline(__always)
  public func word(_ at: Int) -> UInt32 {
    at >= 0 && at <= count &- 4
      ? UInt32(bigEndian: base.loadUnaligned(fromByteOffset: at, as: UInt32.self)) : 0
  }

  /// Big-endian 64 bits, 0 outside.
  @inline(__always)
  public func long(_ at: Int) -> UInt64 {
    at >= 0 && at <= count &- 8
      ? UInt64(bigEndian: base.loadUnaligned(fromByteOffset: at, as: UInt64.self)) : 0
  }

  /// Everything from an offset on, empty outside.
  @inline(__always)
  public func from(_ at: Int) -> Octets {
    let start = min(max(0, at), count)
    return Octets(base + start, count: count &- start)
  }

  /// At most the first `length` bytes.
  @inline(__always)
  public func first(_ length: Int) -> Octets { Octets(base, count: min(count, length)) }

  /// A copy independent of the packet.
  public func copy() -> [UInt8] { [UInt8](UnsafeRawBufferPointer(start: base, count: count)) }

  /// The bytes as text; invalid UTF-8 is replaced.
  public func text() -> String {
    String(decoding: UnsafeRawBufferPointer(start: base, count: count), as: UTF8.self)
  }

  /// Whether the bytes begin with an ASCII word.
  public func begins(_ word: StaticString) -> Bool {
    let length = word.utf8CodeUnitCount
    guard count >= length else { return false }
    for i in 0..<length where base.load(fromByteOffset: i, as: UInt8.self) != word.utf8Start[i] {
      return false
    }
    return true
  }
}
