import CallModel

/// Sound that does not come, or comes silent, while everything else seems well.
struct SoundWatch {
  /// Without a packet for this long sound is missing, ms.
  static let missingMs = 3000.0
  /// Mean level (1 = full scale) below which nothing is heard: -60 dBFS.
  static let silentLevel = 0.001
  /// Silence shorter than this is a pause of speech, ms.
  static let silentForMs = 15_000.0
  /// A call in which nothing at all was heard for this long is one-way, ms.
  static let wholeSilentMs = 10_000.0
  /// Reports of one poll lie within this, ms.
  private static let pollMs = 1000.0

  /// What was seen of media, for the rules on the connection.
  struct Media {
    var firstInboundMs: Double?
    var lastInboundMs: Double?
    var firstReportMs: Double?
    var lastReportMs: Double?
    var sentMs: Double?
    /// When anything at all was last received, by the path's own count.
    var lastHeardMs: Double?
    var countsPath = false
    /// Whether any stream is received, and whether any of sound is: reported, though perhaps empty.
    var receives = false
    var receivesSound = false
  }

  private(set) var media = Media()
  private var oneWay = Spell(onAfterMs: 5000, offAfterMs: 2000)
  private var farSilent = Spell(onAfterMs: SoundWatch.silentForMs, offAfterMs: 1000)
  private var micSilent = Spell(onAfterMs: SoundWatch.silentForMs, offAfterMs: 1000)
  /// When sound was sent, from and to, as long as it is not judged.
  private var unjudged: [(from: Double, to: Double)] = []
  private var lastSoundMs: Double?
  private var firstSentMs: Double?
  private var transport: TransportSample?
  private var heard = (energy: 0.0, time: 0.0, known: false)

  /// Takes note that there is such a stream.
  mutating func addStream(_ role: StreamRole) {
    guard role.direction != .outbound else { return }
    media.receives = true
    if role.kind != .video { media.receivesSound = true }
  }

  mutating func see(_ sample: TransportSample) {
    if let bytes = sample.bytesReceived {
      media.countsPath = true
      if let before = transport?.bytesReceived, bytes > before { media.lastHeardMs = sample.timeMs }
    }
    transport = sample
  }

  /// Takes a sample that no earlier one of its stream stands before.
  mutating func see(first sample: SampleView, _ role: StreamRole) {
    reported(at: sample.timeMs)
    if role.direction != .outbound, FirstMedia.has(sample) {
      received(role, from: sample.timeMs, last: LastPacket.first(sample, previous: nil) ?? sample.timeMs)
    }
  }

  private mutating func reported(at timeMs: Double) {
    judgeSent(before: timeMs)
    media.firstReportMs = min(media.firstReportMs ?? timeMs, timeMs)
    media.lastReportMs = max(media.lastReportMs ?? timeMs, timeMs)
  }

  /// Takes a sample and the one before it.
  mutating func see(_ sample: SampleView, after earlier: SampleView, _ role: StreamRole) {
    reported(at: sample.timeMs)
    let packets = max(0, (sample[.packets] ?? 0) - (earlier[.packets] ?? 0))
    if role.direction == .outbound {
      if packets > 0 { sent(role, from: earlier.timeMs, to: sample.timeMs) }
      guard role.kind == .audio, let level = Self.level(earlier, sample) else { return }
      micSilent.observe(packets > 0 && level < Self.silentLevel, from: earlier.timeMs, to: sample.timeMs)
      return
    }
    if packets > 0 {
      received(
        role, from: earlier.timeMs, last: sample.lastPacketTime(after: earlier.timeMs) ?? sample.timeMs)
    }
    guard role.kind == .audio, let level = Self.level(earlier, sample) else { return }
    farSilent.observe(packets > 0 && level < Self.silentLevel, from: earlier.timeMs, to: sample.timeMs)
    guard packets > 0 else { return }
    heard.known = true
    heard.energy += level * level * (sample.timeMs - earlier.timeMs)
    heard.time += sample.timeMs - earlier.timeMs
  }

  private mutating func received(_ role: StreamRole, from earlier: Double, last: Double) {
    media.firstInboundMs = min(media.firstInboundMs ?? .infinity, max(min(earlier, last), -.infinity))
    media.lastInboundMs = max(media.lastInboundMs ?? last, last)
    if role.kind == .audio { lastSoundMs = max(lastSoundMs ?? last, last) }
  }

  private mutating func sent(_ role: StreamRole, from: Double, to: Double) {
    media.sentMs = to
    guard role.kind == .audio else { return }
    firstSentMs = firstSentMs ?? from
    unjudged.append((from, to))
  }

  /// Judges what was sent until nothing of the same poll can follow: what was received meanwhile may be reported after it.
  private mutating func judgeSent(before timeMs: Double) {
    var judged = 0
    while judged < unjudged.count {
      let (from, to) = unjudged[judged]
      guard timeMs > to + min(Self.pollMs, (to - from) / 2) else { break }
      judge(from, to)
      judged += 1
    }
    if judged > 0 { unjudged.removeFirst(judged) }
  }

  private mutating func judge(_ from: Double, _ to: Double) {
    let quietSince = lastSoundMs ?? firstSentMs ?? from
    let alive = !media.countsPath || (media.lastHeardMs.map { to - $0 < 2500 } ?? false)
    oneWay.observe(alive && to - quietSince >= Self.missingMs, from: max(from, quietSince), to: to)
  }

  /// Mean level from one report to the next; the gauge where no energy is counted.
  private static func level(_ earlier: SampleView, _ later: SampleView) -> Double? {
    if let before = earlier[.totalAudioEnergy], let after = later[.totalAudioEnergy] {
      let played = (later[.totalSamplesDurationMs] ?? 0) - (earlier[.totalSamplesDurationMs] ?? 0)
      let span = played > 0 ? played : later.timeMs - earlier.timeMs
      return (max(0, after - before) / (span / 1000)).squareRoot()
    }
    return later[.audioLevel]
  }

  mutating func findings(_ context: FindingContext, _ reception: Reception) -> [Finding] {
    judgeSent(before: .infinity)
    oneWay.finish()
    farSilent.finish()
    micSilent.finish()
    let muted = mutedSpans(context.events)
    var findings: [Finding] = []
    let noSoundAtAll =
      heard.known && heard.time >= Self.wholeSilentMs
      && (heard.energy / heard.time).squareRoot() < Self.silentLevel
    let isToHear = media.receivesSound || reception.sound
    for span in oneWay.spans where isToHear && !isQuiet(span, context.quiet) {
      findings.append(
        Finding(
          "one-way-audio", .error, from: span.start, to: span.end,
          Evidence().with("without_packets_ms", span.end - span.start).with("threshold_ms", Self.missingMs),
          "Sound is sent but none is received for \(seconds(span.end - span.start)), over a path that works.")
      )
    }
    for span in farSilent.spans where !isQuiet(span, context.quiet) {
      findings.append(
        Finding(
          noSoundAtAll ? "one-way-audio" : "far-end-silent", noSoundAtAll ? .error : .info, from: span.start,
          to: span.end,
          Evidence().with("silent_ms", span.end - span.start).with("level_threshold", Self.silentLevel),
          noSoundAtAll
            ? "Packets of sound arrive, and not one of them can be heard."
            : "The far end cannot be heard for \(seconds(span.end - span.start)), though its packets arrive.")
      )
    }
    for span in micSilent.spans where !isQuiet(span, context.quiet) && !isQuiet(span, muted) {
      findings.append(
        Finding(
          "mic-silent", .warning, from: span.start, to: span.end,
          Evidence().with("silent_ms", span.end - span.start).with("level_threshold", Self.silentLevel),
          "This end's microphone gives silence for \(seconds(span.end - span.start)), and nobody muted it."))
    }
    return findings
  }
}

/// Whether more than half of a span is meant to be quiet.
func isQuiet(_ span: (start: Double, end: Double), _ quiet: [QuietSpan]) -> Bool {
  let covered = quiet.filter { $0.kind != .video }
    .reduce(0.0) { $0 + max(0, min(span.end, $1.endMs) - max(span.start, $1.startMs)) }
  return covered > (span.end - span.start) / 2
}

/// Times in which this end muted itself.
func mutedSpans(_ events: [EventRecord]) -> [QuietSpan] {
  var spans: [QuietSpan] = []
  var since: Double?
  for event in events {
    guard let time = event.timeMs else { continue }
    if event.event == "call.muted" { since = since ?? time }
    if event.event == "call.unmuted", let start = since {
      spans.append(QuietSpan(startMs: start, endMs: time))
      since = nil
    }
  }
  if let since { spans.append(QuietSpan(startMs: since)) }
  return spans
}
