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
