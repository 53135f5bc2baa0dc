import Bytes
import CallModel
import IO

/// Reads statistics of browsers and SDKs: getStats in every dialect and container.
public enum GetStatsReader {
  /// The format of a source by its first bytes (decompressed, up to 64 KiB); nil if it is none of this module's.
  ///
  /// Throws `SourceError` with code `unsupported` for formats that are recognised but not read.
  public static func recognise(_ head: UnsafeBufferPointer<UInt8>, name: String) throws -> SourceFormat? {
    try Recognition.format(of: head, name: name)
  }

  /// Whether a complete JSON value contains a report of a known type.
  public static func holdsReport(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
    (try? ReportSearch.holdsReport(value)) ?? false
  }

  /// Milliseconds per unit of the clock that stamped the reports, from the first bytes of a source: for
  /// `ReaderOptions.reportClockUnitMs`. Nil if there is no doubt, or no evidence.
  public static func clockUnitMs(inHead head: UnsafeBufferPointer<UInt8>) -> Double? {
    ClockUnit.ms(inHead: head)
  }

  /// Handles an element of a list that is not a snapshot, given as JSON with its 1-based index and its first byte;
  /// returns false if it cannot read it either.
  public typealias ElementHandler = (_ json: UnsafeBufferPointer<UInt8>, _ number: Int, _ offset: Int) throws
    -> Bool

  /// Reads a source in a format; elements of a JSON file between the snapshots are passed to `others`, which may share
  /// the same `ends`. Throws `SourceError`, `BytesError`, and the errors of the sink.
  public static func read(
    _ format: SourceFormat, from source: any ByteSource, into sink: any RecordSink, options: ReaderOptions,
    ends: LoggedEnds? = nil, others: ElementHandler = { _, _, _ in false }
  ) throws {
    do {
      switch format {
      case .getstatsLines: try readLines(source, sink, options)
      case .getstatsJSON:
        var document = SnapshotDocument(source, into: sink, options: options, ends: ends)
        try document.read(others: others)
      case .rtcstatsV2, .rtcstatsV3, .jitsiRtcstats:
        var reader = RtcstatsReader(format, into: sink, options: options)
        try reader.read(source)
      case .rtcstatsV0:
        var reader = RtcstatsV0Reader(source, into: sink, options: options)
        try reader.read()
      case .googText:
        var reader = GoogTextReader(RecordContext(sink: sink, options: options))
        try reader.read(source)
      case .webrtcInternals:
        var reader = InternalsReader(source, into: sink, options: options)
        try reader.read()
      default: throw SourceError(.unsupported, "\(format.rawValue) is not read by this room")
      }
    } catch let error as JSONError {
      throw SourceError(.notJSON, error.reason, byte: error.byte)
    }
  }

  private static func readLines(
    _ source: any ByteSource, _ sink: any RecordSink, _ options: ReaderOptions
  ) throws {
    var reader = SnapshotLineReader(sink: sink, options: options)
    try LineReader.each(of: source, longest: options.longestLine, for: sink) { bytes, number, offset in
      if bytes.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }) { return }
      if try !reader.line(bytes, number: number, offset: offset) {
        try sink.reject(Reject("not a getStats snapshot", line: number, byte: offset))
      }
    }
    try reader.finish()
  }
}

/// Determines the unit of the reports' own clock from the first bytes of a source, if its numbers may be seconds since
/// 1970 as well as milliseconds since boot (mediasoup): by the differences between them.
enum ClockUnit {
  /// In seconds, polls are closer together than this; in milliseconds, farther apart.
  private static let apart = 300.0
  /// The most times examined.
  private static let maxTimes = 4096
  /// Reports of one poll also differ a little; with this many times as many small steps, large ones are pauses.
  private static let maxSmall = 4

  /// Milliseconds per unit; nil if only one kind of time is possible, or if the times are inconclusive.
  static func ms(inHead head: UnsafeBufferPointer<UInt8>) -> Double? {
    guard let times = times(in: head) else { return nil }
    let sorted = Set(times).sorted()
    let steps = zip(sorted.dropFirst(), sorted).map { $0 - $1 }
    guard !steps.isEmpty else { return nil }
    let large = steps.count { $0 >= apart }
    return large > 0 && large * maxSmall >= steps.count - large ? 1 : 1000
  }

  /// The times of reports; nil if one of them is not such a number.
  private static func times(in head: UnsafeBufferPointer<UInt8>) -> [Double]? {
    var times: [Double] = []
    var rest = head[...]
    let name: StaticString = "\"timestamp\""
    while times.count < maxTimes, let place = ByteSearch.find(name, in: UnsafeBufferPointer(rebasing: rest)) {
      rest = rest.dropFirst(place + name.utf8CodeUnitCount)
      let value = rest.drop { $0 <= UInt8(ascii: " ") || $0 == UInt8(ascii: ":") }
      let digits = value.prefix { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
      // A number cut off at the end of the head is ignored.
      guard digits.endIndex < head.endIndex, !digits.isEmpty else { continue }
      guard let time = Double(String(decoding: digits, as: UTF8.self)), ReportTime.seconds.contains(time)
      else {
        return nil
      }
      times.append(time)
    }
    return times
  }
}

/// Reads rtcstats format 0: one object `{url, userAgent, getUserMedia[], peerConnections{name:[{time, type, value}]}}`.
struct RtcstatsV0Reader {
  private let context: RecordContext
  private let stream: JSONStream
  private var stats = StatsDelta(.older)
  private var pages: RtcstatsPages

  init(_ source: any ByteSource, into sink: any RecordSink, options: ReaderOptions) {
    context = RecordContext(sink: sink, options: options, isOfDeltas: true)
    stream = JSONStream(source, longestValue: options.longestValue)
    pages = RtcstatsPages(context)
  }

  /// Reads the whole source. Throws `SourceError`.
  mutating func read() throws {
    try stream.beginObject()
    while let key = try stream.nextKey() {
      switch (String(decoding: key, as: UTF8.self), try stream.peek()) {
      case ("peerConnections", .object):
        try stream.beginObject()
        while let name = try stream.nextKey() { try events(of: name) }
      case ("getUserMedia", .array): try events(of: nil)
      case ("userAgent", .string):
        let value = try stream.value()
        let header = Array("{\"userAgent\":".utf8) + value + [UInt8(ascii: "}")]
        try pages.learn(header: EventValue(text: header))
      default: _ = try stream.value()
      }
    }
    guard try stream.isAtEnd() else { throw JSONError(byte: stream.offset, reason: "the end expected") }
    try pages.finish()
  }

  private mutating func events(of name: [UInt8]?) throws {
    guard try stream.peek() == .array else { return _ = try stream.value() }
    if let name { _ = try pages.connection(name) }
    try stream.beginArray()
    while try stream.nextElement() { try event(try stream.value(), name) }
  }

  private mutating func event(_ bytes: UnsafeBufferPointer<UInt8>, _ name: [UInt8]?) throws {
    var scanner = JSONScanner(bytes)
    guard try scanner.peek() == .object else { return }
    var timeMs: Double?
    var method = ""
    var value: UnsafeBufferPointer<UInt8>?
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      switch key {
      case "time", "timestamp": timeMs = try ReportTime.read(&scanner) ?? timeMs
      case "type" where try scanner.peek() == .string: method = try scanner.string().string
      case "value": value = try scanner.skip()
      default: try scanner.skip()
      }
    }
    if method.lowercased() == "getstats" {
      guard let name, let value, let connection = try pages.connection(name) else { return }
      try stats.read(value, timeMs: timeMs, line: nil, into: connection)
      return
    }
    let argument = try value.map { bytes throws(JSONError) in try EventValue(bytes) } ?? .none
    try pages.event(method, argument, timeMs: timeMs, line: nil, of: name)
  }
}
