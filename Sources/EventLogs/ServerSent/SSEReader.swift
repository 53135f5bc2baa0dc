import Bytes
import CallModel
import Redaction

extension SourceFormat {
  public static let sse = SourceFormat(rawValue: "sse")
}

/// Reads the log of a Pexip event stream, with or without a timestamp in front of each line.
struct SSEReader {
  private let sink: any RecordSink
  private let redactor = Redactor()
  private var stream: EventStream
  private var parser: SSEParser
  private var stamp: SSEStamp
  private var trace: CurlTrace
  /// Recognises requests that a log may have between the events.
  private let finder: TextLine
  private var passedOver = 0
  /// Whether the log has no empty lines between events.
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

  /// Reads the source to its end. Throws any error of the source or the sink.
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
      try sink.note(
        "\(Plural.of(passedOver, "line is neither a field", "lines are neither fields")) of an event nor a known request"
      )
    }
    if stamp.borrowed > 0 {
      try sink.note(
        "\(Plural.of(stamp.borrowed, "event is on a line without a time: it takes", "events are on lines without a time: they take")) the one above, and no span is measured from or"
          + " to them; a time in front of each line is what `| ts` or curl's --trace-ascii gives")
    }
    for note in stamp.notes { try sink.note(note) }
    try stream.finish()
  }

  private mutating func take(_ line: UnsafeBufferPointer<UInt8>, number: Int) throws {
    let before = stamp.last
    guard var rest = stamp.strip(line) else {
      // A request that curl reports: `> POST /api/… HTTP/1.1`.
      if ByteSearch.find("> ", in: line) != nil, ByteSearch.find(" HTTP/", in: line) != nil {
        _ = try takeRequest(line, number: number, after: before)
      }
      return
    }
    if let found = trace.take(rest) { return try take(found, number: number, at: before) }
    // A byte order mark is at the very beginning, or after the first timestamp.
    if number == 1, rest.starts(with: [0xEF, 0xBB, 0xBF]) {
      rest = UnsafeBufferPointer(rebasing: rest[3...])
    }
    try takeField(rest, number: number, after: before, at: stamp.last)
  }

  // Takes what was reassembled from a trace of curl: requests from what was sent, fields from what was
  // received.
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

  // Takes a request to the conference's server, logged between the events. The answer's content is not read.
  private mutating func takeRequest(
    _ line: UnsafeBufferPointer<UInt8>, number: Int, after before: SSEStamp.Place
  ) throws -> Bool {
    guard line.count <= options.longestTextLine, line.contains(UInt8(ascii: "/")), let first = line.first,
      first != UInt8(ascii: "{"), first != UInt8(ascii: "[")
    else { return false }
    let message = redactor.redacted(line) ?? Array(line)
    guard case .event(var request) = finder.find(message[...], sdk: PexipConference.sdk),
      request.sdk == PexipConference.sdk,
      request.specificity == .own
    else { return false }
    try endEvent(at: before)
    stamp.time(request: &request, after: before)
    request.line = number
    try stream.take(request)
    return true
  }

  // In a log without empty lines, an event ends where something else begins.
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
    var raw = RawEvent(raw: redactor.text(event.name), sdk: PexipConference.sdk, line: event.line)
    stamp.time(&raw, at: place)
    raw.pexip = PexipMembers(event.data)
    if let id = event.id { raw.arguments.append("id", text: redactor.text(id)) }
    if let id = event.lastID { raw.arguments.append("last_event_id", text: redactor.text(id)) }
    raw.arguments.append("dispatched", word: event.data == nil ? "false" : "true")
    if let data = event.data { raw.arguments.append("data", text: String(decoding: data, as: UTF8.self)) }
    try stream.take(raw)
  }
}

extension SSEReader: LogReader {
  static let description = FormatDescription(
    .sse, .lines,
    summary: "a text/event-stream log (Pexip client API), bare or with a time in front of each line",
    recognisedBy: "lines event:, data:, id:, retry:, or comments",
    example: "event: participant_create")

  init(sink: any RecordSink, options: ReaderOptions) throws {
    self.init(sink: sink, dialects: try Dialects.installed(), options: options)
  }

  /// Whether the lines are fields of an event stream, with or without timestamps, or a curl trace of one.
  static func recognises(_ head: UnsafeBufferPointer<UInt8>) -> Bool {
    var stamp = SSEStamp()
    var fields = 0
    var named = false
    var others = 0
    var isCurl = false
    var trace = CurlTrace(longestLine: 32 << 10)
    let source = MemoryBytes(Array(head.prefix(32 << 10)))
    var lines = SSELines(source, longest: 32 << 10, chunk: 4096)
    var goesOn = true
    var seen = 0
    while goesOn, seen < 200 {
      let more = try? lines.next { line, number, isWhole in
        seen = number
        guard isWhole || fields == 0 else { return }
        if ByteSearch.find("text/event-stream", in: line) != nil { isCurl = true }
        guard var rest = stamp.strip(line), !rest.isEmpty else { return }
        if let found = trace.take(rest) {
          for line in found.lines where found.section == .receivedData && line.first != UInt8(ascii: ":") {
            if line.withUnsafeBufferPointer(SSEParser.isField) { fields += 1 }
          }
          return
        }
        if number == 1, rest.starts(with: [0xEF, 0xBB, 0xBF]) {
          rest = UnsafeBufferPointer(rebasing: rest[3...])
        }
        guard let first = rest.first, first != UInt8(ascii: ":") else { return }
        let field = String(decoding: rest.prefix(8).prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self)
        // If data follow the name on the same line, the log has one line of text per event.
        let isText = field == "event" && ByteSearch.find(" data", in: rest) != nil
        if !isText, ["event", "data", "id", "retry"].contains(field) { fields += 1 } else { others += 1 }
        if field == "event", !isText { named = true }
      }
      goesOn = more ?? false
    }
    if isCurl { return fields > 0 || named || others == 0 }
    return named && fields >= 2 && others <= fields
  }
}

/// Reassembles what curl sent and received from its `--trace-ascii` output: rows of up to 64 bytes, each with
/// its offset in front.
///
/// Where a line ends with CR and LF, these two bytes are missing between rows. A single line feed is printed
/// as a period.
struct CurlTrace {
  /// The type of the rows after a heading.
  enum Section { case other, sentHeader, receivedHeader, receivedData }

  /// Lines that are complete, and their type.
  struct Found {
    var section: Section
    var lines: [[UInt8]] = []
    /// Whether a row was left out because its line is too long.
    var isCut = false
  }

  private let longestLine: Int
  private var section = Section.other
  /// The size of the section in bytes, and how many of them have been read.
  private var size = 0
  private var end = 0
  private var open: [UInt8] = []
  private var isOpen = false
  private var isFirst = true

  init(longestLine: Int) { self.longestLine = longestLine }

  private static let headings: [(StaticString, Section)] = [
    ("<= Recv data, ", .receivedData), ("<= Recv header, ", .receivedHeader),
    ("=> Send header, ", .sentHeader),
    ("=> Send data, ", .other), ("<= Recv SSL data, ", .other), ("=> Send SSL data, ", .other),
    ("== Info: ", .other),
  ]

  /// Takes a line without its timestamp; returns nil if it is not part of a trace.
  mutating func take(_ line: UnsafeBufferPointer<UInt8>) -> Found? {
    if line.first == UInt8(ascii: "<") || line.first == UInt8(ascii: "="),
      let heading = Self.headings.first(where: { ByteSearch.find($0.0, in: Self.head(line)) == 0 })
    {
      let found = finish(before: heading.1)
      section = heading.1
      size = Self.number(line.dropFirst(heading.0.utf8CodeUnitCount).prefix(while: \.isASCIIDigit), 10)
      (end, isFirst) = (0, true)
      return found
    }
    guard size > 0, let colon = line.prefix(12).firstIndex(of: UInt8(ascii: ":")), colon >= 4,
      colon + 1 < line.count, line[colon + 1] == UInt8(ascii: " "),
      line[..<colon].allSatisfy(\.isASCIIHexDigit)
    else { return nil }
    var found = Found(section: section)
    let place = Self.number(line[..<colon], 16)
    if place != end { close(into: &found) }
    found.isCut = open.count + line.count > longestLine
    if !found.isCut { open.append(contentsOf: line[(colon + 2)...]) }
    isOpen = true
    end = place + line.count - colon - 2
    return found
  }

  /// Ends a section. Its last line is complete if its end was received, or if something else follows.
  mutating func finish(before next: Section = .other) -> Found {
    var found = Found(section: section)
    if end < size || next != section { close(into: &found) }
    return found
  }

  private mutating func close(into found: inout Found) {
    guard isOpen else { return }
    // The length of a chunk (RFC 9112 section 7.1) is not one of the lines.
    let isLength =
      section == .receivedData && isFirst && (1...8).contains(open.count)
      && open.allSatisfy(\.isASCIIHexDigit)
    if !isLength { found.lines += section == .receivedData ? Self.parted(open) : [open] }
    open.removeAll(keepingCapacity: true)
    (isOpen, isFirst) = (false, false)
  }

  // Splits a line in which periods stand for line feeds: one before each field, two after an event.
  private static func parted(_ line: [UInt8]) -> [[UInt8]] {
    var ends = line.indices.dropFirst().filter { line[$0] == UInt8(ascii: ".") && isField(line[($0 + 1)...]) }
    guard !ends.isEmpty else { return [line] }
    ends.append(line.endIndex)
    var lines: [[UInt8]] = []
    var start = line.startIndex
    for end in ends {
      let text = line[start..<end]
      let feeds = text.reversed().prefix(2).prefix { $0 == UInt8(ascii: ".") }.count
      lines.append(Array(text.dropLast(feeds)))
      if feeds > 0 { lines.append([]) }
      start = end + 1
    }
    return lines
  }

  private static func isField(_ text: ArraySlice<UInt8>) -> Bool {
    ["event: ", "data: ", "id: "].contains { text.starts(with: $0.utf8) }
  }

  private static func head(_ line: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: line.prefix(32))
  }

  private static func number(_ digits: Slice<UnsafeBufferPointer<UInt8>>, _ base: Int) -> Int {
    digits.prefix(12).reduce(0) { $0 * base + Int($1.asciiHexValue ?? 0) }
  }
}
