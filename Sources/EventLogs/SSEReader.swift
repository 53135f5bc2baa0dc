import Bytes
import CallModel

/// Reads the log of a Pexip event stream, bare or with a time in front of each line.
struct SSEReader {
  private let sink: any RecordSink
  private let redactor = Redactor()
  private var stream: EventStream
  private var parser: SSEParser
  private var stamp: SSEStamp
  private let options: ReaderOptions

  init(sink: any RecordSink, dialects: Dialects, options: ReaderOptions) {
    self.sink = sink
    self.options = options
    stamp = SSEStamp(writtenMs: options.writtenMs)
    parser = SSEParser(limit: options.longestLine)
    stream = EventStream(
      sink: sink, dialects: dialects, firstConnection: 0, limit: options.connectionsPerSource)
  }

  /// Reads to the end. Throws what the source and the sink throw.
  mutating func read(_ source: any ByteSource) throws {
    var lines = SSELines(source, longest: options.longestLine)
    while try lines.next({ line, number, isWhole in
      guard isWhole else { return }
      try take(line, number: number)
    }) {
      if let long = lines.tooLong { parser.lose(line: long) }
    }
    if parser.isOpen {
      try sink.reject(Reject("the last event is cut off", line: parser.openLine))
    }
    for note in stamp.notes { try sink.note(note) }
    try stream.finish()
  }

  private mutating func take(_ line: UnsafeBufferPointer<UInt8>, number: Int) throws {
    guard var rest = stamp.strip(line) else { return }
    // A byte order mark stands at the very beginning, or behind the first stamp.
    if number == 1, rest.starts(with: [0xEF, 0xBB, 0xBF]) {
      rest = UnsafeBufferPointer(rebasing: rest[3...])
    }
    if rest.isEmpty, parser.isTooLarge {
      try sink.reject(
        Reject(
          "event longer than \(options.longestLine) bytes; --raise line=SIZE takes longer ones",
          line: parser.openLine))
    }
    if let event = parser.take(rest, number: number) { try take(event) }
  }

  private mutating func take(_ event: SSEParser.Event) throws {
    var event = event
    if let data = event.data, let clean = data.withUnsafeBufferPointer({ redactor.redacted($0) }) {
      event.data = clean
    }
    var raw = RawEvent(
      timeMs: stamp.lastMs(), raw: redactor.text(event.name), sdk: PexipRoster.sdk, line: event.line)
    raw.pexip = PexipMembers(event.data)
    if let id = event.id { raw.arguments.append("id", text: redactor.text(id)) }
    if let id = event.lastID { raw.arguments.append("last_event_id", text: redactor.text(id)) }
    raw.arguments.append("dispatched", word: event.data == nil ? "false" : "true")
    if let data = event.data { raw.arguments.append("data", text: String(decoding: data, as: UTF8.self)) }
    try stream.take(raw)
  }
}
