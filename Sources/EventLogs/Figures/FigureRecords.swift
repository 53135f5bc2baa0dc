import CallModel
import IO
import Redaction

/// Turns rows of figures into records: samples of streams where a row is an interval or a moment, reports of quality where
/// it is a call, and the events of the call.
struct FigureRecords {
  private let sink: any RecordSink
  private let codes: CodeTable
  private let options: ReaderOptions
  private let redactor = Redactor()
  /// The call of rows without an id: all of the file are one.
  private let fileCall: String
  private let zone: Zone?
  private var clocks: [String: FigureClock] = [:]
  /// Of the call that is read, where rows are sorted by call, else of all.
  private var connections: [EndKey: Int] = [:]
  private var streams: [StreamKey: Int] = [:]
  private var totals: [Int: FigureTotals] = [:]
  /// How many there were in all: the next number.
  private var connectionCount = 0
  private var streamCount = 0
  private var impossible = 0
  private var unknownMedium = 0
  private var beyond = 0

  private struct EndKey: Hashable {
    var call: String
    var end: String?
  }

  private struct StreamKey: Hashable {
    var connection: Int
    var direction: StreamDirection
    var kind: MediaKind
  }

  /// One end in a row: who it is.
  private struct End {
    var name: String?
    var person: String?
    var leg: String?
    var identities: Set<Identity> = []
    var userAgent: String?
  }

  private static let longestID = 200
  static let unknown = "no form names this row: `callqa guess FILE` proposes one"

  init(sink: any RecordSink, codes: CodeTable, options: ReaderOptions) {
    (self.sink, self.codes, self.options) = (sink, codes, options)
    zone = options.zone.flatMap { Zone(named: $0) }
    let name = SourceFormat.unpacked(options.fileName)
    let bare = name.lastIndex(of: ".").map { $0 > name.startIndex ? String(name[..<$0]) : name } ?? name
    fileCall = bare.isEmpty ? "-" : bare
  }

  // MARK: Calls

  /// Emits the ends and events of the call in a row, by the steps of a form.
  mutating func takeCall(_ row: some FigureRow, _ form: SummaryForm, _ layout: FigureLayout, line: Int?)
    throws
  {
    let ends = form.ends.isEmpty ? Self.parties(of: form) : form.ends
    guard !form.steps.isEmpty || !ends.isEmpty, let call = call(of: row, layout) else { return }
    let values = RowValues(row: row, notation: layout.notation)
    let steps = SummarySteps(form: form, codes: codes)
    guard form.steps.isEmpty || steps.apply(to: values) else { return }
    var first: Int?
    for end in ends.isEmpty ? [SummaryForm.End()] : ends {
      var found = End(name: end.name)
      found.person = end.person?.text(of: row, layout.notation)
      found.leg = (end.leg ?? layout.leg)?.text(of: row, layout.notation)
      found.userAgent = end.userAgent.flatMap { values.text($0) }
      found.identities = identities(form.identities + end.identities, values)
      if end.name == nil { found.name = found.person ?? layout.end?.text(of: row, layout.notation) }
      guard let connection = try connection(of: found, call: call, form, line: line) else { return }
      first = first ?? connection
    }
    guard let first else { return }
    var clock = clock(of: form, layout)
    let events = steps.events(
      of: values, direction: Self.direction(ofEnd: ends.first?.name), line: line
    ) { path in clock.ms(FigureTime(paths: [[FigurePath(path)]]), of: row) }
    clocks[form.by] = clock
    for event in events { try sink.event(event, of: first) }
  }

  /// The caller and the callee, where a form names the columns of both.
  private static func parties(of form: SummaryForm) -> [SummaryForm.End] {
    [("caller", form.caller), ("callee", form.callee)].compactMap { name, path in
      path.map { SummaryForm.End(name: name, person: FigureText(alternatives: [[FigurePath($0)]])) }
    }
  }

  private func identities(_ paths: [(path: String, kind: IdentityKind)], _ values: some SummaryValues)
    -> Set<Identity>
  {
    Set(
      paths.compactMap { path, kind in
        values.text(path).flatMap { id($0) }.map { Identity(kind, kind == .person ? redactor.text($0) : $0) }
      })
  }

  private func clock(of form: SummaryForm, _ layout: FigureLayout) -> FigureClock {
    clocks[form.by] ?? FigureClock(zone: layout.zone ?? zone)
  }

  /// The latest local time, by which a clock tells the two hours of a change of summer time.
  func clockMs(_ form: SummaryForm) -> Double { clocks[form.by]?.lastMs ?? 0 }

  mutating func setClock(_ ms: Double, _ form: SummaryForm, _ layout: FigureLayout) {
    var clock = clock(of: form, layout)
    clock.lastMs = ms
    clocks[form.by] = clock
  }

  /// Reads the time of a row alone, for the clock.
  mutating func passTime(of row: some FigureRow, _ form: SummaryForm, _ layout: FigureLayout) {
    guard let time = layout.time, (layout.zone ?? zone) != nil else { return }
    var clock = clock(of: form, layout)
    _ = clock.ms(time, of: row)
    clocks[form.by] = clock
  }

  /// The call of a row; nil if it does not tell.
  func call(of row: some FigureRow, _ layout: FigureLayout) -> String? {
    guard let call = layout.call else { return fileCall }
    return call.text(of: row, layout.notation).flatMap(id)
  }

  private func id(_ text: String) -> String? { text.utf8.count <= Self.longestID ? text : nil }

  private static func direction(ofEnd name: String?) -> CallDirection? {
    switch name {
    case "caller": .outgoing
    case "callee": .incoming
    default: nil
    }
  }

  private mutating func connection(of end: End, call: String, _ form: SummaryForm, line: Int?) throws -> Int?
  {
    let key = EndKey(call: call, end: end.name ?? end.leg)
    let known = connections[key]
    guard known != nil || connectionCount < max(options.connectionsPerSource, Limit.figureEnds.value) else {
      beyond += 1
      return nil
    }
    let connection = known ?? connectionCount
    if known == nil { connectionCount += 1 }
    // An end tells no more of itself in later rows, except who it is.
    if known != nil, end.person == nil, end.leg == nil, end.identities.isEmpty { return connection }
    connections[key] = connection
    var facts = ConnectionFacts()
    facts.call = call
    facts.sdk = form.by
    facts.name = [call, end.name ?? end.leg].compactMap { $0 }.joined(separator: " ")
    facts.endpoint = end.name.map { redactor.text($0) }
    facts.direction = Self.direction(ofEnd: end.name)
    facts.identities = end.identities
    facts.userAgent = end.userAgent
    if let person = end.person.flatMap(id) {
      facts.person = redactor.text(person)
      facts.identities.insert(Identity(.person, redactor.text(person)))
    }
    if let leg = end.leg.flatMap(id) {
      facts.identities.insert(Identity(.connection, "\(form.by) leg \(call) \(leg)"))
    }
    try sink.connection(connection, facts)
    return connection
  }

  // MARK: Rows

  /// Takes the figures of one row.
  mutating func take(_ row: some FigureRow, _ form: SummaryForm, _ layout: FigureLayout, line: Int?) throws {
    let streams = layout.streams.filter { stream in stream.conditions.allSatisfy { $0.holds(in: row) } }
    guard !streams.isEmpty else { return }
    guard let call = call(of: row, layout) else {
      return try sink.reject(Reject("a row without the id of its call", line: line))
    }
    var clock = clock(of: form, layout)
    defer { clocks[form.by] = clock }
    var span: ClosedRange<Double>?
    if let time = layout.time {
      span = self.span(time, layout, row, &clock)
      guard span != nil else { return try sink.reject(Reject("a row without a time", line: line)) }
    }
    let start = layout.start.flatMap { clock.ms($0, of: row) }
    for stream in streams {
      guard let kind = stream.medium.value(of: row, MediaWords.kind) else {
        unknownMedium += 1
        continue
      }
      let direction = stream.direction.value(of: row, MediaWords.direction) ?? .unknown
      let text = stream.end ?? layout.end
      var end = End(name: text?.text(of: row, layout.notation))
      if text?.constant == nil { end.person = end.name }
      end.leg = layout.leg?.text(of: row, layout.notation)
      if form.steps.isEmpty, !form.identities.isEmpty {
        end.identities = identities(form.identities, RowValues(row: row, notation: layout.notation))
      }
      var figures = FigureValues(stream.figures, of: row, layout.notation)
      impossible += figures.impossible
      figures.workOutLoss(isReceived: direction != .outbound)
      // A row that is a call is one without figures too: nobody answered, or nothing was measured.
      guard !figures.isEmpty || start != nil && form.steps.isEmpty,
        let connection = try connection(of: end, call: call, form, line: line)
      else { continue }
      if let span {
        let key = StreamKey(connection: connection, direction: direction, kind: kind)
        try sample(figures, key, span, form, layout, isScreen: MediaWords.isScreen(stream.medium, row))
      } else {
        try report(
          figures, stream, row, connection, direction, kind, startMs: start, form, layout, line: line)
      }
    }
  }

  /// The interval of a row, or its moment.
  private func span(
    _ time: FigureTime, _ layout: FigureLayout, _ row: some FigureRow, _ clock: inout FigureClock
  ) -> ClosedRange<Double>? {
    guard var ms = clock.ms(time, of: row) else { return nil }
    let length =
      layout.everyMs
      ?? layout.every.flatMap { source in
        source.paths.lazy.compactMap { layout.notation.number(row.value($0), source) }.first
      }
    guard let length, length > 0, length <= 86_400_000, time.marks != .instant else { return ms...ms }
    if let element = (row as? TreeRow)?.element { ms += Double(element) * length }
    return time.marks == .start ? ms...(ms + length) : (ms - length)...ms
  }

  private mutating func sample(
    _ figures: FigureValues, _ key: StreamKey, _ span: ClosedRange<Double>, _ form: SummaryForm,
    _ layout: FigureLayout, isScreen: Bool
  ) throws {
    let lengthMs = span.upperBound - span.lowerBound
    let number = streams[key] ?? streamCount
    if streams[key] == nil {
      guard number < max(options.streamsPerSource, Limit.figureEnds.value) else { return beyond += 1 }
      streams[key] = number
      streamCount += 1
      var facts = StreamFacts()
      facts.source = .figures
      (facts.direction, facts.kind, facts.codec) = (key.direction, key.kind, figures.codec)
      facts.intervalMs = lengthMs > 0 ? lengthMs : nil
      facts.screen = isScreen ? true : nil
      try sink.stream(number, of: key.connection, facts)
      totals[number] = FigureTotals(
        connection: key.connection, direction: key.direction, kind: key.kind, by: form.by,
        observer: layout.observer)
    }
    totals[number]?.add(figures, span)
    let sample = figures.sample(atMs: span.upperBound)
    guard !sample.isEmpty else { return }
    try sink.sample(sample, of: number, extra: figures.extra)
  }

  /// Reports the figures of a whole call.
  private func report(
    _ figures: FigureValues, _ stream: FigureLayout.Stream, _ row: some FigureRow, _ connection: Int,
    _ direction: StreamDirection, _ kind: MediaKind, startMs: Double?, _ form: SummaryForm,
    _ layout: FigureLayout, line: Int?
  ) throws {
    var clock = clock(of: form, layout)
    let untilMs = layout.until.flatMap { clock.ms($0, of: row) }
    let talkMs =
      layout.talk.flatMap { source in
        source.paths.lazy.compactMap { layout.notation.number(row.value($0), source) }.first
      } ?? startMs.flatMap { start in untilMs.map { $0 - start } }
    let endMs = untilMs ?? startMs.flatMap { start in talkMs.map { start + max(0, $0) } }
    func event(_ name: EventName, at timeMs: Double?, _ args: String) -> EventRecord {
      EventRecord(timeMs: timeMs, event: name, raw: "\(form.by) row", sdk: form.by, args: args, line: line)
    }
    if form.steps.isEmpty, let startMs {
      let isTalk = !figures.isEmpty || talkMs ?? 0 > 0
      try sink.event(event(isTalk ? .callEstablished : .callCreated, at: startMs, "{}"), of: connection)
    }
    var args = FigureTotals.arguments(form.by, direction, kind, layout.observer, per: "call")
    if let talkMs, talkMs > 0 { args.add("duration_s", .number(talkMs / 1000)) }
    figures.add(to: &args)
    for (name, path) in stream.arguments {
      if let value = row.value(path), !layout.notation.isMissing(value.text) { args.add(name, value) }
    }
    let reportedMs = form.reported.lazy.compactMap { path in
      clock.ms(FigureTime(paths: [[FigurePath(path)]]), of: row)
    }.first
    if !figures.isEmpty {
      try sink.event(
        event(.mediaQualityReported, at: endMs ?? reportedMs ?? startMs, args.text), of: connection)
    }
    if form.steps.isEmpty, let endMs { try sink.event(event(.callEnded, at: endMs, "{}"), of: connection) }
  }

  // MARK: The end

  /// Emits what is known at the end of a call, or of all: none of their rows follows.
  mutating func settle() throws {
    for (number, total) in totals.sorted(by: { $0.key < $1.key }) {
      try sink.totals(total.totals, of: number)
      if let event = total.report { try sink.event(event, of: total.connection) }
    }
    (connections, streams, totals) = ([:], [:], [:])
    try sink.settle()
  }

  /// Emits what is known at the end of the source.
  mutating func finish() throws {
    try settle()
    if clocks.values.contains(where: \.lacksZone) { try sink.note(SourceNote.noZone) }
    let notes = [
      ("figures out of range, left out", impossible),
      ("rows of another medium than sound or picture", unknownMedium),
    ]
    for (words, count) in notes where count > 0 { try sink.note("\(words): \(count)") }
    if beyond > 0 {
      try sink.reject(
        .beyond(Limit.figureEnds.value, "ends of calls in one table", count: beyond, raise: "connections"))
    }
  }
}

/// The values of a row for the steps of a form: what stands for nothing known is nothing.
private struct RowValues<Row: FigureRow>: SummaryValues {
  let row: Row
  let notation: FigureNotation

  func value(at path: String) -> SummaryTree.Value? {
    row.value(FigurePath(path)).flatMap { notation.isMissing($0.text) ? nil : $0 }
  }
}

/// Words for media and directions, of the data file `guess.words.json`.
enum MediaWords {
  private static let names = FigureNames.installed

  /// The medium that a word means; nil if it is none.
  static func kind(_ word: String) -> MediaKind? {
    if word == "a" || names["sound"].contains(where: word.contains) { return .audio }
    return word == "v" || names["picture"].contains(where: word.contains) || isScreen(word) ? .video : nil
  }

  /// The medium in the words of a name, where each has to be one as a whole.
  static func kind(in words: [String]) -> MediaKind? {
    if words.contains(where: names["sound"].contains) { return .audio }
    return words.contains { names["picture"].contains($0) || names["screen"].contains($0) } ? .video : nil
  }

  /// The direction that a word means; nil if it is none.
  static func direction(_ word: String) -> StreamDirection? {
    let word = word.filter(\.isLetter)
    return names["received"].contains(word) ? .inbound : names["sent"].contains(word) ? .outbound : nil
  }

  /// Whether the word for the medium is one of a screen.
  static func isScreen(_ medium: FigureLayout.Choice<MediaKind>, _ row: some FigureRow) -> Bool {
    medium.path.flatMap(row.text).map { isScreen($0.lowercased()) } ?? false
  }

  private static func isScreen(_ word: String) -> Bool { names["screen"].contains(where: word.contains) }
}
