import Glibc

/// Lines of a source as bytes, without their ends (LF or CRLF), from one buffer that grows only to the longest line.
public struct LineReader: ~Copyable {
  /// The line that the last `next` left out because it was too long: its number, first byte and length.
  public private(set) var tooLong: (line: Int, offset: Int, length: Int)?
  /// Whether the line being handed over has no end: the source stopped, or failed, in its middle.
  public private(set) var isUnfinished = false

  private let source: any ByteSource
  private let longestLine: Int
  private var buffer: UnsafeMutableRawBufferPointer
  private var start = 0
  private var filled = 0
  /// Decompressed offset of `buffer[0]`.
  private var base = 0
  private var line = 0
  private var failure: (any Error)?
  private var atEnd = false

  /// Lines of the source; those longer than `longestLine` bytes are left out and told by `tooLong`.
  public init(_ source: any ByteSource, longestLine: Int = 64 << 20, chunk: Int = 256 << 10) {
    self.source = source
    self.longestLine = longestLine
    buffer = .allocate(byteCount: max(16, chunk), alignment: 16)
  }

  deinit { buffer.deallocate() }

  /// Hands over the next line with its 1-based number and the offset of its first byte; false at the end.
  ///
  /// Where the source fails, the lines before come first, the cut one too (`isUnfinished`), then the error is thrown.
  public mutating func next(
    _ body: (_ bytes: UnsafeBufferPointer<UInt8>, _ line: Int, _ offset: Int) throws -> Void
  ) throws -> Bool {
    tooLong = nil
    isUnfinished = false
    var searched = start
    while true {
      if let end = newline(from: searched) {
        guard end - start <= longestLine else {
          try skipLongLine()
          return true
        }
        try give(start..<end, next: end + 1, body)
        return true
      }
      searched = filled
      if filled - start > longestLine {
        try skipLongLine()
        return true
      }
      if atEnd {
        guard start < filled else {
          if let failure { throw failure }
          return false
        }
        isUnfinished = true
        try give(start..<filled, next: filled, body)
        return true
      }
      searched -= fill()
    }
  }

  private func newline(from position: Int) -> Int? {
    guard let bytes = buffer.baseAddress, position < filled,
      let found = memchr(bytes + position, 0x0A, filled - position)
    else { return nil }
    return UnsafeRawPointer(found) - UnsafeRawPointer(bytes)
  }

  private mutating func give(
    _ range: Range<Int>, next: Int, _ body: (UnsafeBufferPointer<UInt8>, Int, Int) throws -> Void
  ) throws {
    line += 1
    start = next
    var end = range.upperBound
    if end > range.lowerBound, buffer[end - 1] == 0x0D { end -= 1 }
    let bytes = UnsafeRawBufferPointer(rebasing: buffer[range.lowerBound..<end])
    try body(bytes.assumingMemoryBound(to: UInt8.self), line, base + range.lowerBound)
  }

  /// Moves the open line to the front, makes room, reads. Gives how far the line moved.
  private mutating func fill() -> Int {
    let moved = start
    if start > 0 {
      buffer.moveToFront(start..<filled)
      filled -= start
      base += start
      start = 0
    }
    if filled == buffer.count {
      let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: buffer.count * 2, alignment: 16)
      larger.copyMemory(from: UnsafeRawBufferPointer(buffer))
      buffer.deallocate()
      buffer = larger
    }
    do {
      let got = try source.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
      filled += got
      atEnd = got == 0
    } catch {
      failure = error
      atEnd = true
    }
    return moved
  }

  private mutating func skipLongLine() throws {
    line += 1
    let offset = base + start
    while true {
      if let end = newline(from: start) {
        start = end + 1
        break
      }
      start = filled
      if atEnd { break }
      _ = fill()
    }
    tooLong = (line, offset, base + start - offset)
  }
}
