import CallModel

/// What an end did not send, from its own statistics or a capture on its machine. If it is missing elsewhere, the
/// network is not to blame.
public struct UnsentMedia: Sendable {
  /// Periods without a packet of audio, and of video.
  public var sound: [QuietSpan] = []
  public var picture: [QuietSpan] = []
  /// Periods in which the audio packets sent contained silence.
  public var voice: [QuietSpan] = []
  /// Mean level of the audio that was sent (1 = full scale); nil if unknown.
  public var spokenLevel: Double?

  /// Creates a value without any period.
  public init() {}

  /// The same with its times shifted to another clock.
  public func shifted(byMs offset: Double) -> UnsentMedia {
    func shifted(_ spans: [QuietSpan]) -> [QuietSpan] {
      spans.map { QuietSpan(startMs: $0.startMs + offset, endMs: $0.endMs + offset, kind: $0.kind) }
    }
    var other = UnsentMedia()
    (other.sound, other.picture, other.voice) = (shifted(sound), shifted(picture), shifted(voice))
    other.spokenLevel = spokenLevel
    return other
  }

  /// The finding for audio that did not arrive, if nothing shows that any was sent.
  public static func unproven(_ finding: Finding) -> Finding {
    guard let start = finding.startMs, let end = finding.endMs else { return finding }
    return Finding(
      "far-end-silent", .info, from: start, to: end,
      Evidence().with("without_packets_ms", end - start).with("by", "no proof"),
      "No sound came for \(seconds(end - start)), and nothing shows that any was sent: neither a count of the sender nor a missing number."
    )
  }

  /// Adjusts a finding of the other end of a two-party call for what this end did not send.
  public func explain(_ finding: Finding) -> Finding {
    guard let start = finding.startMs, let end = finding.endMs, end > start else { return finding }
    let length = seconds(end - start)
    func isNotSent(_ spans: [QuietSpan], _ kind: MediaKind = .audio) -> Bool {
      QuietTimes(spans).hasMost(of: (start: start, end: end), kind)
    }
    func notSent(_ code: String, _ text: String) -> Finding {
      Finding(
        code, .info, from: start, to: end,
        Evidence().with("not_sent_ms", end - start).with("by", "the sender"),
        text)
    }
    switch finding.code {
    case "video-paused" where isNotSent(picture, .video):
      return notSent(finding.code, "The picture is frozen for \(length): the far end sent none.")
    case "one-way-audio" where [.voice, .level].contains(finding.missing) && isNotSent(voice):
      return notSent(
        "far-end-silent",
        "The far end cannot be heard for \(length): what it sends is silent at its own microphone already.")
    case "one-way-audio" where finding.missing == .level:
      guard let level = spokenLevel, level >= SilentLevelDetector.silentLevel else { return finding }
      // The level of an inbound stream is measured after its volume is applied, and only if an element plays it.
      return Finding(
        finding.code, .warning, from: start, to: end,
        Evidence().with("silent_ms", end - start).with("sent_level", level),
        "The far end could be heard at its own microphone, and its packets arrive; but what is played of them here is silent: the element is muted or its volume 0, or the page plays sound by Web Audio, which statistics do not show."
      )
    case "one-way-audio" where finding.missing == .packets && isNotSent(sound):
      return notSent(
        "far-end-silent", "The far end sent no sound for \(length), by what its own side recorded.")
    default: return finding
    }
  }
}

/// Detects silence over all audio streams of one direction: it lasts while none of them is audible.
struct SilentLevelDetector {
  /// Mean level (1 = full scale) below which audio is inaudible: -60 dBFS.
  static let silentLevel = 0.001
  /// Minimum length of silence, ms; anything shorter is a pause in speech.
  static let silentForMs = 15_000.0

  private var silence: Hysteresis
  /// The combined result of the streams of one poll, with the times of the first of them.
  private var poll: (from: Double, to: Double, isSilent: Bool, isLoud: Bool)?
  private var loudUntilMs = -Double.infinity

  var spans: [(start: Double, end: Double)] { silence.spans }

  /// - Parameter lastingMs: minimum length of the silence, ms.
  init(lastingMs: Double = SilentLevelDetector.silentForMs) {
    silence = Hysteresis(onAfterMs: lastingMs, offAfterMs: 1000)
  }

  /// Takes the level of one stream; `comes`: whether packets carried it.
  mutating func observe(_ level: Double, comes: Bool, from: Double, to: Double) {
    let isSilent = level < Self.silentLevel
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
