import Bytes
import CallModel
import IO
import LogText
import Redaction

/// Reads the lines of a run log that are events, and leaves others to the reader of statistics.
///
/// A line is a JSON object with a time (`ts`, `t`, `time`, `timestamp`, `date`: a number or a string in any
/// of `LogTime`'s forms), an `event`, and either `args` or loose arguments beside them. Kandy's
/// `callAdditionalInfoChanged` objects and Oracle's frames are read as they are.
public struct RunLogLineReader {
  private let sink: any RecordSink
  private let limit: Int
  private let ends: LoggedEnds?
  private var dialects: Dialects?
  private var stream: EventStream?
  private var clock: TextClock
  private var requests = LoggedPageRequests()
  private let redactor = Redactor()

  /// The number of the first connection, chosen so that it does not collide with the numbers of connections
  /// from statistics.
  public static let firstConnection = 1_000_000

  /// Creates a reader for one source. Dialects are loaded when the first event is read.
  ///
  /// - Parameter ends: The ends of the log as known from its statistics.
  public init(
    sink: any RecordSink, options: ReaderOptions = ReaderOptions(), dialects: Dialects? = nil,
    ends: LoggedEnds? = nil
  ) {
    self.sink = sink
    self.ends = ends
    limit = options.connectionsPerSource
    clock = TextClock(writtenMs: options.writtenMs)
    self.dialects = dialects
  }

  /// Reads a line; returns false if it is not an event.
  ///
  /// Throws `SourceError` if the line is not JSON or a dialect file is invalid, and any error of the sink.
  public mutating func line(_ bytes: UnsafeBufferPointer<UInt8>, number: Int, offset: Int) throws -> Bool {
    try take(bytes, number: number, offset: offset) { _, _ in }
  }

  /// Reads the content of another logger's line. The time and call around it are used if it has none of its
  /// own.
  public mutating func line(_ object: WrappedLine.Object, number: Int, offset: Int) throws -> Bool {
    try object.event.withUnsafeBufferPointer { bytes in
      try take(bytes, number: number, offset: offset) { event, clock in
        event.timeMs = event.timeMs ?? object.stamp.flatMap { clock.moment($0) }
        if event.call == nil { event.callAround = object.call }
      }
    }
  }

  private mutating func take(
    _ bytes: UnsafeBufferPointer<UInt8>, number: Int, offset: Int,
    _ complete: (inout RawEvent, inout TextClock) -> Void
  ) throws -> Bool {
    do {
      guard var event = try event(in: bytes, line: number) else { return false }
      complete(&event, &clock)
      for event in requests.settled(event) { try give(event) }
      return true
    } catch let error as JSONError {
      throw SourceError(.notJSON, error.reason, byte: offset + error.byte, line: number)
    }
  }

  private mutating func give(_ event: RawEvent) throws {
    var event = event
    let dialects = try open()
    if let pc = event.pc, let calls = ends?.calls {
      event.call = calls.call(of: pc, named: event.call)
      if event.closesConnection { calls.close(pc) }
    }
    try stream?.take(TextLine(dialects: dialects).worded(event))
  }

  /// Sends what was held back. Call this once, after the last line.
  public mutating func finish() throws {
    for event in requests.finish() { try give(event) }
    for note in clock.notes { try sink.note(note) }
    try stream?.finish()
  }

  private mutating func open() throws -> Dialects {
    let found = try dialects ?? Dialects.installed()
    guard stream == nil else { return found }
    dialects = found
    stream = EventStream(
      sink: sink, dialects: found, firstConnection: Self.firstConnection, limit: limit, ends: ends)
    return found
  }

  private mutating func event(in bytes: UnsafeBufferPointer<UInt8>, line: Int) throws -> RawEvent? {
    guard RunLogLine.mayBeEvent(bytes) else { return nil }
    if let clean = redactor.redacted(bytes) {
      return try clean.withUnsafeBufferPointer { try RunLogLine.event($0, line: line, clock: &clock) }
    }
    return try RunLogLine.event(bytes, line: line, clock: &clock)
  }
}

/// The form of a run log's line.
enum RunLogLine {
  private static let ownNames: Set = [
    "ts", "t", "time", "timestamp", "date", "datetime", "sdk", "call", "endpoint", "pc", "event", "args",
    "chunk",
  ]

  /// Returns the event of a line, nil if it is not one. `words` is the text before it. Throws `JSONError`.
  static func event(
    _ bytes: UnsafeBufferPointer<UInt8>, line: Int, clock: inout TextClock,
    behind words: ArraySlice<UInt8> = []
  ) throws -> RawEvent? {
    var scanner = JSONScanner(bytes)
    guard try scanner.peek() == .object else { return nil }
    let members = try LogArguments(object: bytes)
    try scanner.skip()
    try scanner.finish()
    if members.json("report") != nil { return nil }
    let time = stamp(of: members).flatMap { clock.moment($0) }
    guard let raw = own("event", members).flatMap(LogArguments.plain) ?? messageEvent(members) else {
      return KandyInfo.event(members, timeMs: time, line: line)
        ?? OracleFrame.event(members, timeMs: time, line: line, behind: words)
    }
    let arguments = arguments(of: members)
    var event =
      (KandyInfo.event(arguments, timeMs: time, line: line)
        ?? OracleFrame.event(arguments, timeMs: time, line: line, behind: words))
      ?? RawEvent(timeMs: time, raw: raw, arguments: arguments, line: line)
    if let sdk = members.text("sdk") { (event.sdk, event.isSDKNamed) = (sdk, true) }
    event.call = own("call", members).flatMap(LogArguments.plain) ?? event.call
    event.endpoint = own("endpoint", members).flatMap(LogArguments.plain)
    event.pc = own("pc", members).flatMap(LogArguments.plain)
    return event
  }

  /// Returns the event after other text in a line, such as a collector's time, a host or a file.
  ///
  /// - Parameter isName: Whether a word is the name of an event.
  static func event(
    endingLine message: ArraySlice<UInt8>, line: Int, clock: inout TextClock, isName: (String) -> Bool
  ) -> RawEvent? {
    let event = message.withUnsafeBufferPointer { bytes -> RawEvent? in
      guard bytes.contains(UInt8(ascii: "{")), let json = JSONTail.find(in: bytes), mayBeEvent(json) else {
        return nil
      }
      let start = json.baseAddress.flatMap { json in bytes.baseAddress.map { json - $0 } } ?? 0
      let words = message[..<(message.startIndex + start)]
      guard var event = (try? Self.event(json, line: line, clock: &clock, behind: words)) ?? nil else {
        return nil
      }
      event.owner = LineAttribution(around: message.startIndex + start, in: message)
      return event
    }
    guard let event else { return nil }
    if event.timeMs != nil || event.sdk != nil { return event }
    // Without a time or SDK of its own, it may be an argument of a callback or any other object.
    let isWhole = message.first { $0 > UInt8(ascii: " ") } == UInt8(ascii: "{")
    return isWhole && isName(event.raw) ? event : nil
  }

  // A server-sent event as a browser represents it: a MessageEvent, or an entry in its recording of requests.
  private static func messageEvent(_ members: LogArguments) -> String? {
    if members.json("lastEventId") != nil, members.json("data") != nil { return members.text("type") }
    return members.json("data") == nil ? nil : members.text("eventName")
  }

  /// The time of a line: the first of its members that is one.
  static func stamp(of members: LogArguments) -> LogTime.Stamp? {
    LogTime.memberNames.lazy.compactMap {
      own($0, members).flatMap(LogArguments.plain).flatMap { LogTime.stamp($0) }
    }
    .first
  }

  // A member of the line itself, found by its exact name, else ignoring case and punctuation (`@timestamp`,
  // `Event`).
  private static func own(_ name: String, _ members: LogArguments) -> String? {
    let found =
      members.members.first { $0.name == name }
      ?? members.members.first { member in
        // At most one more character is allowed: `@timestamp`.
        (0...1).contains(member.name.utf8.count - name.utf8.count) && member.normal == name
      }
    return found?.json
  }

  /// Whether a head that ends within its first line begins like an event, with a name and a time.
  static func begins(_ head: UnsafeBufferPointer<UInt8>) -> Bool {
    guard mayBeEvent(head), !head.contains(UInt8(ascii: "\n")) else { return false }
    var scanner = JSONScanner(head)
    var hasName = false
    var hasTime = false
    // If the line is truncated, what was read before counts.
    try? {
      try scanner.beginObject()
      while let key = try scanner.nextKey() {
        hasTime = hasTime || LogTime.memberNames.contains(LogName.normal(key.string))
        hasName = try hasName || key == "event" && scanner.peek() == .string
        try scanner.skip()
      }
    }()
    return hasName && hasTime
  }

  /// A quick check of whether the members of an event occur in the line at all.
  static func mayBeEvent(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let first = bytes.first(where: { $0 > UInt8(ascii: " ") && $0 < 0x80 }), first == UInt8(ascii: "{")
    else {
      return false
    }
    return contains(bytes, "\"event\"") || contains(bytes, "\"Event\"") || contains(bytes, "\"action\"")
      || contains(bytes, "\"control\"") || contains(bytes, "\"lastEventId\"")
      || contains(bytes, "\"eventName\"")
  }

  private static func arguments(of members: LogArguments) -> LogArguments {
    var found = LogArguments()
    if var args = members.members.first(where: { $0.name == "args" })?.json {
      let parsed = args.withUTF8 { bytes in
        bytes.first == UInt8(ascii: "[")
          ? try? LogArguments(array: bytes)
          : bytes.first == UInt8(ascii: "{") ? try? LogArguments(object: bytes) : nil
      }
      found = parsed ?? found
      if parsed == nil, let plain = LogArguments.plain(args) { found.append("value", word: plain) }
    }
    for member in members.members
    where !ownNames.contains(member.name) && !ownNames.contains(member.normal) {
      found.add(member.name, json: member.json)
    }
    return found
  }

  private static func contains(_ bytes: UnsafeBufferPointer<UInt8>, _ word: StaticString) -> Bool {
    ByteSearch.find(word, in: bytes) != nil
  }
}

/// Reads a run log without statistics. If there are statistics between its lines, `RunLogRouter` is used.
struct RunLogReader: LogReader {
  static let description = FormatDescription(
    .runLog, .lines,
    summary: "one event of an SDK or a PeerConnection a line, statistics in between",
    recognisedBy: "objects with a time (ts, t, time, timestamp) and event, one a line",
    example:
      #"{"ts":1795226153078,"sdk":"rebtel","call":"c1","endpoint":"caller","event":"callDidEstablish"}"#)

  private let sink: any RecordSink
  private let options: ReaderOptions

  init(sink: any RecordSink, options: ReaderOptions) {
    self.sink = sink
    self.options = options
  }

  /// The first line that is an object decides.
  static func recognises(_ head: UnsafeBufferPointer<UInt8>) -> Bool {
    var clock = TextClock(writtenMs: 0)
    if let list = EventList.firstLines(of: head) {
      return list.withUnsafeBufferPointer { recognises($0) }
    }
    let bytes = UnsafeBufferPointer(rebasing: head.prefix(64 << 10))
    for line in ByteSearch.lines(in: bytes, most: 20) {
      let line = UnsafeBufferPointer(rebasing: bytes[line])
      guard RunLogLine.mayBeEvent(line) else { continue }
      if (try? RunLogLine.event(line, line: 1, clock: &clock)) != nil { return true }
    }
    return RunLogLine.begins(bytes)
  }

  func read(_ source: any ByteSource) throws {
    let ordered = try EventLogReader.inOrderOfTime(EventList.lines(source), noting: sink)
    var reader = RunLogLineReader(sink: sink, options: options)
    try LineReader.each(of: ordered, longest: options.longestLine, for: sink) { bytes, number, offset in
      if bytes.allSatisfy({ $0 <= UInt8(ascii: " ") }) { return }
      if try !reader.line(bytes, number: number, offset: offset) {
        try sink.reject(Reject("a line without an event", line: number, byte: offset))
      }
    }
    try reader.finish()
  }
}

/// An event as found in a log, before its meaning is known.
struct RawEvent {
  var timeMs: Double?
  /// Whether the time is that of an earlier line, which belongs to another event.
  var isTimeBorrowed = false
  var raw: String
  var arguments = LogArguments()
  var sdk: String?
  /// Whether the line itself names its SDK.
  var isSDKNamed = false
  var call: String?
  /// The kind of its call ids, if an SDK has several kinds with different values. An id of another kind does
  /// not contradict it.
  var idKind: String?
  /// The call id from the context around the line.
  var callAround: String?
  /// The call object that the line prints. It is specific to this process and time, and is not an id.
  var object: CallSegmenter.ID?
  var endpoint: String?
  /// Whether its end comes from the context around the line, which some lines of a log may lack.
  var isEndAround = false
  /// Whether events that name no end belong to this one.
  var takesUnnamed = false
  /// The call and end given by pairs in front of the event.
  var owner = LineAttribution()
  var pc: String?
  var line: Int?
  /// Identities found by the reader.
  var identities: [Identity] = []
  /// How well its name identifies the SDK, if `sdk` was found by it.
  var specificity = Specificity.own
  /// For a request, what the line says about it.
  var request: LoggedRequests.Line?
  /// Whether a sentence of its dialect was matched. Any application may print such a sentence, but hardly two
  /// of them.
  var isSentence = false
  /// The data of a Pexip event, if the reader has read them.
  var pexip: PexipMembers?

  /// The size of its texts in bytes, for limiting memory while it waits.
  var size: Int { raw.utf8.count + arguments.size }

  /// How well a name identifies the SDK: only one SDK has it, several have it, or any application may.
  enum Specificity { case own, shared, generic }
}
