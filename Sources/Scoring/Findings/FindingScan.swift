import CallModel

/// Searches the reports of one endpoint for problems that a score cannot express. Feed it like the scorer, then call
/// `finish` once.
///
/// Every rule is a pure function of its input with its own thresholds and hysteresis; docs/findings.md lists them all.
public struct FindingScan: Sendable {
  private var roles: [StreamRole] = []
  private var sound = OneWayAudioDetector()
  private var silence = SilenceDetector()
  private var playout = UnplayedAudioDetector()
  private var held = JitterBufferHoldDetector()
  private var flushes = BufferFlushDetector()
  private var echo = EchoDetector()
  private var corruption = CorruptedPictureDetector()
  private var sent = UnsentMediaDetector()
  private var unsentSound = UnsentSoundDetector()
  private var unreceived = UnreceivedMediaDetector()
  private var sender = SenderLimitDetector()
  private var remoteLoss = RemoteLossDetector()
  private var path = RouteChangeDetector()
  private var paths = PathHistory()
  private var states = ConnectionStates()
  private var rig = HostStallDetector()
  private var reports = ReportGapDetector()
  private var picture = VideoPauseDetector()
  /// The previous sample by index of its stream, if there was one. Not optional: samples are large, and each move into
  /// or out of an optional is a copy.
  private var previous: [Sample] = []
  private var hasPrevious: [Bool] = []

  /// A scan over the given streams of one connection. `add` identifies a stream by its index in `streams`.
  public init(streams: [StreamFacts]) {
    for facts in streams { addStream(facts) }
  }

  /// Appends a stream; it may continue on another connection, for example in the next file.
  public mutating func addStream(_ facts: StreamFacts, of connections: [Int64] = [0]) {
    let role = StreamRole(facts, connections)
    roles.append(role)
    sound.addStream(role)
    previous.append(Sample(timeMs: 0))
    hasPrevious.append(false)
  }

  /// Frees the last samples; call it when no more samples follow.
  public mutating func endSamples() {
    previous = []
    hasPrevious = []
  }

  /// Takes one sample of a stream; times must not decrease within a stream.
  public mutating func add(_ sample: Sample, of stream: Int) {
    var sample = sample
    sample.look { add($0, of: stream) }
  }

  /// Like `add(_:of:)` for a `Sample`, without copying it.
  public mutating func add(_ sample: SampleView, of stream: Int) {
    // Means show no single report, so that no rule holds of them.
    guard hasPrevious.indices.contains(stream), sample.timeMs.isFinite, roles[stream].source != .figures
    else {
      return
    }
    if roles[stream].source == .stats, reports.see(sample.timeMs) { sound.missed(until: sample.timeMs) }
    sender.see(sample, of: stream, roles[stream])
    unreceived.see(sample, of: stream, roles[stream])
    compare(sample, of: stream)
    previous.withUnsafeMutableBufferPointer { places in
      if let first = places.baseAddress { sample.copy(to: first + stream) }
    }
    hasPrevious[stream] = true
  }

  private mutating func compare(_ sample: SampleView, of stream: Int) {
    let (before, role) = (previous, roles[stream])
    before.withUnsafeBufferPointer { before in
      guard let earlier = before.baseAddress.map({ SampleView($0 + stream) }), hasPrevious[stream],
        sample.timeMs > earlier.timeMs
      else {
        if !hasPrevious[stream] { sound.see(first: sample, role) }
        return
      }
      sound.see(sample, after: earlier, role)
      playout.see(sample, after: earlier, role)
      held.see(sample, after: earlier, role)
      flushes.see(sample, after: earlier, role)
      echo.see(sample, after: earlier, role)
      corruption.see(sample, after: earlier, role)
      picture.see(sample, after: earlier, role)
      remoteLoss.see(sample, after: earlier, role)
      // Nothing is known about a period without reports.
      guard earlier.timeMs >= reports.unseenUntilMs else { return reports.see(sample, across: earlier, role) }
      silence.see(sample, after: earlier, role)
      sent.see(sample, after: earlier, role)
      unsentSound.see(sample, after: earlier, of: stream, role)
      rig.see(sample, after: earlier, role)
    }
  }

  /// Takes one sample of the transport.
  public mutating func addTransport(_ sample: TransportSample) {
    guard sample.timeMs.isFinite else { return }
    reports.see(sample)
    let earlier = paths.see(sample)
    sound.see(sample, after: earlier)
    sender.see(sample, after: earlier)
    path.see(sample)
    addStates(of: sample)
  }

  /// Takes only the ICE and DTLS states of a transport that carries no media.
  public mutating func addStates(of sample: TransportSample) {
    if sample.timeMs.isFinite { states.see(sample) }
  }

  /// The events at this end in time order, plus a connection failure that only statistics show. Call it after all
  /// samples.
  public func completing(_ events: [EventRecord]) -> [EventRecord] {
    states.completing(
      events, mediaMs: sound.media.firstInboundMs ?? sound.media.lastInboundMs,
      lastMediaMs: sound.media.lastInboundMs)
  }

  /// The network paths that packets took. Call it after all samples.
  public var pathSteps: [PathHistory.Step] { paths.steps }

  /// The media this end did not send; complete after `finish`.
  public var notSent: UnsentMedia {
    func quiet(_ spans: [(start: Double, end: Double)]) -> [QuietSpan] {
      spans.map { QuietSpan(startMs: $0.start, endMs: $0.end) }
    }
    var left = UnsentMedia()
    left.sound = quiet(sent.spans(.audio))
    left.picture = quiet(sent.spans(.video))
    left.voice = quiet(silence.microphoneSpans)
    left.pauses = quiet(silence.microphonePauses)
    left.spokenLevel = silence.spokenLevel
    return left
  }

  /// All findings of this end, in time order. The scan cannot be used afterwards.
  public mutating func finish(_ context: FindingContext) -> [Finding] {
    var context = context
    // After the call nothing can be missing.
    context.quietTimes = QuietTimes(
      context.quiet + (context.overMs.map { [QuietSpan(startMs: $0)] } ?? []))
    sent.finish()
    let reception = Reception(context.events)
    var findings = sound.findings(context, reception) + silence.findings(context)
    let unreceived = unreceived.media
    findings = SenderProof(context, unreceived).completing(findings)
    findings += unreceived.compactMap { $0.picture?.finding ?? $0.finding(context) }
    if sound.media.lastInboundMs != nil { findings += unsentSound.findings(context) }
    findings += FarEndStalls(context, reported: findings).findings
    findings += playout.findings(context) + held.findings() + flushes.findings()
    findings += echo.findings() + corruption.findings() + softwareFallbacks(context)
    findings += sender.findings(context) + path.findings(context, paths.steps)
    findings += rig.findings(reports.gaps) + picture.findings(context) + remoteLoss.findings(context)
    findings += connectionFindings(context, reception, sound, states: states)
    findings += eventFindings(context) + sourceFindings(context) + unplayableMedia(context)
    return findings.enumerated().sorted {
      ($0.element.startMs ?? -.infinity, $0.offset) < ($1.element.startMs ?? -.infinity, $1.offset)
    }.map(\.element)
  }
}

/// A duration in seconds, as written in findings.
public func durationText(_ milliseconds: Double) -> String { seconds(milliseconds) }

/// A duration as text in seconds.
func seconds(_ milliseconds: Double) -> String {
  let tenths = (milliseconds / 100).rounded()
  guard abs(tenths) < 1e12 else { return "very many s" }
  return tenths.truncatingRemainder(dividingBy: 10) == 0 ? "\(Int(tenths / 10)) s" : "\(tenths / 10) s"
}

/// Detects audio that the receiver holds in its jitter buffer longer than the network requires, by its own choice.
struct JitterBufferHoldDetector {
  private var held = Hysteresis(onAfterMs: Threshold.heldBackFor.value, offAfterMs: 2000)
  /// The longest hold time seen, ms.
  private var maxMs = 0.0

  /// Takes a sample and its predecessor.
  mutating func see(_ sample: SampleView, after earlier: SampleView, _ role: StreamRole) {
    guard role.source == .stats, role.kind == .audio, role.direction != .outbound,
      let heldMs = JitterBufferDelay(from: earlier, to: sample)?.heldMs
    else { return }
    maxMs = max(maxMs, heldMs)
    held.observe(heldMs >= Threshold.heldBack.value, from: earlier.timeMs, to: sample.timeMs)
  }

  mutating func findings() -> [Finding] {
    held.finish()
    return held.spans.map { span in
      Finding(
        .soundHeldBack, .info, from: span.start, to: span.end,
        Evidence().with("held_ms", span.end - span.start).with("threshold_ms", Threshold.heldBack.value).with(
          "most_ms", maxMs),
        "For \(seconds(span.end - span.start)) this end holds sound back for longer than the network needs, by up to \(seconds(maxMs)): its page asks for that (jitterBufferTarget), or it waits for the picture."
      )
    }
  }
}

/// Periods in which an end sent no packet of a medium, from its own statistics or a capture on its machine.
struct UnsentMediaDetector {
  private var sound = SilentLevelDetector(lastingMs: Threshold.noSound.value)
  private var picture = SilentLevelDetector(lastingMs: Threshold.noSound.value)
  private var captured = CapturedPauses()

  /// Takes a sample and its predecessor.
  mutating func see(_ sample: SampleView, after earlier: SampleView, _ role: StreamRole) {
    if role.source == .capture { return captured.see(sample, after: earlier, role) }
    guard role.direction == .outbound, let kind = role.kind,
      let before = earlier[.packets], let now = sample[.packets]
    else { return }
    switch kind {
    case .audio: sound.observe(isSilent: now <= before, from: earlier.timeMs, to: sample.timeMs)
    case .video:
      // Padding and retransmissions are packets without a new frame.
      let frames = sample[.frames].flatMap { frames in earlier[.frames].map { frames - $0 } }
      picture.observe(isSilent: now <= before || frames == 0, from: earlier.timeMs, to: sample.timeMs)
    }
  }

  mutating func finish() {
    sound.finish()
    picture.finish()
    captured.finish()
  }

  /// Periods without a packet of the given medium.
  func spans(_ kind: MediaKind) -> [(start: Double, end: Double)] {
    (kind == .audio ? sound.spans : picture.spans) + captured.spans(kind)
  }
}

/// Brief standstills of the far end that no other finding covers: the listener hears a gap that the network did not
/// cause.
struct FarEndStalls {
  private let spans: [UnsentSpan]

  /// - Parameter reported: findings that may already cover a standstill.
  init(_ context: FindingContext, reported: [Finding]) {
    let longer = SpanSet(
      reported.filter { $0.code == .farEndSilent }.compactMap { finding in
        finding.startMs.flatMap { start in finding.endMs.map { (start, $0) } }
      })
    spans = context.unsent.filter { span in
      let time = (start: span.startMs, end: span.endMs)
      return span.isStandstill && longer.covered(from: time.start, to: time.end) == 0
        && !context.quietTimes.hasMost(of: time)
    }
  }

  var findings: [Finding] {
    guard let first = spans.first, let last = spans.last else { return [] }
    if spans.count > Threshold.stallsListed.count {
      let whole = SpanSet(spans.map { ($0.startMs, $0.endMs) }).covered(from: first.startMs, to: last.endMs)
      return [
        Self.finding(
          from: first.startMs, to: last.endMs, ms: whole, times: spans.count,
          "The far end stalled \(spans.count) times, for \(seconds(whole)) in all")
      ]
    }
    return spans.map {
      let length = $0.endMs - $0.startMs
      return Self.finding(
        from: $0.startMs, to: $0.endMs, ms: length, times: nil,
        "The far end stalled for \(seconds(length))")
    }
  }

  private static func finding(from start: Double, to end: Double, ms: Double, times: Int?, _ text: String)
    -> Finding
  {
    Finding(
      .farEndSilent, .info, from: start, to: end,
      Evidence().with("not_sent_ms", ms).with("by", "sequence numbers").with("times", times.map(Double.init)),
      "\(text): its sound went on where it had stopped, with no number of its packets missing.")
  }
}

/// The properties of a stream that the rules need with each of its samples.
struct StreamRole {
  let source: StreamSource
  let direction: StreamDirection
  let kind: MediaKind?
  let isScreen: Bool
  /// Audio sample rate in Hz; nil if unknown.
  let clockRate: Double?
  /// The connections its packets may use.
  let connections: [Int64]

  init(_ facts: StreamFacts, _ connections: [Int64]) {
    self.connections = connections
    source = facts.source
    direction = facts.direction
    kind = facts.kind
    isScreen = facts.screen == true
    clockRate =
      facts.clockRate.map { Double($0) }
      ?? (facts.codec?.lowercased().hasSuffix("opus") == true ? 48_000 : nil)
  }
}
