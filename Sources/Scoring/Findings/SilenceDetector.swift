import CallModel

/// Detects audio that is received or sent but inaudible.
struct SilenceDetector {
  /// Minimum length of a pause that is kept to compare the ends, ms.
  private static let pauseMs = 5000.0

  private var farEnd = SilentLevelDetector()
  private var microphone = SilentLevelDetector()
  private var pauses = SilentLevelDetector(lastingMs: Self.pauseMs)
  private var received = (energy: 0.0, timeMs: 0.0)
  private var spoken = (energy: 0.0, timeMs: 0.0)
  /// When the audio received, and sent, was digital silence.
  private var empty = (received: DigitalSilence(), sent: DigitalSilence())

  /// Mean level of the audio this end sent (1 = full scale); nil if its source has none.
  var spokenLevel: Double? { spoken.timeMs > 0 ? (spoken.energy / spoken.timeMs).squareRoot() : nil }

  /// Periods in which the audio this end sent was silent.
  var microphoneSpans: [(start: Double, end: Double)] { microphone.spans }

  /// The same with pauses in speech. Two ends seldom poll at the same time: what is long enough to be reported at one
  /// may be too short at the other.
  var microphonePauses: [(start: Double, end: Double)] { pauses.spans }

  /// Takes a sample and its predecessor.
  mutating func see(_ sample: SampleView, after earlier: SampleView, _ role: StreamRole) {
    // Audio that was not played has no level, whatever its counters say.
    if role.direction != .outbound, role.source == .stats,
      UnplayedAudioDetector.unplayed(sample, after: earlier) != nil
    {
      return
    }
    guard role.kind == .audio, let level = Self.level(earlier, sample) else { return }
    let comes = sample.grown(after: earlier) > 0
    let length = sample.timeMs - earlier.timeMs
    if role.direction == .outbound {
      if comes { empty.sent.observe(level, from: earlier.timeMs, to: sample.timeMs) }
      if comes { spoken = (spoken.energy + level * level * length, spoken.timeMs + length) }
      pauses.observe(level, comes: comes, from: earlier.timeMs, to: sample.timeMs)
      return microphone.observe(level, comes: comes, from: earlier.timeMs, to: sample.timeMs)
    }
    if comes { empty.received.observe(level, from: earlier.timeMs, to: sample.timeMs) }
    farEnd.observe(level, comes: comes, from: earlier.timeMs, to: sample.timeMs)
    if comes { received = (received.energy + level * level * length, received.timeMs + length) }
  }

  /// Mean level between two reports, from the energy counter or, without one, from the level gauge.
  static func level(_ earlier: SampleView, _ later: SampleView) -> Double? {
    if let before = earlier[.totalAudioEnergy], let after = later[.totalAudioEnergy] {
      let played = (later[.totalSamplesDurationMs] ?? 0) - (earlier[.totalSamplesDurationMs] ?? 0)
      let span = played > 0 ? played : later.timeMs - earlier.timeMs
      return (max(0, after - before) / (span / 1000)).squareRoot()
    }
    return later[.audioLevel]
  }

  mutating func findings(_ context: FindingContext) -> [Finding] {
    farEnd.finish()
    microphone.finish()
    pauses.finish()
    var findings: [Finding] = []
    func evidence(_ span: (start: Double, end: Double), _ empty: DigitalSilence) -> Evidence {
      let emptyMs = empty.covered(from: span.start, to: span.end)
      return Evidence().with("silent_ms", span.end - span.start).with(
        "level_threshold", Threshold.silentLevel.value
      ).with("digital_silence_ms", emptyMs > 0 ? emptyMs : nil)
    }
    let noSoundAtAll =
      received.timeMs >= Threshold.wholeSilent.value
      && (received.energy / received.timeMs).squareRoot() < Threshold.silentLevel.value
    let hidden = HiddenPlayout(context.events)
    for span in farEnd.spans where !context.quietTimes.hasMost(of: span) {
      if let unseen = hidden.finding(insteadOf: span) {
        findings.append(unseen)
        continue
      }
      var finding = Finding(
        noSoundAtAll ? .oneWayAudio : .farEndSilent, noSoundAtAll ? .error : .info, from: span.start,
        to: span.end, evidence(span, empty.received),
        noSoundAtAll
          ? "Packets of sound arrive, and not one of them can be heard"
            + (received.energy == 0 ? ": they hold nothing at all, or are played muted." : ".")
          : "The far end cannot be heard for \(seconds(span.end - span.start)), though its packets arrive.")
      finding.missing = noSoundAtAll && received.energy == 0 ? .level : .voice
      findings.append(finding)
    }
    let muted = mutedTimes(context.events)
    for span in microphone.spans where !context.quietTimes.hasMost(of: span) && !muted.hasMost(of: span) {
      findings.append(
        Finding(
          .micSilent, .warning, from: span.start, to: span.end, evidence(span, empty.sent),
          "This end's microphone gives silence for \(seconds(span.end - span.start)); no event says that it muted itself."
        ))
    }
    return findings
  }
}

/// When audio was digital silence: a microphone in the quietest room gives more than nothing.
struct DigitalSilence {
  private static let joinedMs = 10.0

  private var spans: [(start: Double, end: Double)] = []

  mutating func observe(_ level: Double, from start: Double, to end: Double) {
    guard level < Threshold.digitalSilenceLevel.value else { return }
    if let last = spans.last, start <= last.end + Self.joinedMs {
      spans[spans.count - 1].end = max(last.end, end)
    } else if spans.count < Hysteresis.maxKept {
      spans.append((start, end))
    }
  }

  func covered(from start: Double, to end: Double) -> Double {
    SpanSet(spans).covered(from: start, to: end)
  }
}
