import CallModel
import Scoring

/// One pass over the samples of an end: its windows, and what only a whole pass can find.
struct EndpointScan: Sendable {
  private(set) var windows = PackedWindows()
  /// Freezes and pauses; complete after `finish`.
  private(set) var frozen: [FrozenSpan] = []
  /// Times without sound that nobody sent; complete after `finish`.
  private(set) var unsent: [UnsentSpan] = []
  /// Times without a packet of sound, and of a picture; complete after `finish`.
  private(set) var gaps: [MediaKind: [PacketGap]] = [:]
  /// Times between reports of what statistics received that came far apart, the first of them.
  private(set) var reportGaps: [ClosedRange<Double>] = []
  private var reportedMs: Double?
  private var isReported: [Bool] = []
  /// After `finish` it has seen all samples, and waits for the rest of what is known.
  var findings: FindingScan
  /// When the call was over, where the recording goes on after it; complete after `finish`.
  private(set) var overMs: Double?
  private var scorer: EndpointScorer?

  init(
    _ streams: [StreamFacts] = [], of connections: [[Int64]] = [], scoring: EndpointScoring,
    account: [EventRecord] = [], motion: [UInt32: SpanSet] = [:], unsent: [UInt32: SpanSet] = [:],
    untilMs: Double? = nil, endedMs: Double? = nil
  ) {
    scorer = EndpointScorer(
      streams: streams, model: scoring.model, references: scoring.references, cut: scoring.cut,
      clientScores: clientScores(account), quiet: quietSpans(account), motion: motion,
      unsent: unsent, codecs: CodecTimes.bySSRC(account), untilMs: untilMs, endedMs: endedMs)
    findings = FindingScan(streams: [])
    for (facts, connections) in zip(streams, connections) { findings.addStream(facts, of: connections) }
    isReported = streams.map(Self.isReported)
  }

  /// Nothing was seen.
  init() { findings = FindingScan(streams: []) }

  /// Adds a stream of an end with one connection, as the last of them, before its first sample.
  mutating func addStream(_ facts: StreamFacts) {
    scorer?.addStream(facts)
    findings.addStream(facts)
    isReported.append(Self.isReported(facts))
  }

  /// Takes the next instant of a stream.
  mutating func add(_ sample: SampleView, of stream: Int) {
    if isReported.indices.contains(stream), isReported[stream] { report(at: sample.timeMs) }
    scorer?.add(sample, of: stream)
    findings.add(sample, of: stream)
    if let settled = scorer?.takeSettled() { windows.append(contentsOf: settled) }
  }

  /// Takes the next instant of the path; before the samples of its time.
  mutating func addTransport(_ sample: TransportSample) {
    scorer?.addTransport(sample)
    findings.addTransport(sample)
  }

  private static func isReported(_ facts: StreamFacts) -> Bool {
    facts.source == .stats && facts.direction == .inbound
  }

  private mutating func report(at timeMs: Double) {
    if let last = reportedMs, timeMs - last > ReportSpacing.closeMs, reportGaps.count < FrozenSpan.mostTold {
      reportGaps.append(last...timeMs)
    }
    reportedMs = max(reportedMs ?? timeMs, timeMs)
  }

  /// Makes the rest of the windows.
  mutating func finish() {
    windows.append(contentsOf: scorer?.finish() ?? [])
    frozen = scorer?.frozenSpans ?? []
    unsent = scorer?.unsentSpans ?? []
    overMs = scorer?.overMs
    for kind in [MediaKind.audio, .video] { gaps[kind] = scorer?.gaps(of: kind) ?? [] }
    scorer = nil
    findings.endSamples()
  }
}

/// The client's own 0–100, as it reported it.
func clientScores(_ account: [EventRecord]) -> [ClientScore] {
  account.compactMap { event in
    guard let timeMs = event.timeMs, let value = LoggedFigures.quality(of: event) else { return nil }
    return ClientScore(timeMs: timeMs, value: value)
  }
}

/// Times in which media is meant to be missing: the call is on hold here or there, by an event or by what was agreed.
func quietSpans(_ account: [EventRecord]) -> [QuietSpan] {
  let held = QuietSpan.spans(
    account, from: ["call.held", "call.remotely-held", "call.double-held"],
    until: ["call.resumed", "call.ended", "call.failed"])
  return (held + mediaTakenAway(account) + negotiatedHolds(account)).sorted { $0.startMs < $1.startMs }
}

/// Times in which a medium was not to come to an end by the descriptions that a capture saw in its signalling.
private func mediaTakenAway(_ account: [EventRecord]) -> [QuietSpan] {
  guard account.contains(where: { $0.event == "media.taken-away" }) else { return [] }
  return [MediaKind.audio, .video].flatMap { kind in
    let own = account.filter { $0.argument("kind").map { $0 == kind.rawValue } ?? true }
    return QuietSpan.spans(
      own, from: ["media.taken-away"], until: ["media.given-back", "call.ended", "call.failed"]
    ).map { QuietSpan(startMs: $0.startMs, endMs: $0.endMs, kind: kind) }
  }
}

/// Times in which a medium was not to come to an end by what was agreed: from an answer that took its direction away to the one
/// that gave it back (RFC 3264 8.4).
///
/// Only for an end with one connection: of several nobody says here whose answer it was. What never was to come is no hold.
func negotiatedHolds(_ account: [EventRecord]) -> [QuietSpan] {
  let answers = account.filter { Reception.isOwnAnswer($0) != nil }
  guard answers.count > 1, hasOneConnection(account) else { return [] }
  let kinds = [MediaKind.audio, .video]
  var spans: [QuietSpan] = []
  var came: Set<MediaKind> = []
  var since: [MediaKind: Double] = [:]
  for answer in answers {
    let sections = SessionDescription(answer.args).sections
    guard let timeMs = answer.timeMs, let isOwn = Reception.isOwnAnswer(answer), !sections.isEmpty else {
      continue
    }
    for kind in kinds {
      let comes = sections.contains { $0.kind == kind && (isOwn ? $0.flow.receives : $0.flow.sends) }
      if comes {
        came.insert(kind)
        if let start = since.removeValue(forKey: kind) {
          spans.append(QuietSpan(startMs: start, endMs: timeMs, kind: kind))
        }
      } else if came.contains(kind) {
        since[kind] = since[kind] ?? timeMs
      }
    }
  }
  return spans
    + kinds.compactMap { kind in since[kind].map { QuietSpan(startMs: $0, kind: kind) } }
}

/// Whether all that the end itself described is of one session, as its offers and answers for one connection are (RFC 3264 8).
private func hasOneConnection(_ account: [EventRecord]) -> Bool {
  let own = [
    "sdp.local-setting", "sdp.offer-created", "sdp.answer-created", "sdp.offer-sent", "sdp.answer-sent",
  ]
  let sessions = account.filter { own.contains($0.event) }.compactMap { SessionDescription($0.args).session }
  return Set(sessions).count == 1
}
