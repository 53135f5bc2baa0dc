import Bytes
import CallModel
import Glibc

/// Reads lines as bytes without their line ends (LF or CRLF): in place if the source lends its bytes, otherwise from a
/// buffer that grows only to the longest line.
public struct LineReader: ~Copyable {
  /// The line skipped by the last `next` because it was too long: its number, first byte and length.
  public private(set) var tooLong: (line: Int, offset: Int, length: Int)?
  /// Whether the current line has no line end: the source ended, or failed, in the middle of it.
  public private(set) var isUnfinished = false

  private let source: any ByteSource
  private let longestLine: Int
  private var buffer: UnsafeMutableRawBufferPointer
  /// The bytes being searched, in `buffer` or lent by the source, and the start of the next line.
  private var window: UnsafeRawBufferPointer
  private var start = 0
  /// Lent bytes after a line whose beginning was lent before.
  private var rest = UnsafeRawBufferPointer(start: nil, count: 0)
  /// Decompressed offset of `window[0]`.
  private var base = 0
  private var line = 0
  private var failure: (any Error)?
  private var atEnd = false
  private var wasBlank = false

  /// Lines of the source; lines longer than `longestLine` bytes are skipped and reported in `tooLong`.
  public init(_ source: any ByteSource, longestLine: Int = 64 << 20, chunk: Int = 256 << 10) {
    self.source = source
    self.longestLine = longestLine
    buffer = .allocate(byteCount: max(16, chunk), alignment: 16)
    window = UnsafeRawBufferPointer(rebasing: buffer[..<0])
  }

  deinit { buffer.deallocate() }

  /// Passes every line of a source as `next` does; those that are too long are refused.
  public static func each(
    of source: any ByteSource, longest: Int, for sink: any RecordSink,
    _ body: (_ bytes: UnsafeBufferPointer<UInt8>, _ line: Int, _ offset: Int) throws -> Void
  ) throws {
    var lines = LineReader(source, longestLine: longest)
    while try lines.next(body) {
      if let long = lines.tooLong {
        try sink.reject(.line(longerThan: longest, line: long.line, byte: long.offset))
      }
    }
  }

  /// Passes the next line with its 1-based number and the offset of its first byte; false at the end.
  ///
  /// If the source fails, the lines before the error come first, including the incomplete one (`isUnfinished`), then
  /// the error is thrown.
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
        if isFurtherBlank(end) {
          line += 1
          start = end + 1
          searched = start
          continue
        }
        try give(start..<end, next: end + 1, body)
        return true
      }
      searched = window.count
      if window.count - start > longestLine {
        try skipLongLine()
        return true
      }
      if atEnd {
        guard start < window.count else {
          if let failure { throw failure }
          return false
        }
        isUnfinished = true
        try give(start..<window.count, next: window.count, body)
        return true
      }
      searched -= fill()
    }
  }

  private func newline(from position: Int) -> Int? { place(ofNewlineIn: window, from: position) }

  private mutating func give(
    _ range: Range<Int>, next: Int, _ body: (UnsafeBufferPointer<UInt8>, Int, Int) throws -> Void
  ) throws {
    line += 1
    start = next
    var end = range.upperBound
    if end > range.lowerBound, window[end - 1] == UInt8(ascii: "\r") { end -= 1 }
    let bytes = UnsafeRawBufferPointer(rebasing: window[range.lowerBound..<end])
    try body(bytes.assumingMemoryBound(to: UInt8.self), line, base + range.lowerBound)
    wasBlank = bytes.isEmpty
  }

  /// Whether a line is blank and follows a blank line: consecutive blank lines have no meaning in any format, and a
  /// file may have millions.
  private func isFurtherBlank(_ end: Int) -> Bool {
    wasBlank && (end == start || end == start + 1 && window[start] == UInt8(ascii: "\r"))
  }

  /// Moves the incomplete line to make room, and reads more. Returns how far the line moved.
  private mutating func fill() -> Int {
    let moved = start
    let open = window.count - start
    base += start
    start = 0
    if open == 0, !rest.isEmpty {
      window = rest
      rest = UnsafeRawBufferPointer(start: nil, count: 0)
      return moved
    }
    keep(window[moved...])
    do {
      if let lent = try source.lend() {
        take(lent, after: open)
      } else {
        if open == buffer.count { grow(to: 2 * open) }
        let got = try source.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[open...]))
        window = UnsafeRawBufferPointer(rebasing: buffer[..<(open + got)])
        atEnd = got == 0
      }
    } catch {
      window = UnsafeRawBufferPointer(rebasing: buffer[..<open])
      failure = error
      atEnd = true
    }
    return moved
  }

  /// Searches lent bytes for lines; an incomplete line is first completed in the buffer.
  private mutating func take(_ lent: UnsafeRawBufferPointer, after open: Int) {
    atEnd = lent.isEmpty
    guard open > 0 else {
      window = lent
      return
    }
    let end = place(ofNewlineIn: lent, from: 0).map { $0 + 1 } ?? lent.count
    grow(to: open + end)
    UnsafeMutableRawBufferPointer(rebasing: buffer[open...])
      .copyMemory(from: UnsafeRawBufferPointer(rebasing: lent[..<end]))
    window = UnsafeRawBufferPointer(rebasing: buffer[..<(open + end)])
    rest = UnsafeRawBufferPointer(rebasing: lent[end...])
  }

  /// Moves the incomplete line to the front of the buffer.
  private mutating func keep(_ open: Slice<UnsafeRawBufferPointer>) {
    let open = UnsafeRawBufferPointer(rebasing: open)
    guard let from = open.baseAddress, !open.isEmpty else { return }
    grow(to: open.count)
    if let front = buffer.baseAddress { memmove(front, from, open.count) }
  }

  /// Grows the buffer if it is smaller.
  private mutating func grow(to room: Int) {
    guard room > buffer.count else { return }
    let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: max(room, 2 * buffer.count), alignment: 16)
    larger.copyMemory(from: UnsafeRawBufferPointer(buffer))
    buffer.deallocate()
    buffer = larger
  }

  private mutating func skipLongLine() throws {
    wasBlank = false
    line += 1
    let offset = base + start
    while true {
      if let end = newline(from: start) {
        start = end + 1
        break
      }
      start = window.count
      if atEnd { break }
      _ = fill()
    }
    tooLong = (line, offset, base + start - offset)
  }
}

/// The position of the next line feed.
private func place(ofNewlineIn bytes: UnsafeRawBufferPointer, from position: Int) -> Int? {
  guard let base = bytes.baseAddress, position < bytes.count,
    let found = memchr(base + position, Int32(UInt8(ascii: "\n")), bytes.count - position)
  else { return nil }
  return UnsafeRawPointer(found) - base
}
