import Bytes
import CallModel

/// Reads the log of a Pexip event stream, bare or with a time in front of each line.
struct SSEReader {
  private let sink: any RecordSink
  private let redactor = Redactor()
  private var stream: EventStream
  private var parser: SSEParser
  private var stamp = SSEStamp()
  private var roster = PexipRoster()
  private let options: ReaderOptions

  init(sink: any RecordSink, dialects: Dialects, options: ReaderOptions) {
    self.sink = sink
    self.options = options
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
    if let assumed = stamp.assumed { try sink.note(assumed) }
    try tellSkew()
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
    let members = PexipMembers(event.data)
    let meaning = roster.meaning(of: event.name, members, timeMs: stamp.lastMs)
    var raw = RawEvent(timeMs: stamp.lastMs, raw: redactor.text(event.name), sdk: "pexip", line: event.line)
    raw.named = meaning.event.map { [$0] }
    if let id = event.id { raw.arguments.append("id", text: redactor.text(id)) }
    if let id = event.lastID { raw.arguments.append("last_event_id", text: redactor.text(id)) }
    raw.arguments.append("dispatched", word: event.data == nil ? "false" : "true")
    if let data = event.data { raw.arguments.append("data", text: String(decoding: data, as: UTF8.self)) }
    for (name, value) in meaning.added { raw.arguments.add(name, word: value) }
    for person in [members.name, members.uri] {
      if let person { raw.identities.append(.init(.person, person)) }
    }
    // The uuid of a participant is the one its own client was given with its token.
    if let uuid = members.uuid { raw.identities.append(.init(.session, uuid)) }
    if let call = members.callUUID { raw.identities.append(.init(.session, call)) }
    try stream.take(raw)
  }

  private func tellSkew() throws {
    guard let skew = roster.skewMs else { return }
    // start_time is cut to whole seconds: half of one is the best guess for what was cut off.
    let seconds = ((skew - 500) / 100).rounded() / 10
    let way = seconds < 0 ? "behind" : "ahead of"
    try sink.note(
      "clock: the log is \(abs(seconds)) s \(way) the server, to within a second (start_time of \(roster.joins) joins);"
        + " no time was shifted")
  }
}
