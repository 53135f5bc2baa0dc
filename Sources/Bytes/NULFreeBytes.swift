import Glibc

/// A source without its NUL bytes. A log that was cut with `copytruncate` while its application went on writing begins with them, and one
/// that lost its power has them where the last lines were to be.
public final class NULFreeBytes: ByteSource {
  /// How many were left out so far.
  public private(set) var leftOut = 0
  private let source: any ByteSource
  /// What the source lent and was not given yet.
  private var rest = UnsafeRawBufferPointer(start: nil, count: 0)

  public init(_ source: any ByteSource) { self.source = source }

  /// Whether bytes hold such a row of them as no text in any encoding has.
  public static func isRow(in bytes: [UInt8]) -> Bool {
    var row = 0
    for byte in bytes {
      row = byte == 0 ? row + 1 : 0
      if row == 16 { return true }
    }
    return false
  }

  public func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    if !rest.isEmpty, let piece = piece() {
      let count = min(buffer.count, piece.count)
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: piece[..<count]))
      rest = UnsafeRawBufferPointer(
        start: piece.baseAddress.map { $0 + count }, count: rest.count + piece.count - count)
      return count
    }
    while true {
      let got = try source.read(into: buffer)
      guard got > 0 else { return 0 }
      let kept = compact(UnsafeMutableRawBufferPointer(rebasing: buffer[..<got]))
      if kept > 0 { return kept }
    }
  }

  /// What lies between two of them.
  public func lend() throws -> UnsafeRawBufferPointer? {
    while true {
      if let piece = piece() { return piece }
      guard let lent = try source.lend() else { return nil }
      if lent.isEmpty { return lent }
      rest = lent
    }
  }

  // The next bytes of what was lent, up to the next NUL; nil where only NULs are left.
  private func piece() -> UnsafeRawBufferPointer? {
    let start = rest.firstIndex { $0 != 0 } ?? rest.count
    leftOut += start
    guard start < rest.count, let base = rest.baseAddress else {
      rest = UnsafeRawBufferPointer(start: nil, count: 0)
      return nil
    }
    let most = rest.count - start
    let count = memchr(base + start, 0, most).map { UnsafeRawPointer($0) - (base + start) } ?? most
    rest = UnsafeRawBufferPointer(start: base + start + count, count: most - count)
    return UnsafeRawBufferPointer(start: base + start, count: count)
  }

  private func compact(_ bytes: UnsafeMutableRawBufferPointer) -> Int {
    guard let base = bytes.baseAddress, memchr(base, 0, bytes.count) != nil else { return bytes.count }
    var kept = 0
    for index in bytes.indices where bytes[index] != 0 {
      bytes[kept] = bytes[index]
      kept += 1
    }
    leftOut += bytes.count - kept
    return kept
  }
}
