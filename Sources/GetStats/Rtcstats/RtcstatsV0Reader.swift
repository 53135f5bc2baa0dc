import Bytes
import CallModel

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

  /// Reads all of it. Throws `SourceError`.
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
