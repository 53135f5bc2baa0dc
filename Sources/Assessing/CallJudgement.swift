import CallModel
import CallStore
import Scoring

/// All results for one call, to be written together.
struct CallJudgement: Sendable {
  private let call: Int64
  private let model: ScoreModel
  private let ends: [EndJudgement]
  private let summary: CallSummary
  private let skewsMs: [Int64: Double]

  /// Judges a call from the contents of a store, comparing its ends.
  init(_ call: StoredCall, from store: Store, model: ScoreModel, readers: Readers, passed: StreamedScores?)
    throws
  {
    let assessed = try CallAssessment(call, from: store, model: model, readers: readers, passed: passed)
    let (ends, events) = (assessed.ends, assessed.events)
    self.call = call.key
    skewsMs = assessed.skewsMs
    self.model = model
    let middle = try MidpointCapture(ends, events: events, captures: assessed.captures, in: store)
    let far = FarEnd(
      ends,
      repeatsOnly: ends.count == 2 ? try store.sources(ofCall: call.key, noting: SourceNote.repeatsOnly) : [])
    let attributes = try store.attributes(ofCall: call.key)
    let layers = try SimulcastLayers(ends, in: store)
    let findings = Dictionary(
      ends.map { end in
        let own =
          far.findings(of: end) + middle.findings(of: end)
          + layers.findings(of: end)
          + Self.slowAnswers(attributes[.voiceAgent], at: end, of: ends)
        let found = assessed.lostBetween.completing(own, of: end, ends)
        return (end.endpoint.key, found + GapFindings(end, of: ends, reported: found).findings)
      }, uniquingKeysWith: { first, _ in first })
    self.ends = try ends.map {
      try EndJudgement($0, findings: findings[$0.endpoint.key] ?? [], from: store)
    }
    var summary = CallFigures(call: call, ends: ends, events: events, model: model).summary
    var verdict = VerdictEvidence(ends, findings: findings).evidence(
      outcome: summary.outcome, durationMs: summary.durationMs, role: attributes.role
    ).verdict
    if let end = ends.first(where: { $0.endpoint.name == verdict.end }) {
      verdict.span = verdict.span.map { end.onCallClock($0.lowerBound)...end.onCallClock($0.upperBound) }
    }
    summary.verdict = verdict
    self.summary = summary
  }

  /// Findings for slow answers of a software agent: at the end that received them, otherwise at the agent's own end.
  private static func slowAnswers(
    _ agent: String?, at end: EndpointAssessment, of ends: [EndpointAssessment]
  ) -> [Finding] {
    guard let agent else { return [] }
    func logsSpeech(_ end: EndpointAssessment) -> Bool {
      end.ownEvents.contains { $0.event == "media.spoke" }
    }
    let isOwn = end.endpoint.name == agent
    let listeners = ends.filter { $0.endpoint.name != agent && logsSpeech($0) }
    guard isOwn ? listeners.isEmpty : listeners.first?.endpoint.key == end.endpoint.key else { return [] }
    return [SlowAnswer.finding(end.ownEvents, agent: agent, isLocal: isOwn)].compactMap { $0 }
  }

  /// Stored results that differ from those recomputed, each with the rule that is violated.
  func departures(in store: Store) throws -> [(rule: CallRule, what: String)] {
    let columns = try store.columnsAgainst(summary, ofCall: call)
    return try ends.flatMap { end in try end.departures(in: store, model: model) }
      + (columns.isEmpty ? [] : [(.verdicts, columns.prefix(5).joined(separator: ", "))])
  }

  /// Replaces the previous results of the call.
  func write(to store: Store) throws {
    for end in ends { try end.write(to: store, model: model) }
    try store.setSkews(skewsMs, ofCall: call)
    try store.updateCall(call, summary)
  }
}

/// The results for one end, without the data they were derived from.
private struct EndJudgement: Sendable {
  private let endpoint: StoredEndpoint
  private let judging: StreamSource?
  private let chosen: Set<Int64>
  private let windows: [(source: StreamSource, windows: PackedWindows)]
  private let findings: [Finding]
  private let attempts: [SetupAttempt]
  private let spans: [MediaSpan]

  init(_ end: EndpointAssessment, findings: [Finding], from store: Store) throws {
    spans = try EndSpans(end, findings: findings, from: store).spans
    endpoint = end.endpoint
    judging = end.choice.judging
    chosen = Set(end.choice.judges.map(\.key))
    windows = end.windows.sorted { $0.key.rawValue < $1.key.rawValue }.map { ($0.key, $0.value) }
    self.findings = findings
    attempts = end.attempts
  }

  func departures(in store: Store, model: ScoreModel) throws -> [(rule: CallRule, what: String)] {
    let again = Dictionary(uniqueKeysWithValues: windows.map { ($0.source, Array($0.windows)) })
    var broken: [CallRule] = []
    if try again.filter({ !$0.value.isEmpty }) != store.windows(ofEndpoint: endpoint.key, model: model.name) {
      broken.append(.scores)
    }
    if try !store.holds(attempts, ofEndpoint: endpoint.key) { broken.append(.setups) }
    if try !store.holds(findings, ofEndpoint: endpoint.key) { broken.append(.findings) }
    if try !store.holds(spans, ofEndpoint: endpoint.key) { broken.append(.spans) }
    return broken.map { ($0, endpoint.name) }
  }

  func write(to store: Store, model: ScoreModel) throws {
    try store.replaceWindows(windows, ofEndpoint: endpoint.key, model: model.name, judging: judging)
    try store.replaceFindings(findings, ofCall: endpoint.call, endpoint: endpoint.key)
    try store.replaceSpans(spans, ofEndpoint: endpoint.key)
    try store.replaceSetupAttempts(attempts, ofEndpoint: endpoint.key)
    try store.setChosen(chosen, ofEndpoint: endpoint.key)
  }
}

/// A call captured in the middle of its path together with its signalling: compares the media of its ends, on the clock
/// of all captures.
struct MidpointCapture {
  private let seen: [Int64: EndActivity]

  /// - Parameter captures: the sources that are captures with media.
  init(_ ends: [EndpointAssessment], events: [StoredEvent], captures: Set<Int64>, in store: Store) throws {
    let media = Dictionary(
      ends.map { ($0.endpoint.key, $0.choice.captured.filter(Self.hasMedia)) }, uniquingKeysWith: +)
    let isOver = events.contains { Self.endings.contains($0.record.event) }
    let begun = Self.span(media.values.flatMap { $0 })?.lowerBound
    var seen: [Int64: EndActivity] = [:]
    for end in ends {
      let key = end.endpoint.key
      let own = events.filter { $0.endpoint == key && captures.contains($0.source) }
      let established = own.first { $0.record.event == "call.established" && $0.record.sdk == nil }
      // An end with statistics is judged by those.
      let over = own.last { Self.endings.contains($0.record.event) }?.record.timeMs
      // A call of which a capture has only the end was established before its first packet there.
      let before = established != nil && over != nil ? begun : nil
      guard let start = established?.record.timeMs ?? before, end.choice.chosen(.stats).isEmpty else {
        continue
      }
      let last = over ?? own.compactMap(\.record.timeMs).max() ?? start
      var found = EndActivity(
        established: start...max(start, last), expectsAudio: Reception(end.ownEvents).sound)
      found.quiet = quietSpans(end.ownEvents).map {
        QuietSpan(startMs: end.onCaptureClock($0.startMs), endMs: end.onCaptureClock($0.endMs), kind: $0.kind)
      }
      let received = media[key] ?? []
      // Media seen anywhere on its path counts as received, unless it is seen to stop there.
      let others = media.filter { $0.key != key }
      let sent = others.count == 1 ? others.flatMap(\.value) : []
      let stop = RelayedSound(sent: sent).stop(of: received)
      found.sound = stop == nil ? Self.span(received.filter(Self.maybeSound)) : nil
      found.media = Self.span(received)
      found.stoppedAt = stop
      if let event = own.first(where: { $0.record.raw == "capture.one-direction" })?.record {
        found.notCaptured = (true, event.argument("packets").flatMap { Int($0) })
      }
      found.isElsewhere = own.contains { $0.record.raw == "capture.media-elsewhere" }
      if !isOver, let alone = Self.sendingAlone(received, sent: sent) {
        let loggedMs = own.compactMap(\.record.timeMs).max() ?? start
        let transportMs = try store.pathSpan(ofEndpoint: key)?.upperBound ?? start
        found.sendingAlone = max(loggedMs, transportMs) <= alone.lowerBound + Self.togetherMs ? alone : nil
      }
      seen[key] = found
    }
    self.seen = seen
  }

  /// Whether a stream is or may be audio. A capture names the codec of text and similar media, which have no kind; a
  /// stream with neither could not be identified.
  private static func maybeSound(_ stream: StoredStream) -> Bool {
    stream.facts.kind == .audio || stream.facts.kind == nil && stream.facts.codec == nil
  }

  /// Whether it contains more than padding and empty keepalive packets.
  private static func hasMedia(_ stream: StoredStream) -> Bool {
    (stream.totals.packets ?? 0) > (stream.totals.probes ?? 0)
  }

  private static func span(_ streams: [StoredStream]) -> ClosedRange<Double>? {
    guard let first = streams.compactMap(\.totals.firstMs).min() else { return nil }
    return first...max(first, streams.compactMap(\.totals.lastMs).max() ?? first)
  }

  private static let endings: Set<String> = ["call.ended", "call.failed"]
  /// Maximum time after the last media packet that still counts as the same moment, ms.
  private static let togetherMs = 2500.0
  /// A sender with pauses between packets of this length may pause again, ms.
  private static let longestPauseMs = 1000.0

  /// From the last packet received by an end to the last one it sent, from files that have both; nil if its far end had
  /// paused before.
  private static func sendingAlone(_ received: [StoredStream], sent: [StoredStream]) -> ClosedRange<Double>? {
    func last(_ rows: [StoredStream]) -> [Int64: Double] {
      Dictionary(rows.compactMap { row in row.totals.lastMs.map { (row.source, $0) } }, uniquingKeysWith: max)
    }
    let (came, went) = (last(received), last(sent))
    guard !came.isEmpty, received.allSatisfy({ ($0.totals.maxDeltaMs ?? 0) < longestPauseMs }) else {
      return nil
    }
    let spans = came.compactMap { source, cameMs in went[source].map { (cameMs, $0) } }
    guard spans.count == came.count, spans.allSatisfy({ $0.0 < $0.1 }) else { return nil }
    return spans.map { $0.0...$0.1 }.min { $0.upperBound - $0.lowerBound < $1.upperBound - $1.lowerBound }
  }

  /// Findings on media missing at an end that its own sources do not show.
  func findings(of end: EndpointAssessment) -> [Finding] {
    guard let here = seen[end.endpoint.key], !end.findings.contains(where: { $0.severity == .error }) else {
      return []
    }
    let others = seen.filter { $0.key != end.endpoint.key }.map(\.value)
    guard var finding = missingSound(at: here, others: others) else { return [] }
    let ahead = end.onCaptureClock(0)
    finding.startMs = finding.startMs.map { $0 - ahead }
    finding.endMs = finding.endMs.map { $0 - ahead }
    return [finding]
  }
}

/// The hosts through which the audio of a two-party call passes, if captures of both directions show relays (session
/// border controllers, media proxies) between its ends.
struct RelayedSound {
  /// Hosts that an end sends from itself, and below those it sends to.
  private let own: Set<String>
  private let next: Set<String>

  /// - Parameter sent: the streams that an end sent, wherever on the path they were seen.
  init(sent: [StoredStream]) {
    let legs = sent.compactMap { row in
      row.facts.remote.flatMap { from in
        row.facts.local.map { (from: AddressText.host(from), to: AddressText.host($0)) }
      }
    }
    let targets = Set(legs.map(\.to))
    let own = Set(legs.map(\.from)).subtracting(targets)
    self.own = own
    next = Set(legs.filter { own.contains($0.from) }.map(\.to))
  }

  /// The relay at which everything sent to the end stopped: it reached a host that this end sends to, but not the end
  /// itself.
  func stop(of received: [StoredStream]) -> String? {
    let reached = Set(received.compactMap { $0.facts.local.map(AddressText.host) })
    guard !reached.isEmpty, !own.isEmpty, reached.isSubset(of: next), reached.isDisjoint(with: own) else {
      return nil
    }
    return reached.min()
  }
}

/// The results of a call that can be recomputed.
enum CallRule: String, CaseIterable {
  case scores = "scores follow from samples"
  case setups = "setups and their phases follow from events"
  case findings = "findings follow from samples and events"
  case spans = "spans follow from samples and events"
  case verdicts = "the row of a call follows from its ends"
}

/// Judges calls again from their data and compares the result with what is stored.
public struct Recheck {
  private let store: Store
  private let model: ScoreModel

  /// Checks the results of one model.
  public init(store: Store, model: ScoreModel = .standard) {
    self.store = store
    self.model = model
  }

  /// Stored results that differ from the recomputed ones. Skips calls that were pruned, are not yet judged, or were
  /// judged by another model.
  public func problems(isInterrupted: () -> Bool = { false }) throws -> [Problem] {
    let calls = try store.query(
      "SELECT call_key, call_id FROM calls WHERE NOT stale AND pruned_ms IS NULL AND model = :model",
      ["model": .text(model.name)])
    let readers = Readers(of: store, most: 1)
    var found: [CallRule: (count: Int, example: String)] = [:]
    for row in calls.rows {
      guard !isInterrupted(), let key = row[0].integer else { break }
      guard let call = try store.call(key) else { continue }
      let again = try CallJudgement(call, from: store, model: model, readers: readers, passed: nil)
      for (rule, what) in try again.departures(in: store) {
        found[rule, default: (0, "\(row[1].string ?? ""), \(what)")].count += 1
      }
    }
    return CallRule.allCases.compactMap { rule in
      found[rule].map { Problem(rule: rule.rawValue, count: $0.count, example: $0.example) }
    }
  }
}
