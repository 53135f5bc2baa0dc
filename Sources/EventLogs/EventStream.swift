import Bytes
import CallModel
import LogText

/// Turns raw events into records: names them, explains their codes, checks their order, and assigns them to
/// calls.
struct EventStream {
  private let sink: any RecordSink
  private let naming: EventNaming
  private var outbox: EventBuffer
  private var secrets: DialectSecrets
  private var connections: [CallSegmenter.Call: LogConnection] = [:]
  private var cut: CallSegmenter
  // Events that may belong to the next call of an end.
  private var preludes: [String: [RawEvent]] = [:]
  private var preludeBudget = BufferBudget(
    limit: Limit.preludesOfLog.value, maxBytes: Limit.openEventBytes.value)
  private var begun = 0
  private let firstNumber: Int
  private var notes = LogNotes()
  private var unnamed = UnnamedEnd()
  private var requests = LoggedRequests()
  // The conference rooms that the connections' event streams report.
  private var conferences: [Int: PexipConference] = [:]

  /// Marks an answer that establishes its call in any case.
  private static let establishes = "establishes"
  /// The maximum number of connections distinguished in one source.
  private let limit: Int
  /// What the statistics in the same log say about its ends.
  private let ends: LoggedEnds?

  init(sink: any RecordSink, dialects: Dialects, firstConnection: Int, limit: Int, ends: LoggedEnds? = nil) {
    self.sink = sink
    self.limit = limit
    self.ends = ends
    naming = EventNaming(dialects: dialects)
    outbox = EventBuffer(sink: sink)
    secrets = DialectSecrets(dialects)
    cut = CallSegmenter(limit: limit)
    firstNumber = firstConnection
  }

  /// Takes one event.
  mutating func take(_ raw: RawEvent) throws {
    if raw.timeMs == nil { notes.timeless += 1 }
    var raw = unnamed.settled(raw)
    let end = raw.end
    requests.settle(&raw, of: end)
    let logged = ends?.end(raw.endpoint, connection: raw.pc)
    if let logged { cut.turn(end, to: logged.number(atMs: raw.timeMs)) }
    let sdk =
      namedSDK(of: raw) ?? cut.current(of: end, id: raw.call ?? raw.callAround).flatMap {
        connections[$0]?.sdk
      }
      ?? raw.sdk.flatMap(dialect)
    var meaning = meaning(of: raw, sdk)
    if raw.pexip == nil, meaning.sdk == PexipConference.sdk { raw.pexip = PexipMembers(raw.arguments) }
    if let members = raw.pexip, let call = cut.current(of: end, id: raw.call ?? raw.callAround),
      let connection = connections[call]
    {
      let settled = conferences[connection.number]?.calls.settled(
        meaning, of: raw.raw, uuid: members.callUUID, timeMs: raw.timeMs)
      meaning = settled ?? meaning
    }
    // A participant that releases its token leaves. This ends the call if no other event has ended it.
    if meaning.events == [.tokenReleased], meaning.sdk != nil, cut.isOpen(end) {
      meaning.events.insert(.callEnded, at: 0)
      meaning.added.append(("by", "local"))
    }
    let ids = naming.dialects.callIDs(of: raw, sdk ?? meaning.sdk.flatMap(dialect))
    let around = raw.callAround.flatMap { id in
      ids.contains { $0.value == id } || cut.isShared(id, of: end) ? nil : ("call", id)
    }
    // During an established call, an event that would begin or end a call means a change of that call.
    let object = raw.object
    if let call = cut.mentioned(of: end, ids: ids, around: around, object: object),
      let number = connections[call]?.number,
      let record = connections[call]?.establishment(before: meaning.events)
    {
      try outbox.put(record, of: number)
    }
    if meaning.isOpen, let call = cut.mentioned(of: end, ids: ids, around: around, object: object),
      connections[call]?.states.isActive == true
    {
      meaning = self.meaning(of: raw, sdk, in: CallContext(isActive: true))
    }
    if let pc = raw.pc, ConnectionName.isID(pc) {
      // A connection is made anew for the next call.
      return try put(raw, meaning, of: CallSegmenter.Call(end: end, number: 1), ids, sdk)
    }
    let statisticsMs = logged?.latestStatisticsMs
    if ids.isEmpty, around == nil, object == nil,
      cut.mayLeadOn(
        end, meaning.events, raw.timeMs, statisticsMs: statisticsMs, isWaiting: preludes[end] != nil)
    {
      preludes[end, default: []].append(raw)
      preludeBudget.hold(raw.size)
      if preludes[end]?.count ?? 0 >= Limit.preludes.value || preludeBudget.isOver {
        try settlePreludes(of: end, to: cut.current(of: end))
      }
      return
    }
    let before = cut.current(of: end)
    // A stream that begins anew after its participant has left the room belongs to another meeting.
    let isAnew =
      meaning.events == [.conferenceRosterSyncing]
      && before.flatMap { connections[$0] }.flatMap { conferences[$0.number] }?.hasLeft == true
    let isOpening = meaning.events.contains(where: EventName.openings.contains)
    let call = cut.call(
      of: end, ids: ids, around: around, object: object, events: meaning.events, timeMs: raw.timeMs,
      callee: isOpening ? callee(of: raw, meaning, sdk) : nil, statisticsMs: statisticsMs, isAnew: isAnew,
      failsToDial: meaning.failsToDial
    )
    if call.number > 1, connections[call] == nil { logged?.noteCall(call.number, atMs: raw.timeMs) }
    try settlePreludes(of: end, to: connections[call] == nil ? call : before ?? call)
    try put(raw, meaning, of: call, ids + (around.map { cut.names($0, call) ? [$0] : [] } ?? []), sdk)
  }

  // The person called, from the argument that the dialect names, else from any argument that may hold it.
  private func callee(of raw: RawEvent, _ meaning: EventNaming.Meaning, _ sdk: Dialect?) -> CallSegmenter.ID?
  {
    meaning.added.first { $0.name == "callee" && Dialects.mayBeAddress($0.value) }.map {
      ("callee", $0.value)
    }
      ?? naming.dialects.callee(of: raw, sdk)
  }

  // The SDK that the line itself names, unless it is the part that every browser has.
  private func namedSDK(of raw: RawEvent) -> Dialect? {
    guard raw.isSDKNamed, let dialect = raw.sdk.flatMap(dialect), dialect.sdk != "w3c" else { return nil }
    return dialect
  }

  // Events that lead up to a call belong to it; if no call follows, they belong to the previous one.
  private mutating func settlePreludes(of end: String, to call: CallSegmenter.Call?) throws {
    guard let call, let waiting = preludes.removeValue(forKey: end) else { return }
    for raw in waiting {
      preludeBudget.release(raw.size)
      let sdk =
        namedSDK(of: raw) ?? connections[call]?.sdk ?? cut.current(of: end).flatMap { connections[$0]?.sdk }
      try put(raw, meaning(of: raw, sdk), of: call, [], sdk)
    }
  }

  private func meaning(
    of raw: RawEvent, _ sdk: Dialect?, in call: CallContext = CallContext()
  ) -> EventNaming.Meaning {
    var call = call
    call.step = raw.request?.step
    return naming.meaning(of: raw.raw, raw.arguments, sdk: sdk, recognisedSDK: raw.sdk, in: call)
  }

  private mutating func put(
    _ raw: RawEvent, _ meaning: EventNaming.Meaning, of call: CallSegmenter.Call, _ ids: [CallSegmenter.ID],
    _ sdk: Dialect?
  ) throws {
    var meaning = meaning
    guard var connection = connections[call] ?? begin(call, raw, meaning) else {
      return try sink.reject(
        .beyond(limit, "connections in one source", line: raw.line, raise: "connections"))
    }
    defer { connections[call] = connection }
    if meaning.isOpen { meaning = self.meaning(of: raw, sdk, in: connection.context) }
    connection.learn(ids)
    if let endpoint = raw.endpoint { connection.learn(endpoint: endpoint) }
    if connection.sdk == nil, let sdk { set(sdk, of: &connection) }
    if let members = raw.pexip ?? (meaning.sdk == PexipConference.sdk ? PexipMembers(raw.arguments) : nil) {
      follow(raw, members, &meaning, &connection)
    }
    conferences[connection.number]?.note(meaning, of: raw)
    if connection.sdk == nil, !meaning.isGeneric, let dialect = meaning.sdk.flatMap(dialect) {
      set(dialect, of: &connection)
    }
    if connection.sdk == nil, meaning.isStandard { connection.noteStandard() }
    meaning = connection.states.settled(
      meaning, of: meaning.sdk == connection.sdk?.sdk ? connection.sdk : naming.dialects.dialect(meaning.sdk))
    // Some SDKs use one event for ringing at both ends. At the callee it means alerting.
    if meaning.events == [.callRinging], connection.direction == .incoming {
      meaning.events = [.callAlerting]
    }
    let direction = connection.direction
    try learn(raw, meaning, &connection)
    if let news = connection.takeNews() { try sink.connection(connection.number, news) }
    let others = connection.direction == nil ? meaning.ifIncoming : []
    if meaning.events.contains(.pushInvalid) { notes.invalidPushes += 1 }
    for (place, event) in meaning.events.enumerated() {
      var record = EventRecord(timeMs: raw.timeMs, event: event, raw: raw.raw, line: raw.line)
      record.sdk = meaning.isStandard ? "w3c" : meaning.sdk ?? connection.sdk?.sdk ?? raw.sdk
      let eventDialect =
        meaning.sdk == connection.sdk?.sdk ? connection.sdk : naming.dialects.dialect(meaning.sdk)
      record.args = secrets.taken(
        from: arguments(raw, meaning, at: place, &connection).object, of: raw, meaning, in: connection.sdk)
      connection.learnDirection(record)
      if event == .callAnswered, meaning.added.contains(where: { $0.name == Self.establishes }) {
        connection.answer = record
      }
      if meaning.sdk != nil {
        record.anomaly = connection.states.anomaly(
          event, state: meaning.state, by: record[.by], dialect: eventDialect, timeMs: raw.timeMs)
      }
      try outbox.put(record, of: connection.number, ifIncoming: place < others.count ? others[place] : nil)
    }
    if let news = connection.takeNews() { try sink.connection(connection.number, news) }
    if direction == nil, let direction = connection.direction {
      try outbox.settle(side: direction, of: connection.number)
    }
  }

  /// Sends what was held back.
  mutating func finish() throws {
    for end in preludes.keys.sorted() { try settlePreludes(of: end, to: cut.current(of: end)) }
    for note in notes.texts { try sink.note(note) }
    for call in connections.keys {
      connections[call]?.closeSide()
      if let number = connections[call]?.number,
        let record = connections[call]?.establishment(before: [.callEnded])
      {
        try outbox.put(record, of: number)
      }
    }
    for var connection in connections.values.sorted(by: { $0.number < $1.number }) {
      if let call = connection.pc.flatMap({ ends?.calls.settled($0) }) { connection.learn([("call", call)]) }
      if let news = connection.takeNews() { try sink.connection(connection.number, news) }
    }
    if let skew = PexipConference.skew(of: conferences.values) { try sink.note(skew) }
    try outbox.finish()
    let leftOut = connections.values.reduce(0) { $0 + $1.leftOut }
    if leftOut > 0 {
      try sink.reject(.beyond(LogConnection.limit, "identities of one logged connection", count: leftOut))
    }
  }

  private mutating func begin(
    _ call: CallSegmenter.Call, _ raw: RawEvent, _ meaning: EventNaming.Meaning
  ) -> LogConnection? {
    guard connections.count < limit else { return nil }
    var connection = LogConnection(number: firstNumber + begun)
    begun += 1
    connection.pc = raw.pc
    if let page = raw.pc.flatMap(ConnectionName.identity) { connection.add(page.kind, page.value) }
    connection.news.name = LoggedCall(of: raw.pc ?? raw.endpoint, number: call.number).name
    // A client that ends only its media and offers new ones stays in the same room.
    let last = connections[CallSegmenter.Call(end: call.end, number: call.number - 1)]
    if meaning.events.allSatisfy({ $0.group == .sdp }), let last, let room = conferences[last.number],
      !room.hasLeft
    {
      conferences[connection.number] = room.forNextCall
    }
    return connection
  }

  private func dialect(_ sdk: String) -> Dialect? { naming.dialects.dialect(named: sdk) }

  private func set(_ dialect: Dialect, of connection: inout LogConnection) {
    connection.sdk = dialect
    connection.news.sdk = dialect.sdk
    connection.hasNews = true
  }

  // Adds what follows from the order of a Pexip event stream, regardless of how it was logged.
  private mutating func follow(
    _ raw: RawEvent, _ members: PexipMembers, _ meaning: inout EventNaming.Meaning,
    _ connection: inout LogConnection
  ) {
    for identity in members.identities { connection.add(identity.kind, identity.value) }
    let derived = conferences[connection.number, default: PexipConference()]
      .meaning(of: raw.raw, members, timeMs: raw.isTimeBorrowed ? nil : raw.timeMs)
    if let event = derived.event {
      meaning.events = [event]
      meaning.sdk = PexipConference.sdk
    }
    if raw.raw == "participant_sync_end", let own = conferences[connection.number]?.own {
      connection.add(.connection, own)
    }
    if let also = derived.also { meaning.events.append(also) }
    meaning.added += derived.added
    if meaning.events.contains(.callEnded) {
      meaning.added += conferences[connection.number]?.wordsOfEnd ?? []
    }
  }

  // Collects identities and facts from the arguments.
  private func learn(_ raw: RawEvent, _ meaning: EventNaming.Meaning, _ connection: inout LogConnection)
    throws
  {
    connection.learnDirection(meaning)
    for identity in raw.identities { connection.add(identity.kind, identity.value) }
    if ends != nil { connection.add(connectionsOf: raw.arguments) }
    if let agent = raw.arguments.text("userAgent") { connection.set(\.userAgent, agent) }
    if let version = raw.arguments.text("sdkVersion") { connection.set(\.sdkVersion, version) }
    for (name, kind) in connection.sdk?.identities ?? [] {
      if let value = raw.arguments.text(name) { connection.add(kind, value) }
      // The dialect says which argument it is.
      for added in meaning.added where added.name == name && Dialects.mayBeAddress(added.value) {
        connection.add(kind, added.value)
      }
    }
    guard let sdp = raw.arguments.sdp else { return }
    let description = SessionDescription(sdp)
    connection.add(description, local: !meaning.events.contains(where: \.describesFarEnd))
    if description.bandwidths.compactMap(\.bpsShare).contains(where: { $0 < 0.5 || $0 > 2 }) {
      try sink.note("b=TIAS is not about 1000 times b=AS: kilobits and bits may have been mixed up")
    }
  }

  // The code in the dialect's order of preference, unless that code is unknown and the log's own `code` is
  // known.
  private func chosenCode(_ raw: RawEvent, _ meaning: EventNaming.Meaning, _ sdk: Dialect?) -> String? {
    func isKnown(_ code: String) -> Bool {
      naming.dialects.codes.meaning(code, sdk: meaning.sdk ?? sdk?.sdk) != nil
    }
    guard let code = meaning.code else { return nil }
    return raw.arguments.text("code").map { isKnown($0) && !isKnown(code) } == true ? nil : code
  }

  // Events whose code is explained in words.
  private static let explained: Set<EventName> = [
    .callFailed, .callEnded, .sessionFailed, .sessionClosed, .networkLost, .mediaLocalFailed,
  ]

  // The raw arguments and those that the meaning adds.
  private func arguments(
    _ raw: RawEvent, _ meaning: EventNaming.Meaning, at place: Int, _ connection: inout LogConnection
  ) -> LogArguments {
    let event = meaning.events[place]
    var arguments = raw.arguments
    // Keys pressed during a call may be PINs or card numbers.
    if event == .callDtmf { arguments.hideTones() }
    if NumbersInSpeech.mayStand(in: event) { arguments = NumbersInSpeech.hidden(in: arguments) }
    // The payload of a push is encrypted for one phone and addressed by its token, so all of it is secret
    // regardless of its name.
    if event.group == .push {
      arguments.hide(except: (connection.sdk?.identities.map(\.path) ?? []) + ["error", "code", "reason"])
    }
    if let code = chosenCode(raw, meaning, connection.sdk) { arguments.choose("code", word: code) }
    let people = (meaning.sdk.flatMap(dialect) ?? connection.sdk)?.identities.filter { $0.kind == .person }
    for (name, value) in meaning.added + (meaning.own[place] ?? []) where name != Self.establishes {
      // A dialled number is treated as a person's name, and is hidden like one.
      if people?.contains(where: { $0.path == name }) == true {
        if arguments.json(name) == nil { arguments.append(name, text: value) }
      } else {
        arguments.add(name, word: value)
      }
    }
    if event == .callEstablished, (connection.sdk ?? meaning.sdk.flatMap(dialect))?.answer == event {
      arguments.add(.isAnswer, word: "true")
    }
    if event.group == .call, arguments.text("state") != nil,
      (meaning.sdk.flatMap(dialect) ?? connection.sdk)?.media != nil
    {
      arguments.add(.tellsMedia, word: "true")
    }
    if Self.explained.contains(event) {
      ErrorWords.add(
        to: &arguments, codes: naming.dialects.codes, sdk: meaning.sdk ?? connection.sdk?.sdk)
    }
    if event == .conferenceWaiting { arguments.add(.waitsFor, word: "host") }
    if event == .callEnded, arguments.text("by") != "local",
      connection.states.isEndedByInterruption(at: raw.timeMs)
    {
      arguments.add(.code, word: "interrupted")
    }
    if Self.explained.contains(event) || event == .tokenFailed && meaning.code != nil,
      let code = arguments.text("code"),
      let known = naming.dialects.codes.explanation(
        code, sdk: meaning.sdk ?? connection.sdk?.sdk, isActive: connection.states.isActive)
    {
      let said = arguments.text("outcome")
      // Words that contradict the outcome given in the line are not about this end.
      if said == nil || known.outcome == nil || said == known.outcome?.rawValue {
        arguments.add(.words, word: known.words)
      }
      if let outcome = known.outcome { arguments.add(.outcome, word: outcome.rawValue) }
      if let by = known.by { arguments.add(.by, word: by) }
      if let cause = known.cause { arguments.add(.verdictCause, word: cause.rawValue) }
      // With a gateway, the server itself answers the call, so a far end that rejected it has not answered.
      let refusals: [Outcome?] = [.rejected, .busy, .noAnswer]
      let isRefused = refusals.contains(known.outcome)
      let isUnanswered = isRefused && conferences[connection.number]?.isOfGatewayUnanswered == true
      if let answered = known.answered ?? (isUnanswered ? "false" : nil) {
        arguments.add(.answered, word: answered)
      }
    }
    if event == .networkRetry || event == .networkLost || event == .networkUnavailable {
      if let now = raw.timeMs, let last = connection.lastRetryMs, now >= last {
        var interval = ByteWriter()
        interval.append(now - last)
        arguments.add("interval_ms", word: interval.string)
      }
      connection.lastRetryMs = raw.timeMs
    } else if event == .networkReestablished {
      connection.lastRetryMs = nil
    }
    if raw.isTimeBorrowed { arguments.lead(with: EventArgument.timeBorrowed.name, json: "true") }
    return arguments
  }
}
