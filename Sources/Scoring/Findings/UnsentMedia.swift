import CallModel

/// What an end did not send, by its own statistics or a capture on its machine: that it is missing elsewhere is no fault of the way there.
public struct UnsentMedia: Sendable {
  /// Times without a packet of sound, and of a picture.
  public var sound: [QuietSpan] = []
  public var picture: [QuietSpan] = []
  /// Times in which packets of sound were sent that had silence in them.
  public var voice: [QuietSpan] = []
  /// Mean level of the sound that it did send (1 = full scale); nil where that is not known.
  public var spokenLevel: Double?

  /// Nothing is known to be left out.
  public init() {}

  /// The same on another clock.
  public func shifted(byMs offset: Double) -> UnsentMedia {
    func shifted(_ spans: [QuietSpan]) -> [QuietSpan] {
      spans.map { QuietSpan(startMs: $0.startMs + offset, endMs: $0.endMs + offset, kind: $0.kind) }
    }
    var other = UnsentMedia()
    (other.sound, other.picture, other.voice) = (shifted(sound), shifted(picture), shifted(voice))
    other.spokenLevel = spokenLevel
    return other
  }

  /// Sound that did not come, where nothing shows that any was sent.
  public static func unproven(_ finding: Finding) -> Finding {
    guard let start = finding.startMs, let end = finding.endMs else { return finding }
    return Finding(
      "far-end-silent", .info, from: start, to: end,
      Evidence().with("without_packets_ms", end - start).with("by", "no proof"),
      "No sound came for \(seconds(end - start)), and nothing shows that any was sent: neither a count of the sender nor a missing number."
    )
  }

  /// What an end of a call of two was found to miss, in the light of what this end did not send.
  public func explain(_ finding: Finding) -> Finding {
    guard let start = finding.startMs, let end = finding.endMs, end > start else { return finding }
    let length = seconds(end - start)
    func isNotSent(_ spans: [QuietSpan], _ kind: MediaKind = .audio) -> Bool {
      QuietTimes(spans).hasMost(of: (start: start, end: end), kind)
    }
    func told(_ code: String, _ text: String) -> Finding {
      Finding(
        code, .info, from: start, to: end,
        Evidence().with("not_sent_ms", end - start).with("by", "the sender"),
        text)
    }
    switch finding.code {
    case "video-paused" where isNotSent(picture, .video):
      return told(finding.code, "The picture stands still for \(length): the far end sent none.")
    case "one-way-audio" where [.voice, .level].contains(finding.missing) && isNotSent(voice):
      return told(
        "far-end-silent",
        "The far end cannot be heard for \(length): what it sends is silent at its own microphone already.")
    case "one-way-audio" where finding.missing == .level:
      guard let level = spokenLevel, level >= SilentLevelDetector.silentLevel else { return finding }
      // The level of a stream is taken behind its volume, and only of what an element plays.
      return Finding(
        finding.code, .warning, from: start, to: end,
        Evidence().with("silent_ms", end - start).with("sent_level", level),
        "The far end could be heard at its own microphone, and its packets arrive; but what is played of them here is silent: the element is muted or its volume 0, or the page plays sound by Web Audio, which statistics do not show."
      )
    case "one-way-audio" where finding.missing == .packets && isNotSent(sound):
      return told("far-end-silent", "The far end sent no sound for \(length), by what its own side recorded.")
    default: return finding
    }
  }
}

/// Silence in all streams of sound of one direction: it lasts while none of them can be heard.
struct SilentLevelDetector {
  /// Mean level (1 = full scale) below which nothing is heard: -60 dBFS.
  static let silentLevel = 0.001
  /// Silence shorter than this is a pause of speech, ms.
  static let silentForMs = 15_000.0

  private var silence: Hysteresis
  /// What the streams of one poll say together: from and to of the first of them.
  private var poll: (from: Double, to: Double, isSilent: Bool, isLoud: Bool)?
  private var loudUntilMs = -Double.infinity

  var spans: [(start: Double, end: Double)] { silence.spans }

  /// - Parameter lastingMs: how long it must last.
  init(lastingMs: Double = SilentLevelDetector.silentForMs) {
    silence = Hysteresis(onAfterMs: lastingMs, offAfterMs: 1000)
  }

  /// Takes the level of one stream; `comes`: whether packets carried it.
  mutating func observe(_ level: Double, comes: Bool, from: Double, to: Double) {
    let isSilent = level < Self.silentLevel
    observe(isSilent: comes && isSilent, isLoud: comes && !isSilent, from: from, to: to)
  }

  /// Takes whether one stream, of which packets came, was silent.
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

  /// Reports of one poll lie within this.
  private static func slack(_ from: Double, _ to: Double) -> Double {
    min(OneWayAudioDetector.pollMs, (to - from) / 2)
  }

  private mutating func settle() {
    guard let poll else { return }
    self.poll = nil
    // Streams that are polled by turns overlap: what was loud in one was not silence in the other.
    let wasLoud = loudUntilMs > poll.from + Self.slack(poll.from, poll.to) / 2
    silence.observe(poll.isSilent && !poll.isLoud && !wasLoud, from: poll.from, to: poll.to)
    if poll.isLoud { loudUntilMs = max(loudUntilMs, poll.to) }
  }
}
