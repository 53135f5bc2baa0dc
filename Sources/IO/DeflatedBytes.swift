import CZlib

/// Fixed-size records, compressed while they are not in use (zlib, RFC 1950).
///
/// Bytes are transposed: the first bytes of all records, then the second ones, as slowly changing numbers differ in few
/// of them.
public struct DeflatedBytes: Sendable {
  private let packed: [UInt8]
  private let width: Int
  /// Size of the uncompressed bytes.
  public let count: Int

  /// Compresses records of `width` bytes at the fastest level; nil if that does not make them smaller.
  public init?(_ bytes: UnsafeRawBufferPointer, width: Int) {
    guard width > 0, bytes.count % width == 0 else { return nil }
    let count = bytes.count
    let planes = [UInt8](unsafeUninitializedCapacity: count) { planes, used in
      Self.eachByte(of: count, width) { planes[$0] = bytes[$1] }
      used = count
    }
    let packed = [UInt8](unsafeUninitializedCapacity: count) { buffer, used in
      var length = uLongf(buffer.count)
      // An output buffer that is too small means that it would not have become smaller.
      let code = compress2(buffer.baseAddress, &length, planes, uLong(count), 1)
      used = code == Z_OK ? Int(length) : 0
    }
    guard !packed.isEmpty else { return nil }
    self.count = count
    self.width = width
    // The buffer was as large as the input: copy only what is needed.
    self.packed = packed.withUnsafeBufferPointer(Array.init)
  }

  /// Decompresses into a buffer of at least `count` bytes; false if memory runs out.
  public func inflate(into buffer: UnsafeMutableRawBufferPointer) -> Bool {
    guard buffer.count >= count else { return false }
    var length = uLongf(count)
    let planes = [UInt8](unsafeUninitializedCapacity: count) { planes, used in
      let code = uncompress(planes.baseAddress, &length, packed, uLong(packed.count))
      used = code == Z_OK ? Int(length) : 0
    }
    guard planes.count == count else { return false }
    Self.eachByte(of: count, width) { buffer[$1] = planes[$0] }
    return true
  }

  /// Calls the body with the index of each byte in transposed and in original order.
  @inline(__always)
  private static func eachByte(
    of count: Int, _ width: Int, _ body: (_ inPlanes: Int, _ inRecords: Int) -> Void
  ) {
    var next = 0
    for place in 0..<width {
      for start in stride(from: place, to: count, by: width) {
        body(next, start)
        next += 1
      }
    }
  }
}
