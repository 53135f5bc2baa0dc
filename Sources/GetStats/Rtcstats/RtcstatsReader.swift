import Bytes
import CallModel
import IO

/// Reads rtcstats dumps as lines: format 2 (fippo's server), 3 (also as written by Chrome), and Jitsi's.
struct RtcstatsReader {
  private let context: RecordContext
  private let format: SourceFormat
  private let isDeltaTime: Bool
  private var stats: StatsDelta
  private var pages: RtcstatsPages
  private var lastMs = 0.0
  private var hasTime = false
  private var wholeLines = 0

  init(_ format: SourceFormat, into sink: any RecordSink, options: ReaderOptions) {
    context = RecordContext(sink: sink, options: options, isOfDeltas: true)
    self.format = format
    isDeltaTime = format == .rtcstatsV3
    stats = StatsDelta(format == .rtcstatsV3 ? .v3 : .older)
    pages = RtcstatsPages(context)
  }

  /// Reads the whole source. Invalid lines are rejected one by one; throws `SourceError` if the source itself is
  /// truncated.
  mutating func read(_ source: any ByteSource) throws {
    var lines = LineReader(source, longestLine: context.options.longestLine)
    do {
      while true {
        var broken: JSONError?
        var place = (line: 0, offset: 0)
        let more = try lines.next { bytes, line, offset in
          place = (line, offset)
          do throws(any Error) {
            try take(bytes, line)
            wholeLines += 1
          } catch let error as JSONError {
            broken = error
          }
        }
        if let long = lines.tooLong {
          try context.sink.reject(
            .line(longerThan: context.options.longestLine, line: long.line, byte: long.offset))
        }
        if let broken { try report(broken, place, isLast: lines.isUnfinished) }
        if !more { break }
      }
    } catch let error as BytesError where error.kind == .truncated && wholeLines > 0 {
      // Chrome ends without closing the gzip stream; its lines are complete nevertheless.
      try context.sink.note("the compressed data has no end; every line in it is whole")
    }
    try pages.finish()
    if format != .rtcstatsV3 {
      try context.sink.note(
        stats.isDense
          ? "deltas: dense (a report left out is gone)"
          : "deltas: sparse or full (a report left out is unchanged)")
    }
  }

  private func report(_ error: JSONError, _ place: (line: Int, offset: Int), isLast: Bool) throws {
    let byte = place.offset + error.byte
    if isLast {
      throw SourceError(.truncated, "the last line is cut: \(error.reason)", byte: byte, line: place.line)
    }
    try context.sink.reject(Reject("not JSON: \(error.reason)", line: place.line, byte: byte))
  }

  private mutating func take(_ bytes: UnsafeBufferPointer<UInt8>, _ number: Int) throws {
    if bytes.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }) { return }
    if number == 1, format == .rtcstatsV3, bytes.first == UInt8(ascii: "R") { return }
    guard let line = try RtcstatsLine(bytes) else {
      var scanner = JSONScanner(bytes)
      if try scanner.peek() == .object {
        try validateJSON(bytes)
        try pages.learn(header: EventValue(bytes))
      } else {
        try context.sink.reject(Reject("neither a header nor an event", line: number))
      }
      return
    }
    guard line.count >= 3 else {
      try context.sink.reject(Reject("an event of fewer than three elements", line: number))
      return
    }
    try event(line, number, timeMs: time(of: line))
  }

  /// Absolute in the older formats; in format 3 relative to the line before, except after a reconnect.
  private mutating func time(of line: RtcstatsLine) -> Double? {
    guard isDeltaTime else { return line.fourth.flatMap(ReportTime.normal) }
    guard let step = line.last, step.isFinite else { return hasTime ? lastMs : nil }
    lastMs = step > 1e11 ? ReportTime.normal(step) ?? lastMs : lastMs + max(step, -1e11)
    hasTime = true
    return lastMs
  }

  private mutating func event(_ line: RtcstatsLine, _ number: Int, timeMs: Double?) throws {
    if line.method == "getStats" || line.method == "getstats" {
      guard let name = line.connection, let value = line.value,
        let connection = try pages.connection(name, line: number)
      else { return }
      try stats.read(value, timeMs: timeMs, line: number, into: connection)
      return
    }
    let value = try line.value.map { bytes throws(JSONError) in try EventValue(bytes) } ?? .none
    try pages.event(line.method, value, timeMs: timeMs, line: number, of: line.connection)
  }
}

/// An event of an rtcstats dump: `[method, connection, argument, …, time]`.
struct RtcstatsLine {
  var method = ""
  var connection: [UInt8]?
  var value: UnsafeBufferPointer<UInt8>?
  /// The last and the fourth element, if they are numbers: the position of the time depends on the dialect.
  var last: Double?
  var fourth: Double?
  var count = 0

  /// Parses an array. Throws `JSONError`; nil if the value is not an array.
  init?(_ bytes: UnsafeBufferPointer<UInt8>) throws(JSONError) {
    var scanner = JSONScanner(bytes)
    guard try scanner.peek() == .array else { return nil }
    try scanner.beginArray()
    while try scanner.nextElement() {
      try take(&scanner)
      count += 1
    }
    try scanner.finish()
  }

  private mutating func take(_ scanner: inout JSONScanner) throws(JSONError) {
    let kind = try scanner.peek()
    switch count {
    case 0:
      method =
        kind == .string
        ? try scanner.string().string : String(decoding: try scanner.skip(), as: UTF8.self)
      method = RtcstatsNumbers.method(method)
    case 1:
      if kind == .string {
        connection = try scanner.string().decoded()
      } else {
        let bytes = try scanner.skip()
        if kind == .number { connection = Array(bytes) }
      }
    case 2: value = try scanner.skip()
    default:
      let place = scanner
      try scanner.skip()
      last = nil
      if kind == .number {
        var number = place
        last = try number.number()
        if count == 3 { fourth = last }
      }
    }
  }
}
