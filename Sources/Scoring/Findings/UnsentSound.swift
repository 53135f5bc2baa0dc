import CallModel

/// Sound of this end that is not sent: there is a stream for it, and it counts no packet.
struct UnsentSoundDetector {
  /// A time in which a stream counted no packet.
  private struct Run {
    var startMs: Double
    var endMs: Double
    /// At the microphone: squared level times time, and the time of which it is known.
    var energy = 0.0
    var levelMs = 0.0
    /// Whether the stream was said to be switched off (`active`).
    var isOff = false

    var lengthMs: Double { endMs - startMs }
    /// Mean level at the microphone (1 = full scale); nil where it is not known for most of the time.
    var level: Double? { levelMs > lengthMs / 2 ? (energy / levelMs).squareRoot() : nil }
  }

  /// Shorter times are pauses of speech for a codec that sends nothing in them, ms.
  private static let leastMs = SilentLevelDetector.silentForMs

  private var running: [Int: Run] = [:]
  private var ended: [Run] = []
  /// When any stream of sound was sent.
  private var sent: [(start: Double, end: Double)] = []

  /// Takes a sample and the one before it.
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
    } else if sent.count < Hysteresis.mostKept {
      sent.append((start, end))
    }
  }

  private mutating func end(_ stream: Int) {
    guard let run = running.removeValue(forKey: stream), run.lengthMs >= Self.leastMs,
      ended.count < Hysteresis.mostKept
    else { return }
    ended.append(run)
  }

  mutating func findings(_ context: FindingContext) -> [Finding] {
    for stream in running.keys.sorted() { end(stream) }
    let others = SpanSet(sent)
    let muted = mutedTimes(context.events)
    var toldUntilMs = -Double.infinity
    var findings: [Finding] = []
    for run in ended.sorted(by: { ($0.startMs, $1.endMs) < ($1.startMs, $0.endMs) }) {
      let span = (start: run.startMs, end: run.endMs)
      guard !run.isOff, others.covered(from: span.start, to: span.end) < run.lengthMs / 2,
        run.startMs >= toldUntilMs,
        !context.quietTimes.hasMost(of: span), !muted.hasMost(of: span)
      else { continue }
      let isHeard = run.level.map { $0 >= SilentLevelDetector.silentLevel }
      // Of a pause of speech some codecs send nothing.
      guard isHeard != false || sent.isEmpty else { continue }
      toldUntilMs = run.endMs
      findings.append(finding(run, isHeard: isHeard == true))
    }
    return findings
  }

  private func finding(_ run: Run, isHeard: Bool) -> Finding {
    let length = seconds(run.lengthMs)
    return Finding(
      // In the middle of a call it may be a hold of which nobody tells.
      "sound-not-sent", isHeard && sent.isEmpty ? .warning : .info, from: run.startMs, to: run.endMs,
      Evidence().with("not_sent_ms", run.lengthMs).with("microphone_level", run.level)
        .with("sent_packets", sent.isEmpty ? 0 : nil),
      isHeard
        ? "This end sent no sound for \(length), though its microphone could be heard; no event says that it muted itself."
        : "This end sent no sound for \(length)\(run.level == nil ? "" : ", and its microphone could not be heard")."
    )
  }
}
