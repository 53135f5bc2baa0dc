import Bytes
import Glibc
import LogText

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

/// The timestamp in front of the lines of a stream's log: ISO 8601, epoch, or the time of day in a curl
/// trace. It also recognises curl's own lines.
struct SSEStamp {
  private var clock: TextClock
  /// The last stamp and its position.
  private(set) var last = Place()
  /// The number of the last stamp whose time an event has.
  private var taken = 0
  /// The number of events after one that has the last time.
  private(set) var borrowed = 0
  // What is between a stamp and a field on every line, such as a level or a logger's name; nil until a field
  // has been read.
  private var filler: [UInt8]?

  /// - Parameter writtenMs: When the file was written, in ms since the epoch, if known.
  init(writtenMs: Double? = nil) { clock = TextClock(writtenMs: writtenMs) }

  /// The assumptions made about the times.
  var notes: [String] { clock.notes }

  /// A stamp and its position.
  struct Place {
    var stamp: LogTime.Stamp?
    /// The index of the stamp.
    var number = 0
    /// Whether curl printed it for a message of its own, so that it is not the time of the server's data
    /// below it.
    var isCurls = false
  }

  /// Gives an event the time of a stamp. The first event there owns it, later ones borrow it.
  mutating func time(_ event: inout RawEvent, at place: Place) {
    guard let stamp = place.stamp, let ms = clock.moment(stamp) else { return }
    event.timeMs = ms
    event.isTimeBorrowed = place.isCurls || place.number <= taken
    if event.isTimeBorrowed { borrowed += 1 }
    if !place.isCurls { taken = max(taken, place.number) }
  }

  /// Gives a request the time of its line, which is curl's or its own.
  mutating func time(request: inout RawEvent, after before: Place) {
    var place = last
    if place.number > before.number { place.isCurls = false }
    time(&request, at: place)
  }

  /// Removes and records the stamp of a line. Returns nil if the line is curl's own and not part of the
  /// stream.
  mutating func strip(_ line: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8>? {
    // A byte order mark may be in front of the first stamp.
    let behindMark = UnsafeBufferPointer(
      rebasing: line.starts(with: [0xEF, 0xBB, 0xBF]) ? line[3...] : line[...])
    var rest = line
    // A digit, a bracket, or the name of a day or month.
    if let first = behindMark.first,
      first.isASCIIDigit || first == UInt8(ascii: "[") || first.isASCIICapital
    {
      let found = stripped(behindMark)
      if found.count < behindMark.count { rest = found }
    }
    guard isCurls(rest) else { return rest.count < line.count ? unfilled(rest) : rest }
    // What curl receives follows its count of bytes, and has the time of that line.
    last.isCurls = rest.first != UInt8(ascii: "{")
    return nil
  }

  // Removes what the logger puts after the stamp. The first field shows what that is: `INFO sse - id: 1`.
  private mutating func unfilled(_ rest: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
    if filler == nil, let first = rest.first, first != UInt8(ascii: ":"), let start = Self.field(in: rest) {
      filler = Array(rest[..<start])
    }
    guard let filler, !filler.isEmpty else { return rest }
    if rest.starts(with: filler) { return UnsafeBufferPointer(rebasing: rest[filler.count...]) }
    // On an empty line, the trailing blank may be missing.
    let isBare = rest.count == filler.count - 1 && filler.starts(with: rest)
    return isBare ? UnsafeBufferPointer(rebasing: rest[rest.count...]) : rest
  }

  // The maximum length of what a logger puts between the stamp and a field: Apple's log has process, library
  // and subsystem there.
  private static let longestFiller = 128

  private static func field(in rest: UnsafeBufferPointer<UInt8>) -> Int? {
    let head = UnsafeBufferPointer(rebasing: rest.prefix(longestFiller))
    let fields: [StaticString] = ["event:", "data:", "id:"]
    return fields.compactMap { ByteSearch.find($0, in: head) }.filter {
      $0 == 0 || head[$0 - 1] == UInt8(ascii: " ")
    }
    .min()
  }

  private mutating func stripped(_ line: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
    let isBracketed = line.first == UInt8(ascii: "[")
    let bytes = ArraySlice(line.prefix(48))
    let inner = isBracketed ? bytes.dropFirst() : bytes
    var length = isBracketed ? 1 : 0
    let stamp: LogTime.Stamp
    if let epoch = epoch(inner) {
      stamp = LogTime.Stamp(length: epoch.length, ms: epoch.ms)
    } else if let found = LogTime.stamp(inner) {
      stamp = found
    } else {
      return line
    }
    length += stamp.length
    if isBracketed {
      guard length < line.count, line[length] == UInt8(ascii: "]") else { return line }
      length += 1
    }
    last = Place(stamp: stamp, number: last.number + 1)
    // One space belongs to the stamp. A line with only a stamp is an empty line.
    if length < line.count, line[length] == UInt8(ascii: " ") || line[length] == UInt8(ascii: "\t") {
      length += 1
    }
    return UnsafeBufferPointer(rebasing: line[length...])
  }

  // Ten digits with decimals, or thirteen digits, followed by the end or a space.
  private func epoch(_ bytes: ArraySlice<UInt8>) -> (ms: Double, length: Int)? {
    let word = bytes.prefix { $0.isASCIIDigit || $0 == UInt8(ascii: ".") }
    guard word.count >= 10,
      word.endIndex == bytes.endIndex || " \t]".utf8.contains(bytes[word.endIndex]),
      let number = Double(String(decoding: word, as: UTF8.self))
    else { return nil }
    return LogTime.epochMs(number).map { ($0, word.count) }
  }

  // `* Connected`, `> GET`, `< HTTP`, `{ [128 bytes data]`: what curl prints, not what the server streams.
  private mutating func isCurls(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    guard line.count >= 1 else { return false }
    switch line[0] {
    case UInt8(ascii: "<"):
      if line.count > 2 { learnDate(header: UnsafeBufferPointer(rebasing: line[2...])) }
      return line.count == 1 || line[1] == UInt8(ascii: " ")
    case UInt8(ascii: "*"), UInt8(ascii: ">"): return line.count == 1 || line[1] == UInt8(ascii: " ")
    case UInt8(ascii: "{"), UInt8(ascii: "}"): return ByteSearch.find(" [", in: line) == 1
    default: return false
    }
  }

  /// Learns the day from the server's Date header. Compared with the line's own time of day, it also gives the
  /// zone, to a quarter of an hour.
  mutating func learnDate(header: UnsafeBufferPointer<UInt8>) {
    guard header.first.map({ $0 | 0x20 }) == UInt8(ascii: "d"), header.count > 6,
      let ms = LogTime.stamp(ArraySlice(header.dropFirst(6).prefix(40)))?.date?.zoned,
      header.prefix(6).elementsEqual("Date: ".utf8) || header.prefix(6).elementsEqual("date: ".utf8)
    else { return }
    if let stamp = last.stamp { clock.learn(epochMs: ms, beside: stamp, from: "the server's Date header") }
  }
}
