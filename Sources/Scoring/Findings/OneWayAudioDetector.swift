import CallModel

/// Detects that audio is not received while everything else seems to work.
struct OneWayAudioDetector {
  /// Maximum time between the reports of one poll, ms.
  static let pollMs = 1000.0
  /// Maximum interruption in sending that does not count as a break, ms.
  private static let unbrokenMs = 2000.0

  private(set) var media = MediaActivity()
  private var oneWay = Hysteresis(onAfterMs: Threshold.noSoundGoesOn.value, offAfterMs: 2000)
  /// Periods in which audio was sent and that are not yet judged.
  private var unjudged: [(from: Double, to: Double)] = []
  private var lastSoundMs: Double?
  /// The current period of sending audio without a break.
  private var sending: (since: Double, until: Double)?
  private var firstSentMs: Double?
  /// End of the last period without reports; what arrived in it is unknown.
  private var unseenUntilMs = -Double.infinity
  /// When statistics reported an inbound audio stream: its report disappears when the participant leaves.
  private var reported: [(start: Double, end: Double)] = []
  private static let maxReported = 1000
  /// What captures of this end have of the far end; nil without a capture.
  private var farEnd: FarEndAbsence?

  /// Since when a capture has nothing at all from the far end; nil without a capture, or if the far end never sent
  /// anything besides media.
  var absentSinceMs: Double? { farEnd.flatMap { $0.sendsNonMedia ? $0.lastArrivalMs : nil } }

  mutating func addStream(_ role: StreamRole) {
    media.addStream(role)
    if role.source == .capture, farEnd == nil { farEnd = FarEndAbsence() }
  }

  mutating func see(_ sample: TransportSample, after earlier: TransportSample?) {
    media.see(sample, after: earlier)
    // A capture has a transport sample when something from the far end arrived.
    if sample.bytesReceived == nil { farEnd?.received(at: sample.timeMs, isNonMedia: true) }
  }

  /// Records that nothing was reported for a long time until now.
  mutating func missed(until timeMs: Double) {
    judgeSent(before: .infinity)
    unseenUntilMs = timeMs
  }

  /// Takes the first sample of a stream.
  mutating func see(first sample: SampleView, _ role: StreamRole) {
    judgeSent(before: sample.timeMs)
    if role.direction != .outbound, FirstMedia.has(sample) {
      received(role, last: media.began(sample, role, empty: nil))
    }
    media.reported(at: sample.timeMs)
  }

  /// Takes a sample and its predecessor.
  mutating func see(_ sample: SampleView, after earlier: SampleView, _ role: StreamRole) {
    judgeSent(before: sample.timeMs)
    media.reported(at: sample.timeMs)
    if role.direction != .outbound, role.kind == .audio, role.source == .stats {
      report(from: earlier.timeMs, to: sample.timeMs)
    }
    let packets = sample.grown(after: earlier)
    if role.direction == .outbound {
      if packets > 0 { sent(role, from: earlier.timeMs, to: sample.timeMs) }
    } else if packets > 0 {
      let isFirst = !FirstMedia.has(earlier)
      received(
        role,
        last: isFirst
          ? media.began(sample, role, empty: earlier.timeMs) : media.received(sample, after: earlier))
    }
  }

  private mutating func report(from start: Double, to end: Double) {
    if let last = reported.last, start <= last.end {
      reported[reported.count - 1].end = max(last.end, end)
    } else if reported.count < Self.maxReported {
      reported.append((start, end))
    }
  }

  /// The longest part of a period in which an audio stream was reported; the whole period if none ever was.
  private func reportedPart(of span: (start: Double, end: Double)) -> (start: Double, end: Double)? {
    guard !reported.isEmpty, reported.count < Self.maxReported else { return span }
    let part = SpanSet(reported).clipped(to: span.start, span.end).max {
      $0.end - $0.start < $1.end - $1.start
    }
    return part.flatMap { $0.end - $0.start >= Threshold.noSound.value ? $0 : nil }
  }

  private mutating func received(_ role: StreamRole, last: Double) {
    farEnd?.received(at: last)
    if role.kind == .audio { lastSoundMs = max(lastSoundMs ?? last, last) }
  }

  private mutating func sent(_ role: StreamRole, from: Double, to: Double) {
    media.sentMs = to
    guard role.kind == .audio else { return }
    unjudged.append((from, to))
  }

  /// Judges sent audio once no report of the same poll can follow: inbound reports may come after outbound ones.
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
    let isUnbroken = sending.map { from - $0.until <= Self.unbrokenMs } ?? false
    let sendingSince = isUnbroken ? sending?.since ?? from : from
    sending = (sendingSince, to)
    firstSentMs = firstSentMs ?? from
    let quietSince = max(lastSoundMs ?? firstSentMs ?? from, unseenUntilMs)
    let alive =
      !media.countsPath || (media.lastReceivedMs.map { to - $0 < Threshold.pathHeard.value } ?? false)
    oneWay.observe(
      alive && to - quietSince >= Threshold.noSound.value, from: max(from, quietSince),
      to: max(to, quietSince),
      began: max(quietSince, sendingSince))
  }

  mutating func findings(_ context: FindingContext, _ reception: Reception) -> [Finding] {
    judgeSent(before: .infinity)
    oneWay.finish()
    // What the ends agreed on decides, unless sound came anyway.
    guard reception.sound || media.receivesSound && (!reception.isDescribed || lastSoundMs != nil) else {
      return []
    }
    func proven(_ proof: UnsentSpan.Proof) -> QuietTimes {
      QuietTimes(
        context.unsent.filter { $0.proof == proof && $0.endMs - $0.startMs >= Threshold.noSound.value }.map {
          QuietSpan(startMs: $0.startMs, endMs: $0.endMs)
        })
    }
    let (byNumbers, byCount) = (proven(.sequenceNumbers), proven(.senderReports))
    let absence = farEnd?.times(until: media.lastReportMs) ?? QuietTimes()
    let works = farEnd.map(\.sendsNonMedia) ?? media.countsPath ? ", over a path that works." : "."
    return oneWay.spans.filter { !context.quietTimes.hasMost(of: $0) }.compactMap { whole in
      // Time on hold does not count.
      guard let span = context.quietTimes.longestFree(of: whole).flatMap(reportedPart) else { return nil }
      if byNumbers.hasMost(of: span) {
        return Self.unsent(span, "sequence numbers", "no number of its packets is missing")
      }
      if byCount.hasMost(of: span) {
        return Self.unsent(span, "sender reports", "by its own count it sent no packet that did not come")
      }
      // If nothing at all arrived, it is not audio alone that is missing.
      if absence.hasMost(of: span) { return nil }
      var finding = Finding(
        .oneWayAudio, .error, from: span.start, to: span.end,
        Evidence().with("without_packets_ms", span.end - span.start).with(
          "threshold_ms", Threshold.noSound.value),
        "Sound is sent but none is received for \(seconds(span.end - span.start))\(works)")
      finding.missing = .packets
      return finding
    }
  }

  private static func unsent(_ span: (start: Double, end: Double), _ by: String, _ why: String) -> Finding {
    Finding(
      .farEndSilent, .info, from: span.start, to: span.end,
      Evidence().with("not_sent_ms", span.end - span.start).with("by", by),
      "The far end sent no sound for \(seconds(span.end - span.start)): \(why).")
  }
}

/// The media activity of an end, for the audio and connection rules.
struct MediaActivity {
  /// Whether any inbound stream, and any inbound audio stream, was reported, even if empty.
  private(set) var receives = false
  private(set) var receivesSound = false
  private(set) var lastInboundMs: Double?
  private(set) var lastReportMs: Double?
  var sentMs: Double?
  /// When anything was last received, by the transport's own counter.
  private(set) var lastReceivedMs: Double?
  private(set) var countsPath = false
  private var beganMs: Double?
  private var beganUnseen = false

  /// When the first packet arrived; nil if none did, or if a stream was well under way when it was first reported.
  var firstInboundMs: Double? { beganUnseen ? nil : beganMs }

  /// Records that a stream exists.
  mutating func addStream(_ role: StreamRole) {
    guard role.direction != .outbound else { return }
    receives = true
    if role.kind != .video { receivesSound = true }
  }

  /// Takes a sample of a transport and its predecessor on the same connection.
  mutating func see(_ sample: TransportSample, after earlier: TransportSample?) {
    guard let bytes = sample.bytesReceived else { return }
    countsPath = true
    guard let earlier, earlier.countsOn(to: sample) else { return }
    // Answers to checks are not among the bytes, and prove that the path works.
    let isAnswered = sample.responsesReceived ?? 0 > earlier.responsesReceived ?? .infinity
    if isAnswered || bytes > earlier.bytesReceived ?? bytes { lastReceivedMs = sample.timeMs }
  }

  /// Takes the first report of a stream that counts media; returns when its last packet arrived.
  ///
  /// - Parameter empty: time of the previous report, which counted none; nil if this is the first report of the stream.
  mutating func began(_ sample: SampleView, _ role: StreamRole, empty: Double?) -> Double {
    let first = FirstMedia.time(sample, kind: role.kind ?? .video, previous: empty)
    if empty == nil, !isPaced(sample, role, since: first) { beganUnseen = true }
    beganMs = min(beganMs ?? .infinity, first)
    return received(at: LastPacket.first(sample, previous: empty) ?? sample.timeMs)
  }

  /// Whether the first report of a stream shows when it began: it counts little media, at a known pace.
  private func isPaced(_ sample: SampleView, _ role: StreamRole, since first: Double) -> Bool {
    if role.source == .capture { return true }  // A capture counts from the first packet it saw.
    guard sample.timeMs - first <= Threshold.unseenMedia.value else { return false }
    guard role.kind == .audio else { return sample[.interFrameDelayMs] != nil }
    // If the recording starts with this stream, a low packet count may hide a long DTX silence.
    guard lastReportMs == nil || lastReportMs == sample.timeMs, let played = sample[.totalSamplesDurationMs]
    else { return true }
    return played <= Threshold.unseenMedia.value
  }

  /// Takes a report that counts more than its predecessor; returns when its last packet arrived.
  mutating func received(_ sample: SampleView, after earlier: SampleView) -> Double {
    received(at: sample.lastPacketTime(after: earlier.timeMs) ?? sample.timeMs)
  }

  private mutating func received(at last: Double) -> Double {
    lastInboundMs = max(lastInboundMs ?? last, last)
    return last
  }

  mutating func reported(at timeMs: Double) { lastReportMs = max(lastReportMs ?? timeMs, timeMs) }
}
