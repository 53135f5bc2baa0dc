import CallModel

/// Detects audio of this end that is not sent: a stream exists but counts no packet.
struct UnsentSoundDetector {
  /// A period in which a stream counted no packet.
  private struct Run {
    var startMs: Double
    var endMs: Double
    /// Microphone level: sum of squared level times duration, and the duration for which it is known.
    var energy = 0.0
    var levelMs = 0.0
    /// Whether the stream was reported as switched off (`active`).
    var isOff = false

    var lengthMs: Double { endMs - startMs }
    /// Mean microphone level (1 = full scale); nil if it is unknown for half of the time or more.
    var level: Double? { levelMs > lengthMs / 2 ? (energy / levelMs).squareRoot() : nil }
  }

  /// Minimum length, ms; anything shorter may be a speech pause of a codec that sends nothing in pauses.
  private static let minMs = SilentLevelDetector.silentForMs

  private var running: [Int: Run] = [:]
  private var ended: [Run] = []
  /// When any audio stream was sent.
  private var sent: [(start: Double, end: Double)] = []

  /// Takes a sample and its predecessor.
  mutating func see(_ sample: SampleView, after earlier: SampleView, of stream: Int, _ role: StreamRole) {
    guard role.source == .stats, role.direction == .outbound, role.kind == .audio,
      let before = earlier[.packets], let now = sample[.packets]
    else { return }
    if now != before { return send(from: earlier.timeMs, to: sample.timeMs, of: stream) }
    if let run = running[stream], run.endMs < earlier.timeMs { end(stream) }
    var run = running[stream] ?? Run(startMs: earlier.timeMs, endMs: sample.timeMs)
    run.endMs = sample.timeMs
    if sample[.active] == 0 { run.isOff = true }
    if let level = SilenceDetector.level(earlier, sample) {
      let length = sample.timeMs - earlier.timeMs
      run.energy += level * level * length
      run.levelMs += length
    }
    running[stream] = run
  }

  private mutating func send(from start: Double, to end: Double, of stream: Int) {
    self.end(stream)
    if let last = sent.last, start <= last.end {
      sent[sent.count - 1] = (min(last.start, start), max(last.end, end))
    } else if sent.count < Hysteresis.maxKept {
      sent.append((start, end))
    }
  }

  private mutating func end(_ stream: Int) {
    guard let run = running.removeValue(forKey: stream), run.lengthMs >= Self.minMs,
      ended.count < Hysteresis.maxKept
    else { return }
    ended.append(run)
  }

  mutating func findings(_ context: FindingContext) -> [Finding] {
    for stream in running.keys.sorted() { end(stream) }
    let others = SpanSet(sent)
    let muted = mutedTimes(context.events)
    var reportedUntilMs = -Double.infinity
    var findings: [Finding] = []
    for run in ended.sorted(by: { ($0.startMs, $1.endMs) < ($1.startMs, $0.endMs) }) {
      let span = (start: run.startMs, end: run.endMs)
      guard !run.isOff, others.covered(from: span.start, to: span.end) < run.lengthMs / 2,
        run.startMs >= reportedUntilMs,
        !context.quietTimes.hasMost(of: span), !muted.hasMost(of: span)
      else { continue }
      let isAudible = run.level.map { $0 >= SilentLevelDetector.silentLevel }
      // Some codecs send nothing during a pause in speech.
      guard isAudible != false || sent.isEmpty else { continue }
      reportedUntilMs = run.endMs
      findings.append(finding(run, isAudible: isAudible == true))
    }
    return findings
  }

  private func finding(_ run: Run, isAudible: Bool) -> Finding {
    let length = seconds(run.lengthMs)
    return Finding(
      // In the middle of a call it may be a hold that no event reports.
      "sound-not-sent", isAudible && sent.isEmpty ? .warning : .info, from: run.startMs, to: run.endMs,
      Evidence().with("not_sent_ms", run.lengthMs).with("microphone_level", run.level)
        .with("sent_packets", sent.isEmpty ? 0 : nil),
      isAudible
        ? "This end sent no sound for \(length), though its microphone could be heard; no event says that it muted itself."
        : "This end sent no sound for \(length)\(run.level == nil ? "" : ", and its microphone could not be heard")."
    )
  }
}
