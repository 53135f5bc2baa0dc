import Bytes
import Glibc

/// Lines of an event stream according to WHATWG HTML 9.2.5, ended by CR, LF or CRLF. They share one buffer,
/// which grows no larger than the longest line.
struct SSELines: ~Copyable {
  private let source: any ByteSource
  private let longest: Int
  private var buffer: UnsafeMutableRawBufferPointer
  private var start = 0
  private var filled = 0
  private var atEnd = false
  private var failure: (any Error)?
  // Set if the next LF belongs to the CR that ended the last line.
  private var skipsLineFeed = false
  private var number = 0
  /// The number of the line that the last `next` skipped because it was too long.
  private(set) var tooLong: Int?
  private var isCutting = false

  init(_ source: any ByteSource, longest: Int, chunk: Int = 256 << 10) {
    self.source = source
    self.longest = longest
    buffer = .allocate(byteCount: max(chunk, 64), alignment: 16)
  }

  deinit { buffer.deallocate() }

  /// Passes the next line to `body`; `isWhole` is false for text after the last line end. Returns false at
  /// the end.
  ///
  /// A line that is too long is skipped and reported by `tooLong`. An error of the source is thrown after the
  /// lines read before it.
  mutating func next(_ body: (UnsafeBufferPointer<UInt8>, _ number: Int, _ isWhole: Bool) throws -> Void)
    throws -> Bool
  {
    tooLong = nil
    var searched = start
    while true {
      if skipsLineFeed, start < filled {
        if buffer[start] == UInt8(ascii: "\n") { start += 1 }
        skipsLineFeed = false
        searched = max(searched, start)
      }
      if let end = lineEnd(from: searched) {
        let line = start..<end
        skipsLineFeed = buffer[end] == UInt8(ascii: "\r")
        start = end + 1
        if isCutting || line.count > longest {
          leaveOut()
          return true
        }
        try give(line, isWhole: true, body)
        return true
      }
      searched = filled
      if filled - start > longest {
        isCutting = true
        start = filled
      }
      if atEnd {
        if isCutting {
          leaveOut()
          return true
        }
        guard start < filled else {
          if let failure { throw failure }
          return false
        }
        let line = start..<filled
        start = filled
        try give(line, isWhole: false, body)
        return true
      }
      searched -= fill()
    }
  }

  private mutating func leaveOut() {
    number += 1
    tooLong = number
    isCutting = false
  }

  private mutating func give(
    _ line: Range<Int>, isWhole: Bool, _ body: (UnsafeBufferPointer<UInt8>, Int, Bool) throws -> Void
  ) throws {
    number += 1
    let bytes = UnsafeRawBufferPointer(rebasing: buffer[line]).assumingMemoryBound(to: UInt8.self)
    try body(bytes, number, isWhole)
  }

  private func lineEnd(from position: Int) -> Int? {
    guard let base = buffer.baseAddress, position < filled else { return nil }
    let count = filled - position
    let feed = memchr(base + position, Int32(UInt8(ascii: "\n")), count).map {
      $0 - UnsafeMutableRawPointer(base)
    }
    let limit = feed.map { $0 - position } ?? count
    let carriage = memchr(base + position, Int32(UInt8(ascii: "\r")), limit).map {
      $0 - UnsafeMutableRawPointer(base)
    }
    return carriage ?? feed
  }

  // Moves the open line to the front, makes room and reads; returns how far the line moved.
  private mutating func fill() -> Int {
    let moved = start
    if start > 0 {
      if filled > start, let base = buffer.baseAddress { memmove(base, base + start, filled - start) }
      filled -= start
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
}
