import CallModel

/// What an end did not send, from its own statistics or a capture on its machine. If it is missing elsewhere, the
/// network is not to blame.
public struct UnsentMedia: Sendable {
  /// Periods without a packet of audio, and of video.
  public var sound: [QuietSpan] = []
  public var picture: [QuietSpan] = []
  /// Periods in which the audio packets sent contained silence.
  public var voice: [QuietSpan] = []
  /// The same with pauses in speech, from 5 s on.
  public var pauses: [QuietSpan] = []
  /// Mean level of the audio that was sent (1 = full scale); nil if unknown.
  public var spokenLevel: Double?

  /// Creates a value without any period.
  public init() {}

  /// The same with its times shifted to another clock.
  public func shifted(byMs offset: Double) -> UnsentMedia {
    func shifted(_ spans: [QuietSpan]) -> [QuietSpan] {
      spans.map { $0.shifted(byMs: offset) }
    }
    var other = UnsentMedia()
    (other.sound, other.picture) = (shifted(sound), shifted(picture))
    (other.voice, other.pauses) = (shifted(voice), shifted(pauses))
    other.spokenLevel = spokenLevel
    return other
  }

  /// The finding for audio that did not arrive, if nothing shows that any was sent.
  public static func unproven(_ finding: Finding) -> Finding {
    guard let start = finding.startMs, let end = finding.endMs else { return finding }
    return unproven(from: start, to: end, lengthMs: end - start)
  }

  /// The finding for a time without audio, if nothing shows that any was sent.
  public static func unproven(from start: Double, to end: Double, lengthMs: Double) -> Finding {
    Finding(
      .farEndSilent, .info, from: start, to: end,
      Evidence().with("without_packets_ms", lengthMs).with("by", "no proof"),
      "No sound came for \(seconds(end - start)), and nothing shows that any was sent: neither a count of the sender nor a missing number."
    )
  }

  /// The finding for a picture that stood still while others moved.
  public static func besideOthers(_ finding: Finding) -> Finding {
    guard let start = finding.startMs, let end = finding.endMs else { return finding }
    return Finding(
      .videoPaused, .info, from: start, to: end, finding.evidence,
      "One of several pictures stood still for \(seconds(end - start)) while others moved, as when a camera is off or a server stops forwarding it."
    )
  }

  /// Adjusts a finding of the other end of a two-party call for what this end did not send.
  public func explain(_ finding: Finding) -> Finding {
    guard let start = finding.startMs, let end = finding.endMs, end > start else { return finding }
    let length = seconds(end - start)
    func isNotSent(_ spans: [QuietSpan], _ kind: MediaKind = .audio) -> Bool {
      QuietTimes(spans).hasMost(of: (start: start, end: end), kind)
    }
    func notSent(_ code: FindingCode, _ text: String) -> Finding {
      Finding(
        code, .info, from: start, to: end,
        Evidence().with("not_sent_ms", end - start).with("by", "the sender"),
        text)
    }
    switch finding.code {
    case .videoPaused where isNotSent(picture, .video):
      return notSent(.videoPaused, "The picture is frozen for \(length): the far end sent none.")
    case .oneWayAudio where [.voice, .level].contains(finding.missing) && isNotSent(voice):
      var silent = notSent(
        .farEndSilent,
        "The far end cannot be heard for \(length): what it sends is silent at its own microphone already.")
      silent.evidence = silent.evidence.with("cause", Verdict.Reason.silentSource.rawValue)
      return silent
    case .oneWayAudio where finding.missing == .level:
      guard let level = spokenLevel, level >= Threshold.silentLevel.value else { return finding }
      // The level of an inbound stream is measured after its volume is applied, and only if an element plays it.
      return Finding(
        .oneWayAudio, .warning, from: start, to: end,
        Evidence().with("silent_ms", end - start).with("sent_level", level),
        "The far end could be heard at its own microphone, and its packets arrive; but what is played of them here is silent: the element is muted or its volume 0, or the page plays sound by Web Audio, which statistics do not show."
      )
    case .oneWayAudio where finding.missing == .packets && isNotSent(sound):
      return notSent(
        .farEndSilent, "The far end sent no sound for \(length), by what its own side recorded.")
    default: return finding
    }
  }
}

/// Detects silence over all audio streams of one direction: it lasts while none of them is audible.
struct SilentLevelDetector {
  private var silence: Hysteresis
  /// The combined result of the streams of one poll, with the times of the first of them.
  private var poll: (from: Double, to: Double, isSilent: Bool, isLoud: Bool)?
  private var loudUntilMs = -Double.infinity

  var spans: [(start: Double, end: Double)] { silence.spans }

  /// - Parameter lastingMs: minimum length of the silence, ms.
  init(lastingMs: Double = Threshold.silence.value) {
    silence = Hysteresis(onAfterMs: lastingMs, offAfterMs: 1000)
  }

  /// Takes the level of one stream; `comes`: whether packets carried it.
  mutating func observe(_ level: Double, comes: Bool, from: Double, to: Double) {
    let isSilent = level < Threshold.silentLevel.value
    observe(isSilent: comes && isSilent, isLoud: comes && !isSilent, from: from, to: to)
  }

  /// Takes whether one stream of which packets arrived was silent.
  mutating func observe(isSilent: Bool, from: Double, to: Double) {
    observe(isSilent: isSilent, isLoud: !isSilent, from: from, to: to)
  }

  private mutating func observe(isSilent: Bool, isLoud: Bool, from: Double, to: Double) {
    if let poll, to > poll.to + Self.slack(poll.from, poll.to) { settle() }
    let first = poll ?? (from, to, false, false)
    poll = (first.from, first.to, first.isSilent || isSilent, first.isLoud || isLoud)
  }

  mutating func finish() {
    settle()
    silence.finish()
  }

  /// Maximum time between the reports of one poll, ms.
  private static func slack(_ from: Double, _ to: Double) -> Double {
    min(OneWayAudioDetector.pollMs, (to - from) / 2)
  }

  private mutating func settle() {
    guard let poll else { return }
    self.poll = nil
    // Streams that are polled alternately overlap: a period is not silent if another stream was audible in it.
    let wasLoud = loudUntilMs > poll.from + Self.slack(poll.from, poll.to) / 2
    silence.observe(poll.isSilent && !poll.isLoud && !wasLoud, from: poll.from, to: poll.to)
    if poll.isLoud { loudUntilMs = max(loudUntilMs, poll.to) }
  }
}

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
    guard let run = running.removeValue(forKey: stream), run.lengthMs >= Threshold.silence.value,
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
      let isAudible = run.level.map { $0 >= Threshold.silentLevel.value }
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
      .soundNotSent, isAudible && sent.isEmpty ? .warning : .info, from: run.startMs, to: run.endMs,
      Evidence().with("not_sent_ms", run.lengthMs).with("microphone_level", run.level)
        .with("sent_packets", sent.isEmpty ? 0 : nil),
      isAudible
        ? "This end sent no sound for \(length), though its microphone could be heard; no event says that it muted itself."
        : "This end sent no sound for \(length)\(run.level == nil ? "" : ", and its microphone could not be heard")."
    )
  }
}

/// Periods in which a capture on an end's own machine has no packet of a medium that this end sent. A capture soon
/// stops sampling a silent stream, so pauses are derived from the packets before and after them.
struct CapturedPauses {
  /// Interval between samples of a capture, ms.
  private static let sampledMs = 1000.0

  private struct Medium {
    var lastMs: Double?
    var spans: [(start: Double, end: Double)] = []

    mutating func pause(until timeMs: Double) {
      guard let last = lastMs, timeMs - last >= Threshold.noSound.value,
        spans.count < Hysteresis.maxKept
      else {
        return
      }
      spans.append((last, timeMs))
    }
  }

  private var sound = Medium()
  private var picture = Medium()
  private var latestMs = -Double.infinity

  /// Takes a sample and its predecessor.
  mutating func see(_ sample: SampleView, after earlier: SampleView, _ role: StreamRole) {
    latestMs = max(latestMs, sample.timeMs)
    guard role.direction == .outbound, let kind = role.kind, let before = earlier[.packets],
      let now = sample[.packets]
    else { return }
    var medium = kind == .audio ? sound : picture
    if now > before {
      medium.pause(until: max(earlier.timeMs, sample.timeMs - Self.sampledMs))
      let last = sample.lastPacketTime(after: earlier.timeMs) ?? sample.timeMs
      medium.lastMs = max(medium.lastMs ?? last, last)
    } else if medium.lastMs == nil, before > 0 {
      medium.lastMs = earlier.timeMs
    }
    if kind == .audio { sound = medium } else { picture = medium }
  }

  /// Closes open pauses at the end of the recording.
  mutating func finish() {
    sound.pause(until: latestMs)
    picture.pause(until: latestMs)
  }

  /// Periods without a packet of the given medium.
  func spans(_ kind: MediaKind) -> [(start: Double, end: Double)] {
    kind == .audio ? sound.spans : picture.spans
  }
}
