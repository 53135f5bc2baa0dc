import CallModel
import Scoring

/// One pass over the samples of an end that computes its windows and everything else that needs all samples.
struct EndpointScan: Sendable {
  private(set) var windows = PackedWindows()
  /// Freezes and pauses; complete after `finish`.
  private(set) var frozen: [FrozenSpan] = []
  /// Periods without audio that was not sent; complete after `finish`.
  private(set) var unsent: [UnsentSpan] = []
  /// Periods without a packet of audio, and of video; complete after `finish`.
  private(set) var gaps: [MediaKind: [PacketGap]] = [:]
  /// When packets of each received stream arrived; complete after `finish`.
  private(set) var flows: [StreamFlow] = []
  /// The mean score of each stream alone, in their order; complete after `finish`.
  private(set) var streamScores: [Double?] = []
  /// Long intervals between reports of received streams in statistics, up to a maximum number.
  private(set) var reportGaps: [ClosedRange<Double>] = []
  private var reportedMs: Double?
  private var isReported: [Bool] = []
  /// After `finish` it has seen all samples and only needs the context.
  var findings: FindingScan
  /// When the call ended, if the recording goes on after it; complete after `finish`.
  private(set) var overMs: Double?
  private var scorer: EndpointScorer?

  init(
    _ streams: [StreamFacts] = [], of connections: [[Int64]] = [], scoring: EndpointScoring,
    events: [EventRecord] = [], motion: [UInt32: SpanSet] = [:], unsent: [UInt32: SpanSet] = [:],
    untilMs: Double? = nil, endedMs: Double? = nil
  ) {
    scorer = EndpointScorer(
      streams: streams, model: scoring.model, references: scoring.references, cut: scoring.cut,
      clientScores: clientScores(events), quiet: quietSpans(events), motion: motion,
      unsent: unsent, codecs: CodecTimes.bySSRC(events), untilMs: untilMs, endedMs: endedMs)
    findings = FindingScan(streams: [])
    for (facts, connections) in zip(streams, connections) { findings.addStream(facts, of: connections) }
    isReported = streams.map(Self.isReported)
  }

  /// Creates a scan without streams.
  init() { findings = FindingScan(streams: []) }

  /// Appends a stream of an end with one connection, before its first sample.
  mutating func addStream(_ facts: StreamFacts) {
    scorer?.addStream(facts)
    findings.addStream(facts)
    isReported.append(Self.isReported(facts))
  }

  /// Takes the next sample of a stream.
  mutating func add(_ sample: SampleView, of stream: Int) {
    if isReported.indices.contains(stream), isReported[stream] { report(at: sample.timeMs) }
    scorer?.add(sample, of: stream)
    findings.add(sample, of: stream)
    if let settled = scorer?.takeSettled() { windows.append(contentsOf: settled) }
  }

  /// Takes the next sample of the transport, which must precede stream samples of the same time.
  mutating func addTransport(_ sample: TransportSample) {
    scorer?.addTransport(sample)
    findings.addTransport(sample)
  }

  private static func isReported(_ facts: StreamFacts) -> Bool {
    facts.source == .stats && facts.direction == .inbound
  }

  private mutating func report(at timeMs: Double) {
    if let last = reportedMs, timeMs - last > ReportSpacing.closeMs, reportGaps.count < FrozenSpan.maxReported
    {
      reportGaps.append(last...timeMs)
    }
    reportedMs = max(reportedMs ?? timeMs, timeMs)
  }

  /// Completes the remaining windows.
  mutating func finish() {
    windows.append(contentsOf: scorer?.finish() ?? [])
    frozen = scorer?.frozenSpans ?? []
    unsent = scorer?.unsentSpans ?? []
    overMs = scorer?.overMs
    streamScores = scorer?.streamScores ?? []
    flows = scorer?.flows ?? []
    for kind in [MediaKind.audio, .video] { gaps[kind] = scorer?.gaps(of: kind) ?? [] }
    scorer = nil
    findings.endSamples()
  }
}

/// The client's own score of 0–100, as it reported it.
func clientScores(_ events: [EventRecord]) -> [ClientScore] {
  events.compactMap { event in
    guard let timeMs = event.timeMs, let value = LoggedFigures.quality(of: event) else { return nil }
    return ClientScore(timeMs: timeMs, value: value)
  }
}

/// Periods in which media is absent on purpose: either end put the call on hold, by an event or by negotiation.
func quietSpans(_ events: [EventRecord]) -> [QuietSpan] {
  let held = QuietSpan.spans(
    events, from: [.callHeld, .callRemotelyHeld, .callDoubleHeld],
    until: [.callResumed, .callEnded, .callFailed])
  return (held + mediaTakenAway(events) + negotiatedHolds(events)).sorted { $0.startMs < $1.startMs }
}

/// Periods in which a medium was not to be received by an end, according to the descriptions in captured signalling.
private func mediaTakenAway(_ events: [EventRecord]) -> [QuietSpan] {
  guard events.contains(where: { $0.event == .mediaTakenAway }) else { return [] }
  return [MediaKind.audio, .video].flatMap { kind in
    let own = events.filter { $0[.kind].map { $0 == kind.rawValue } ?? true }
    return QuietSpan.spans(
      own, from: [.mediaTakenAway], until: [.mediaGivenBack, .callEnded, .callFailed]
    ).map { QuietSpan(startMs: $0.startMs, endMs: $0.endMs, kind: kind) }
  }
}

/// Periods in which a medium was not to be received by an end, according to negotiation: from an answer that disabled
/// its direction to one that enabled it again (RFC 3264 section 8.4).
///
/// Only for an end with one connection, because an event does not say which connection an answer belongs to. A medium
/// that never was to be received is not on hold.
func negotiatedHolds(_ events: [EventRecord]) -> [QuietSpan] {
  let answers = events.filter { Reception.isOwnAnswer($0) != nil }
  guard answers.count > 1, Reception.hasOneConnection(events) else { return [] }
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
