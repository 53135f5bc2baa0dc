import CallModel
import CallStore

extension EndAccount {
  /// The caller first, then by name.
  package static func order(_ a: EndAccount, _ b: EndAccount) -> Bool {
    func rank(_ end: EndAccount) -> Int {
      end.direction == .outgoing || end.name == "caller"
        ? 0 : end.direction == .incoming || end.name == "callee" ? 1 : 2
    }
    return rank(a) == rank(b) ? a.name < b.name : rank(a) < rank(b)
  }

  package init(_ row: NamedRow, in store: Store, model: String?) throws {
    let key = row.integer("endpoint_key") ?? 0
    let parameters: [String: Cell] = ["end": .integer(key)]
    let windows = try store.windows(ofEndpoint: key, model: model)
    let setups = try NamedRow.rows(
      store, "SELECT * FROM setups WHERE endpoint_key = :end ORDER BY attempt", parameters)
    let phases = try NamedRow.rows(store, "SELECT * FROM phases WHERE endpoint_key = :end", parameters)
    self.init(
      key: key, name: row.text("endpoint") ?? "", direction: row.word("direction"),
      person: row.text("person"),
      userAgent: row.text("user_agent"), system: row.text("os"),
      networkType: row.text("network_type"), candidateType: row.text("candidate_type"),
      relayProtocol: row.text("relay_protocol"), score: nil,
      windows: windows.filter(\.isChosen).map(\.window),
      windowSource: windows.first(where: \.isChosen)?.source,
      attempts: setups.map { SetupAttempt($0, phases: phases) },
      streams: StreamAccount.whole(
        try NamedRow.rows(store, Self.streams, parameters).map { StreamAccount($0) }),
      path: [])
    isOnRecord = row.flag("on_record")
    path = try path(in: store)
    score = ScoreFigures(self.windows)
    captureWindows = windows.filter { !$0.isChosen && $0.source == .capture }.map(\.window)
    spans = try NamedRow.rows(
      store, "SELECT * FROM spans WHERE endpoint_key = :end ORDER BY start_ms, span_key", parameters
    ).compactMap { MediaSpan($0) }
    fates = try store.fates(ofEndpoint: key)
    fatesOfFarEnd = try store.fates(ofEndpoint: key, ofFarEnd: true)
    impairments = try store.impairments(ofEndpoint: key)
    setPausedSamples()
  }

  /// Sets on its only audio stream the concealment during periods in which the far end sent no audio; on those of a
  /// capture what the emulator concealed after the last packet, unless the listener missed something then.
  private mutating func setPausedSamples() {
    for index in streams.indices where streams[index].source == .capture {
      guard let last = streams[index].lastMs, streams[index].trailingConcealed > 0 else { continue }
      let missed = fates.contains { $0.medium == .audio && $0.fate.isMissed && $0.fate.endMs > last }
      if !missed { streams[index].pausedSamples = streams[index].trailingConcealed }
    }
    let sounds = streams.indices.filter {
      streams[$0].source == .stats && streams[$0].direction == .inbound && streams[$0].kind == .audio
    }
    guard let sound = sounds.first, sounds.count == 1 else { return }
    streams[sound].pausedSamples = spans.compactMap(\.concealedSamples).reduce(0, +)
  }

  private static let streams = """
    SELECT c.name AS pc, c.source_id, s.*, \(StreamRole.sql(of: "s")) AS role FROM streams AS s JOIN source_views AS c USING (connection_key)
    WHERE s.endpoint_key = :end
    ORDER BY s.chosen DESC, s.source DESC, s.direction, s.kind, s.packets DESC, s.stream_key
    """

  /// The network paths of its packets from the sources of the judged streams, or from any source if those have none.
  private func path(in store: Store) throws -> [PathStep] {
    var own: [PathStep] = []
    if let sources = mainSources { own = try Self.path(store.transports(ofEndpoint: key, sources: sources)) }
    let steps = own.isEmpty ? try Self.path(store.transports(ofEndpoint: key)) : own
    // A capture only has addresses; statistics are preferred if they have more.
    return steps.contains { $0.localType != nil } ? steps.filter { $0.localType != nil } : steps
  }

  private static func path(_ feed: TransportFeed) throws -> [PathStep] {
    var history = PathHistory()
    while let sample = try feed.next() { _ = history.see(sample) }
    return history.steps.compactMap { PathStep($0) }
  }
}

extension PathStep {
  /// Nil if nothing but the network is known of the path.
  package init?(_ step: PathHistory.Step) {
    let sample = step.sample
    guard sample.localType != nil || sample.local != nil else { return nil }
    self.init(
      fromMs: sample.timeMs, localType: sample.localType, remoteType: sample.remoteType, local: sample.local,
      remote: sample.remote, networkProtocol: sample.networkProtocol, relayProtocol: sample.relayProtocol,
      networkType: sample.networkType, isChange: step.before != nil)
  }
}

extension ScoreFigures {
  /// The figures of the given windows; nil if none has a score.
  package init?(_ windows: [Window]) {
    let scores = windows.compactMap(\.score)
    guard let lowest = scores.min() else { return nil }
    let count = Double(scores.count)
    mean = Double(scores.reduce(0, +)) / count
    self.lowest = lowest
    pointsLost = [:]
    for cause in Cause.allCases {
      pointsLost[cause] = Double(windows.compactMap { $0.pointsLost?[cause] }.reduce(0, +)) / count
    }
  }
}

extension SetupAttempt {
  package init(_ row: NamedRow, phases: [NamedRow]) {
    let own = phases.filter { $0.integer("attempt") == row.integer("attempt") }.compactMap { Phase($0) }
    let order = PhaseName.allCases
    self.init(
      attempt: Int(row.integer("attempt") ?? 1), direction: row.word("direction") ?? .unknown,
      outcome: row.word("outcome") ?? .unknown,
      phases: own.sorted { (order.firstIndex(of: $0.name) ?? 0) < (order.firstIndex(of: $1.name) ?? 0) })
    setupMs = row.number("setup_ms")
    setupWallMs = row.number("setup_wall_ms")
    postDialDelayMs = row.number("post_dial_delay_ms")
    startMs = row.number("start_ms")
    fromEvent = row.word("from_event")
  }
}

extension Phase {
  package init?(_ row: NamedRow) {
    guard let name: PhaseName = row.word("phase") else { return nil }
    self.init(name, row.word("state") ?? .unknown)
    startMs = row.number("start_ms")
    durationMs = row.number("duration_ms")
    waitedMs = row.number("waited_ms")
    fromEvent = row.word("from_event")
    toEvent = row.word("to_event")
    cause = row.text("cause")
  }
}

extension StreamAccount {
  package init(_ row: NamedRow) {
    self.init(
      key: row.integer("stream_key") ?? 0, source: row.word("source") ?? .stats,
      chosen: row.flag("chosen"), direction: row.word("direction") ?? .unknown, kind: row.word("kind"),
      codec: row.text("codec"), ssrc: row.integer("ssrc"), screen: row.flag("screen"),
      firstMs: row.number("first_ms"), lastMs: row.number("last_ms"), figures: row.all,
      parts: [Part(key: row.integer("stream_key") ?? 0, source: row.integer("source_id"))])
  }
}

extension MediaSpan {
  package init?(_ row: NamedRow) {
    guard let kind: Kind = row.word("kind"), let start = row.number("start_ms"),
      let end = row.number("end_ms")
    else { return nil }
    self.init(kind, row.word("medium"), from: start, to: end, proof: row.word("proof") ?? .none)
    concealedSamples = row.number("concealed_samples")
  }
}
