import Bytes
import CallModel

/// Reads the dump of chrome://webrtc-internals, of every era, one PeerConnection in memory at a time.
struct InternalsReader {
  private let context: RecordContext
  private let stream: JSONStream
  private let events: ApiEvents
  private var capture = CaptureRequests()
  private var userAgent: String?
  private var connections: [(name: String, connection: PeerConnection)] = []

  init(_ source: any ByteSource, into sink: any RecordSink, options: ReaderOptions) {
    context = RecordContext(sink: sink, options: options)
    stream = JSONStream(source, longestValue: options.longestValue)
    events = ApiEvents(context)
  }

  /// Reads all of it. Throws `SourceError`, after giving what could be read.
  mutating func read() throws {
    do {
      try walk()
    } catch {
      try finish()
      throw error
    }
    try finish()
    guard try stream.isAtEnd() else { throw JSONError(byte: stream.offset, reason: "the end expected") }
    if connections.isEmpty {
      try context.sink.note("a dump without connections: it was taken when none was open")
    }
  }

  private mutating func walk() throws {
    try stream.beginObject()
    while let key = try stream.nextKey() {
      let kind = try stream.peek()
      switch String(decoding: key, as: UTF8.self) {
      case "PeerConnections" where kind == .object:
        try stream.beginObject()
        while let name = try stream.nextKey() { try connection(String(decoding: name, as: UTF8.self)) }
      case "getUserMedia" where kind == .array:
        try stream.beginArray()
        while try stream.nextElement() { try capture.take(try stream.value()) }
      case "UserAgent" where kind == .string:
        userAgent = try stream.read { scanner throws(JSONError) in try scanner.string().string }
      default: _ = try stream.value()
      }
    }
  }

  private mutating func connection(_ name: String) throws {
    guard try stream.peek() == .object, try context.takesConnection() else { return _ = try stream.value() }
    let connection = PeerConnection(context, name: name)
    connection.facts.sdk = "w3c"
    connection.facts.userAgent = userAgent
    try connection.introduce()
    connections.append((name, connection))
    var stats = InternalsConnection(connection)
    var log = UpdateLog(connection, events)
    var page = PageDigest()
    do {
      try stream.beginObject()
      while let key = try stream.nextKey() {
        switch String(decoding: key, as: UTF8.self) {
        case "stats": try stats.readStats(stream)
        case "updateLog" where try stream.peek() == .array:
          try stream.beginArray()
          while try stream.nextElement() { try log.take(try stream.value()) }
        case "rid", "url": page.take(try stream.value())
        case "rtcConfiguration": try configuration(try stream.value(), connection)
        default: _ = try stream.value()
        }
      }
    } catch {
      try log.finish(firstPollMs: stats.firstMs)
      try stats.give()
      throw error
    }
    if let page = page.identity { try connection.tell([page]) }
    try log.finish(firstPollMs: stats.firstMs)
    try stats.give()
  }

  /// The servers and policies a connection was made with; when, the dump does not say.
  private func configuration(_ value: UnsafeBufferPointer<UInt8>, _ connection: PeerConnection) throws {
    let value = try EventValue(value)
    guard !value.isNull else { return }
    try events.give("rtcConfiguration", value, timeMs: nil, of: connection)
  }

  private mutating func finish() throws {
    if let userAgent {
      for (_, connection) in connections where connection.facts.userAgent == nil {
        connection.facts.userAgent = userAgent
        try connection.introduce()
      }
    }
    try capture.give(connections, events, context.sink)
  }
}
