import CZlib

/// Records of one size in little room while nobody wants them (zlib, RFC 1950).
///
/// The first bytes of all records come first, then the second ones: numbers that go on slowly differ in few of them.
public struct DeflatedBytes: Sendable {
  private let packed: [UInt8]
  private let width: Int
  /// Bytes that were packed.
  public let count: Int

  /// Packs records of `width` bytes, as fast as zlib can; nil where that makes them no smaller.
  public init?(_ bytes: UnsafeRawBufferPointer, width: Int) {
    guard width > 0, bytes.count % width == 0 else { return nil }
    let count = bytes.count
    let planes = [UInt8](unsafeUninitializedCapacity: count) { planes, used in
      Self.eachByte(of: count, width) { planes[$0] = bytes[$1] }
      used = count
    }
    let packed = [UInt8](unsafeUninitializedCapacity: count) { buffer, used in
      var length = uLongf(buffer.count)
      // Too little room is an answer too: it would not have become smaller.
      let code = compress2(buffer.baseAddress, &length, planes, uLong(count), 1)
      used = code == Z_OK ? Int(length) : 0
    }
    guard !packed.isEmpty else { return nil }
    self.count = count
    self.width = width
    // The array was as large as the bytes: what is kept is not.
    self.packed = packed.withUnsafeBufferPointer(Array.init)
  }

  /// Unpacks them to where there must be room for `count` bytes; false where that fails, for want of memory.
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

  /// Where each byte stands by its place in the record, and where in the records.
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
