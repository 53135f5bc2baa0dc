import Bytes
import CallModel
import LogText
import Redaction

/// Reads what applications print about their SDK's callbacks: NSLog, logcat, browser consoles. Lines that
/// report no event are skipped.
///
/// A line may be in the object of another logger. It may end with an event of a run log, or with statistics,
/// for which `statistics` is asked. It may also be part of statistics printed over several lines, for which
/// `printed` is asked.
struct SDKTextReader {
  static let description = FormatDescription(
    .sdkText, .lines,
    summary:
      "a plain-text log of an SDK: NSLog, logcat, browser console; statistics in between, libwebrtc's too",
    recognisedBy:
      "lines of text, or wrapped by another logger, in which an SDK's event, a run log's or statistics stand",
    example: "2026-11-21 10:00:00.123 App[1:2] Call status: ACBClientCallStatusRinging")

  private let sink: any RecordSink
  private let options: ReaderOptions
  private let statistics: EventLogReader.Statistics?
  private let printed: EventLogReader.Printed?
  private let redactor = Redactor()
  private let finder: TextLine
  private var stream: EventStream
  private var secrets: DialectSecrets
  private var clock: TextClock

  private var lastStamp: LogTime.Stamp?
  /// Whether an event already has the time of the last stamp. Events on later lines without a stamp only
  /// borrow it.
  private var isStampTaken = false
  private var borrowed = 0
  private var stamps = TextStamps()
  /// An object that continues over several lines, with the line on which it began.
  private var open: (text: [UInt8], line: Int, lines: Int, event: RawEvent?)?
  /// The call and end that the line belongs to, according to what is next to its text.
  private var owner = LineAttribution()
  /// An answer whose body may be on the lines that follow.
  private var answer = AnswerBody()
  /// Whether the last request is still unanswered.
  private var isAsking = false
  /// An event derived from a metric's delay, held until the object with its exact time follows.
  private var delayed: RawEvent?
  private var passedOver = 0
  /// The SDK of the log, once a distinctive name identified it. Events whose names do not identify it wait
  /// until then.
  private var sdk: String?
  private var waiting: [(event: RawEvent, message: ArraySlice<UInt8>)] = []
  private var budget = Self.waitingBudget
  private static let waitingBudget = BufferBudget(
    limit: Limit.eventsWithoutSDK.value, maxBytes: Limit.openEventBytes.value)

  init(
    sink: any RecordSink, dialects: Dialects, options: ReaderOptions,
    statistics: EventLogReader.Statistics? = nil, printed: EventLogReader.Printed? = nil
  ) {
    self.sink = sink
    self.options = options
    self.statistics = statistics
    self.printed = printed
    finder = TextLine(dialects: dialects)
    secrets = DialectSecrets(dialects)
    stream = EventStream(
      sink: sink, dialects: dialects,
      firstConnection: statistics == nil ? 0 : RunLogLineReader.firstConnection,
      limit: options.connectionsPerSource)
    clock = TextClock(writtenMs: options.writtenMs)
  }

  /// Reads the source to its end. Throws any error of the source or the sink.
  mutating func read(_ source: any ByteSource) throws {
    let source = HeadedSource(source, count: 1 << 20)
    clock.isDayFirst = TextEvidence.isDayFirst(in: source.head)
    for found in TextEvidence.epochTimes(in: source.head) {
      clock.learn(epochMs: found.epochMs, beside: found.stamp)
    }
    let longest = max(options.longestLine, options.longestTextLine)
    var spread = MultilineJSONJoiner(longest: options.longestLine)
    let notes = try PartialLineJoiner.read(
      source, longestLine: longest, tooLong: { try rejectLong(line: $0, offset: $1) },
      { bytes, number, offset in
        try spread.take(bytes, number: number, offset: offset) { try line($0, number: $1, offset: $2) }
      })
    try spread.finish { try line($0, number: $1, offset: $2) }
    for note in notes { try sink.note(note) }
    try closeOpen()
    try sendAnswer()
    try settle()
    try sendDelayed()
    if passedOver > 0 {
      try sink.note("\(Plural.of(passedOver, "line of text has", "lines of text have")) no event of an SDK")
    }
    if borrowed > 0 {
      try sink.note(
        "\(Plural.of(borrowed, "event is on a line without a time, below an event that has one: it takes that time", "events are on lines without a time, below an event that has one: they take that time")), and no span is"
          + " measured from or to them")
    }
    for note in clock.notes { try sink.note(note) }
    try stream.finish()
  }

  private mutating func line(_ bytes: UnsafeBufferPointer<UInt8>, number: Int, offset: Int) throws {
    let hasMark = number == 1 && bytes.starts(with: [0xEF, 0xBB, 0xBF])
    let bytes = hasMark ? UnsafeBufferPointer(rebasing: bytes[3...]) : bytes
    let isText = bytes.count <= options.longestTextLine
    let carried = UnwrappedLine(bytes, &stamps, finder)
    if open == nil || open?.event != nil, try areStatistics(carried, number, offset) { return }
    guard isText else { return try rejectLong(line: number, offset: offset) }
    let message = carried.text.withUnsafeBufferPointer(redactor.redacted)?[...] ?? carried.text
    if try goesOn(message) { return }
    // A line without a time belongs to the one before it if lines start with their times; else its time is
    // unknown.
    if let stamp = carried.stamp {
      lastStamp = stamp
      isStampTaken = false
    } else if !stamps.areAtHead {
      lastStamp = nil
    }
    owner = carried.owner
    if let event = RunLogLine.event(
      endingLine: message, line: number, clock: &clock, isName: { finder.isName($0, of: sdk) })
    {
      return try takeWhole(finder.worded(event))
    }
    try take(message, number: number, lines: 1)
  }

  private mutating func areStatistics(_ carried: UnwrappedLine, _ number: Int, _ offset: Int) throws -> Bool {
    guard let statistics else { return false }
    return try carried.text.withUnsafeBufferPointer { text in
      if let printed, try printed(text, number, { carried.stamp.flatMap { clock.moment($0) } }) {
        return true
      }
      guard let json = JSONTail.find(in: text) else { return false }
      let start = json.baseAddress.flatMap { json in text.baseAddress.map { json - $0 } } ?? 0
      let owner = LineAttribution(around: carried.text.startIndex + start, in: carried.text).within(
        carried.owner)
      func stamped(_ json: UnsafeBufferPointer<UInt8>) throws -> Bool {
        let timed = StampedStatistics.added({ carried.stamp.flatMap { clock.moment($0) } }, to: json)
        return try timed?.withUnsafeBufferPointer { try statistics($0, number, offset) }
          ?? statistics(json, number, offset)
      }
      return try owner.added(to: json)?.withUnsafeBufferPointer(stamped) ?? stamped(json)
    }
  }

  // Takes lines that continue an object: any lines after a dialect's own object, and after a callback those
  // that look like part of one.
  private mutating func goesOn(_ message: ArraySlice<UInt8>) throws -> Bool {
    guard let began = open else { return false }
    let isInside =
      began.event == nil
      || MultilineArguments.goOn(in: message) {
        if case .nothing = finder.find(message, sdk: sdk) { true } else { false }
      }
    let text = began.text + [UInt8(ascii: "\n")] + message
    if isInside, text.count <= LenientObject.limit, began.lines <= 64 {
      try take(text[...], number: began.line, lines: began.lines + 1)
      return true
    }
    try closeOpen()
    return false
  }

  // What a callback reported counts, however its object ends.
  private mutating func closeOpen() throws {
    guard let began = open else { return }
    open = nil
    guard began.event != nil, case .event(let event) = finder.find(began.text[...], sdk: sdk, isWhole: true)
    else {
      return try sink.reject(Reject("an object that does not end", line: began.line))
    }
    try take(event, in: began.text[...], number: began.line)
  }

  private func rejectLong(line: Int, offset: Int) throws {
    try sink.reject(.line(longerThan: options.longestTextLine, line: line, byte: offset, raise: "text"))
  }

  private mutating func take(_ message: ArraySlice<UInt8>, number: Int, lines: Int) throws {
    switch answer.takes(message) {
    case .line: return
    case .lastLine: return try sendAnswer()
    case .nothing: break
    }
    if isAsking, let answer = AnswerLine.find(in: message) {
      isAsking = false
      var event = RawEvent(raw: AnswerLine.raw, arguments: answer, sdk: sdk)
      event.request = LoggedRequests.Line(path: "", kind: .answer, mayHaveBody: answer.text("error") == nil)
      return try take(event, in: message, number: number)
    }
    if AnswerLine.isEcho(message) { return }
    switch finder.find(message, sdk: sdk) {
    case .openObject(let event): open = (Array(message), number, lines, event)
    case .nothing:
      open = nil
      if !message.allSatisfy({ $0 <= UInt8(ascii: " ") }) { passedOver += 1 }
    case .event(let event):
      open = nil
      try take(event, in: message, number: number)
    }
  }

  private mutating func take(_ event: RawEvent, in message: ArraySlice<UInt8>, number: Int) throws {
    var event = event
    if sdk != nil || event.specificity == .own { event.arguments = arguments(of: event, in: message, sdk) }
    event.line = number
    event.object = CallObject.named(in: message)
    time(&event)
    own(&event)
    try sendAnswer()
    if let kind = event.request?.kind { isAsking = kind == .question }
    if event.request?.mayHaveBody == true { return answer.hold(event, message) }
    try take(event, in: message)
  }

  private mutating func sendAnswer() throws {
    if let (event, message) = answer.release() { try take(event, in: message) }
  }

  // Adds the call and end next to the text or in front of it, if the event names none itself.
  private func own(_ event: inout RawEvent) {
    let owner = event.owner.within(owner)
    if event.call == nil { event.callAround = owner.call }
    if event.endpoint == nil, let end = owner.end { (event.endpoint, event.isEndAround) = (end, true) }
  }

  // The arguments on a line without the secrets of the SDK that wrote it. Needed once the SDK is known.
  private mutating func arguments(of event: RawEvent, in message: ArraySlice<UInt8>, _ sdk: String?)
    -> LogArguments
  {
    guard let clean = secrets.taken(from: message, of: event.sdk, sdk) else { return event.arguments }
    guard case .event(let again) = finder.find(clean[...], sdk: sdk, isWhole: true) else {
      return LogArguments()
    }
    return again.arguments
  }

  // Gives an event its own time or that of its line, else that of the last line with a time.
  private mutating func time(_ event: inout RawEvent) {
    guard event.timeMs == nil, let lastStamp, let moment = clock.moment(lastStamp) else { return }
    event.timeMs = moment
    event.isTimeBorrowed = isStampTaken
    if isStampTaken { borrowed += 1 }
    isStampTaken = true
  }

  // Takes an event of a run log, which has its own time, call and SDK.
  private mutating func takeWhole(_ event: RawEvent) throws {
    var event = event
    time(&event)
    own(&event)
    let named = event.sdk.flatMap { finder.dialects.dialect(named: $0)?.sdk }
    if sdk == nil, let named { try setSDK(named) }
    if named == nil, sdk == nil { event.specificity = .shared }
    try take(event, in: [])
  }

  // Without a distinctive name, chooses the SDK that knows the most names, else the first. Names that any
  // application may use do not show a call.
  private mutating func settle() throws {
    guard sdk == nil else { return }
    if let identified = Sentences.sdk(of: waiting.map(\.event)) { return try setSDK(identified) }
    guard let first = waiting.first(where: { $0.event.specificity == .shared }) else {
      passedOver += waiting.count
      budget = Self.waitingBudget
      return waiting.removeAll()
    }
    try setSDK(first.event.sdk.map { sdkKnowingMost() ?? $0 })
  }

  // The SDK that knows more of the waiting names than any other.
  private func sdkKnowingMost() -> String? {
    let names = waiting.map { LogName.normal($0.event.raw) }
    let known = finder.dialects.all.map { dialect in
      (sdk: dialect.sdk, count: names.count { dialect.events[$0] != nil })
    }
    guard let most = known.map(\.count).max() else { return nil }
    let best = known.filter { $0.count == most }
    return best.count == 1 ? best.first?.sdk : nil
  }

  // Once the SDK is known, each waiting event is either an event of it, or none at all.
  private mutating func setSDK(_ found: String?) throws {
    sdk = found
    let dialect = finder.dialects.dialect(found)
    let held = waiting
    waiting.removeAll()
    budget = Self.waitingBudget
    for (held, message) in held {
      var event = held
      // What another SDK would call by this name may be a method of this one: `call.end()`.
      if event.sdk != found, !message.isEmpty, dialect?.events[LogName.normal(event.raw)] == nil,
        case .event(let again) = finder.find(message, sdk: found, isWhole: true), again.sdk == found
      {
        (event.raw, event.arguments, event.sdk, event.specificity) = (again.raw, again.arguments, found, .own)
      }
      if event.specificity == .generic, event.sdk != found, dialect?.events[LogName.normal(event.raw)] == nil
      {
        passedOver += 1
        continue
      }
      event.sdk = found
      if !message.isEmpty { event.arguments = arguments(of: event, in: message, found) }
      try pass(event)
    }
  }

  private mutating func take(_ event: RawEvent, in message: ArraySlice<UInt8>) throws {
    if sdk == nil {
      guard event.specificity == .own else {
        waiting.append((event, Array(message)[...]))
        budget.hold(event.size + message.count)
        return budget.isOver ? try settle() : ()
      }
      try setSDK(event.sdk)
    }
    try pass(event)
  }

  private mutating func pass(_ event: RawEvent) throws {
    // The same metric twice: the object has its exact time.
    if let before = delayed, before.raw == event.raw { delayed = nil }
    try sendDelayed()
    if event.arguments.text("delay_ms") != nil {
      delayed = event
    } else {
      try stream.take(event)
    }
  }

  private mutating func sendDelayed() throws {
    guard let event = delayed else { return }
    delayed = nil
    try stream.take(event)
  }
}

/// Identifies the SDK of a log that has none of its distinctive names, but sentences from its guide.
enum Sentences {
  /// The number of different sentences of one SDK that identify it.
  private static let enough = 2

  /// The SDK of which the log has several sentences; nil if there is none or more than one.
  static func sdk(of events: [RawEvent]) -> String? {
    var found: [String: Set<String>] = [:]
    for event in events where event.isSentence {
      if let sdk = event.sdk { found[sdk, default: []].insert(event.raw) }
    }
    let identified = found.filter { $0.value.count >= enough }
    return identified.count == 1 ? identified.first?.key : nil
  }
}
