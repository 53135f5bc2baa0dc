import Bytes
import CallModel

/// Reads the log of a Pexip event stream, bare or with a time in front of each line.
struct SSEReader {
  private let sink: any RecordSink
  private let redactor = Redactor()
  private var stream: EventStream
  private var parser: SSEParser
  private var stamp: SSEStamp
  private var trace: CurlTrace
  /// Knows the requests that a log may have between the events.
  private let finder: TextLine
  private var passedOver = 0
  /// Whether the log ends its events without empty lines.
  private var hasBareEnds = false
  private let options: ReaderOptions

  init(sink: any RecordSink, dialects: Dialects, options: ReaderOptions) {
    self.sink = sink
    self.options = options
    stamp = SSEStamp(writtenMs: options.writtenMs)
    trace = CurlTrace(longestLine: options.longestLine)
    finder = TextLine(dialects: dialects)
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
    try take(trace.finish(), number: 0, at: stamp.last)
    if hasBareEnds { try endEvent(at: stamp.last) }
    if parser.isOpen {
      try sink.reject(Reject("the last event is cut off", line: parser.openLine))
    }
    if passedOver > 0 {
      try sink.note("\(passedOver) lines are neither fields of an event nor a known request")
    }
    if stamp.borrowed > 0 {
      try sink.note(
        "\(stamp.borrowed) events stand on lines without a time: they borrow the one above, and no span is measured from or"
          + " to them; a time in front of each line is what `| ts` or curl's --trace-ascii gives")
    }
    for note in stamp.notes { try sink.note(note) }
    try stream.finish()
  }

  private mutating func take(_ line: UnsafeBufferPointer<UInt8>, number: Int) throws {
    let before = stamp.last
    guard var rest = stamp.strip(line) else {
      // Of what curl tells: `> POST /api/… HTTP/1.1`.
      if ByteSearch.find("> ", in: line) != nil, ByteSearch.find(" HTTP/", in: line) != nil {
        _ = try takeRequest(line, number: number, after: before)
      }
      return
    }
    if let found = trace.take(rest) { return try take(found, number: number, at: before) }
    // A byte order mark stands at the very beginning, or behind the first stamp.
    if number == 1, rest.starts(with: [0xEF, 0xBB, 0xBF]) {
      rest = UnsafeBufferPointer(rebasing: rest[3...])
    }
    try takeField(rest, number: number, after: before, at: stamp.last)
  }

  // What a trace of curl has put together: of what was sent the requests, of what came the fields.
  private mutating func take(_ found: CurlTrace.Found, number: Int, at place: SSEStamp.Place) throws {
    if found.isCut { parser.lose(line: number) }
    for line in found.lines {
      try line.withUnsafeBufferPointer { line in
        switch found.section {
        case .receivedData: try takeField(line, number: number, after: place, at: place)
        case .receivedHeader: stamp.learnDate(header: line)
        case .sentHeader where ByteSearch.find(" HTTP/", in: line) != nil:
          _ = try takeRequest(line, number: number, after: place)
        default: break
        }
      }
    }
  }

  private mutating func takeField(
    _ rest: UnsafeBufferPointer<UInt8>, number: Int, after before: SSEStamp.Place, at place: SSEStamp.Place
  ) throws {
    if !rest.isEmpty, !SSEParser.isField(rest) {
      if try !takeRequest(rest, number: number, after: before) { passedOver += 1 }
      return
    }
    if rest.isEmpty, parser.isTooLarge {
      try sink.reject(
        Reject(
          "event longer than \(options.longestLine) bytes; --raise line=SIZE takes longer ones",
          line: parser.openLine))
    }
    if rest.starts(with: "event".utf8) { try endEvent(at: before) }
    if let event = parser.take(rest, number: number) { try take(event, at: place) }
  }

  // A request to the conference's server, logged between the events; what is answered is not looked into.
  private mutating func takeRequest(
    _ line: UnsafeBufferPointer<UInt8>, number: Int, after before: SSEStamp.Place
  ) throws -> Bool {
    guard line.count <= options.longestTextLine, line.contains(UInt8(ascii: "/")), let first = line.first,
      first != UInt8(ascii: "{"), first != UInt8(ascii: "[")
    else { return false }
    let message = redactor.redacted(line) ?? Array(line)
    guard case .event(var request) = finder.find(message[...], sdk: PexipRoster.sdk),
      request.sdk == PexipRoster.sdk,
      request.telling == .own
    else { return false }
    try endEvent(at: before)
    stamp.time(request: &request, after: before)
    request.line = number
    try stream.take(request)
    return true
  }

  // In a log without empty lines an event ends where something else begins.
  private mutating func endEvent(at last: SSEStamp.Place) throws {
    guard let event = parser.endWithoutBlank() else { return }
    hasBareEnds = true
    try take(event, at: last)
  }

  private mutating func take(_ event: SSEParser.Event, at place: SSEStamp.Place) throws {
    var event = event
    if let data = event.data, let clean = data.withUnsafeBufferPointer({ redactor.redacted($0) }) {
      event.data = clean
    }
    var raw = RawEvent(raw: redactor.text(event.name), sdk: PexipRoster.sdk, line: event.line)
    stamp.time(&raw, at: place)
    raw.pexip = PexipMembers(event.data)
    if let id = event.id { raw.arguments.append("id", text: redactor.text(id)) }
    if let id = event.lastID { raw.arguments.append("last_event_id", text: redactor.text(id)) }
    raw.arguments.append("dispatched", word: event.data == nil ? "false" : "true")
    if let data = event.data { raw.arguments.append("data", text: String(decoding: data, as: UTF8.self)) }
    try stream.take(raw)
  }
}
