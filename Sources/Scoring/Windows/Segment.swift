import CallModel
import Glibc

/// The time between two consecutive samples of a stream, and the growth of its counters.
struct Segment {
  var from: Double
  var to: Double
  var growth: CounterDeltas
  /// Total length and number of freezes and pauses that ended in it.
  var frozenMs: Double
  var freezes: Double
  /// The part of them that the source counts as pauses.
  var pausedMs: Double
  var pauses: Double
  /// When the last packet before its start, and before its end, arrived, if known.
  var lastPacketBefore: Double?
  var lastPacketAfter: Double?
  /// What last arrived from the far end by another stream or the transport, clearly before the end of the segment.
  var elsewhere: LastActivity.Arrival?
  /// The packet count of the far end's sender report received in this time, and when it arrived.
  var senderReport: (timeMs: Double, packets: Double)?
  /// Video packets requested again (NACK).
  var nacked: Double
  /// Audio per packet, ms.
  var packetMs = FirstMedia.packetMs
  /// Mean power of the audio, 1 = full scale; nil if the source does not say.
  var power: Double?
  /// Gauges of the later sample.
  var jitterMs: Double?
  var bufferMs: Double?
  /// How much longer audio was buffered than the network requires, ms; nil if the source does not say.
  var heldMs: Double?
  var currentDelayMs: Double?
  var expandRate: Double?
  var restoredRate: Double?
  var accelerateRate: Double?
  var decelerateRate: Double?
  var pixels: Double?
  var height: Double?
  var frameRate: Double?
  /// Age of the media played out at each report, ms: time since its capture by the sender's clock; nil if unknown.
  var playoutDelays: (before: Double?, after: Double?)
  /// Whether the time of playout stands still though frames were decoded.
  var isPlayoutStale: Bool
  /// Mean delay of the audio device, ms; nil if the source does not say.
  var deviceMs: Double?

  /// The change from one sample to the next, without the fields that need earlier samples.
  init(from earlier: SampleView, to later: SampleView) {
    from = earlier.timeMs
    to = later.timeMs
    growth = CounterDeltas.growth(from: earlier, to: later)
    func grown(_ metric: Metric, _ earlier: SampleView, _ later: SampleView) -> Double {
      max(0, (later[metric] ?? 0) - (earlier[metric] ?? later[metric] ?? 0))
    }
    pausedMs = grown(.pauseMs, earlier, later)
    pauses = grown(.pauseCount, earlier, later)
    frozenMs = grown(.freezeMs, earlier, later) + pausedMs
    freezes = grown(.freezeCount, earlier, later) + pauses
    nacked = grown(.nack, earlier, later)
    if let sent = later[.farPackets], let time = later[.farPacketsMs], time != earlier[.farPacketsMs],
      time >= from - SampleView.packetTolerance, time <= to + SampleView.packetTolerance
    {
      senderReport = (min(max(time, from), to), sent)
    }
    power = Self.power(from: earlier, to: later)
    jitterMs = later[.jitterMs]
    bufferMs = later[.jitterBufferMs]
    heldMs = JitterBufferDelay(from: earlier, to: later)?.heldMs
    currentDelayMs = later[.currentDelayMs]
    expandRate = later[.speechExpandRate] ?? later[.expandRate]
    restoredRate = later[.secondaryDecodedRate]
    accelerateRate = later[.accelerateRate]
    decelerateRate = later[.preemptiveExpandRate]
    // Before the first frame some sources report a size of 0.
    if let width = later[.width], let height = later[.height], width * height > 0 { pixels = width * height }
    height = later[.height]
    frameRate = later[.frameRateOutput] ?? later[.frameRate]
    playoutDelays = (Self.playoutDelay(earlier), Self.playoutDelay(later))
    // A playout timestamp that does not change while frames are decoded is stale, at both ends.
    isPlayoutStale = growth[.frames] ?? 0 > 0 && earlier[.estimatedPlayoutMs] == later[.estimatedPlayoutMs]
    if isPlayoutStale { playoutDelays = (nil, nil) }
    if let before = earlier[.playoutDelayMs], let after = later[.playoutDelayMs],
      let samples = later[.playoutSamples], let samplesBefore = earlier[.playoutSamples],
      after >= before, samples > samplesBefore
    {
      deviceMs = (after - before) / (samples - samplesBefore)
    }
  }

  /// Maximum offset between clocks, one day, in ms.
  private static let possibleDelays = -86_400_000.0...86_400_000

  private static func playoutDelay(_ sample: SampleView) -> Double? {
    sample[.estimatedPlayoutMs].map { sample.timeMs - $0 }.flatMap { possibleDelays.contains($0) ? $0 : nil }
  }

  private static func power(from earlier: SampleView, to later: SampleView) -> Double? {
    guard let before = earlier[.totalAudioEnergy], let after = later[.totalAudioEnergy],
      let start = earlier[.totalSamplesDurationMs], let end = later[.totalSamplesDurationMs], end > start
    else { return nil }
    let power = max(0, after - before) / ((end - start) / 1000)
    return power.isFinite ? power : nil
  }

  /// Whether packets of the medium arrived; nil if the source does not count them.
  var hadPackets: Bool? {
    if let packets = growth[.packets] { return packets > 0 }
    return (growth[.expected] ?? growth[.bytes]).map { $0 > 0 }
  }

  /// When packets returned after a gap: the time of the last one less the duration of those before it.
  var resumptionMs: Double {
    guard let last = lastPacketAfter else { return from }
    let packets = growth[.packets] ?? growth[.expected] ?? 0
    return min(to, max(from, last - packetMs * packets))
  }

  /// Whether video moved; nil if the source does not say.
  var hadFrames: Bool? {
    if let frames = growth[.frames] { return frames > 0 }
    return frameRate.map { $0 > 0 }
  }

  /// Non-silent concealed samples; nil if not counted.
  var fadedSamples: Double? {
    growth[.concealedSamples].map { max(0, $0 - (growth[.silentConcealedSamples] ?? 0)) }
  }

  /// Silent concealment, ms; nil if not counted.
  var silentMs: Double? { ms(ofSamples: growth[.silentConcealedSamples]) }

  /// Concealment, ms; nil if not counted.
  var concealedMs: Double? { ms(ofSamples: growth[.concealedSamples]) }

  private func ms(ofSamples samples: Double?) -> Double? {
    guard let samples, let total = growth[.totalSamples], total > 0 else { return nil }
    return samples * (to - from) / total
  }

  /// Non-silent concealment, ms; nil if unknown.
  var fadedMs: Double? {
    if let ms = ms(ofSamples: fadedSamples) { return ms }
    if let calls = growth[.decodingPlc] { return calls * 10 }
    return expandRate.map { $0 * (to - from) }
  }

  /// Removes the time-stretching before the given time.
  mutating func forgetStretch(before time: Double) {
    guard from < time, to > from else { return }
    let kept = max(0, to - time) / (to - from)
    growth[.insertedSamples] = growth[.insertedSamples].map { $0 * kept }
    growth[.removedSamples] = growth[.removedSamples].map { $0 * kept }
    if kept == 0 { (accelerateRate, decelerateRate) = (nil, nil) }
  }

  /// Passes on the segment in up to three parts: the silence before packets returned, the part with packets, the
  /// silence after the last one. Concealment is assigned to the silent parts first and packets to the other, so that
  /// the edges of an outage fall into the right window even if reports are rare.
  func forEachPart(_ body: (Segment) -> Void) {
    guard let last = lastPacketAfter, let packets = growth[.packets], packets > 0 else { return body(self) }
    let spoken = (packets + max(0, growth[.lost] ?? 0)) * packetMs
    var begin = max(from, last - spoken)
    var end = min(to, max(begin, last))
    if begin - from < Self.shortestQuietMs || (lastPacketBefore ?? from) > begin - Self.shortestQuietMs {
      begin = from
    }
    if to - end < Self.shortestQuietMs { end = to }
    guard begin > from || end < to, end > begin, to > from else { return body(self) }

    let quietShare = (begin - from + to - end) / (to - from)
    let concealed = growth[.concealedSamples] ?? 0
    let quietConcealed = min(concealed, (growth[.totalSamples] ?? 0) * quietShare)
    let concealedShare = concealed > 0 ? quietConcealed / concealed : 0
    for (start, stop, quiet) in [(from, begin, true), (begin, end, false), (end, to, true)] where stop > start
    {
      var part = self
      (part.from, part.to) = (start, stop)
      part.growth = growth.part(
        time: (stop - start) / (to - from),
        concealment: quiet ? concealedShare * (stop - start) / (to - from) / quietShare : 1 - concealedShare,
        packets: quiet ? 0 : 1)
      if !quiet { part.power = power.map { $0 / (1 - quietShare) } }
      body(part)
    }
  }

  /// Start of the silence after the last packet, if there is one.
  var quietEnd: Double? {
    lastPacketAfter.flatMap { to - $0 < Self.shortestQuietMs ? nil : max(from, $0) }
  }

  /// Minimum time without packets at an end of a segment that makes it a separate part, ms.
  private static let shortestQuietMs = 300.0

  /// Shortens the segment to the end of the media: later playout was not media.
  mutating func cut(at end: Double) {
    guard end < to, end > from else { return }
    let tail = (to - end) / (to - from)
    if let samples = growth[.totalSamples] {
      let beyond = samples * tail
      growth[.totalSamples] = samples - beyond
      if let concealed = growth[.concealedSamples] {
        growth[.concealedSamples] = max(0, concealed - beyond)
        growth[.silentConcealedSamples] = growth[.silentConcealedSamples].map {
          min($0, max(0, concealed - beyond))
        }
      }
    }
    to = end
  }
}

/// Actual and target time of audio in the jitter buffer between two reports: means over the samples played, ms.
struct JitterBufferDelay {
  var delayMs: Double
  var targetMs: Double
  /// Delay that the network alone requires; nil if the source does not say.
  var minimumMs: Double?

  /// Nil if the source does not count it, or if nothing was played.
  init?(from earlier: SampleView, to later: SampleView) {
    func grown(_ metric: Metric) -> Double? {
      guard let before = earlier[metric], let after = later[metric], after >= before else { return nil }
      return after - before
    }
    guard let emitted = grown(.jitterBufferEmitted), emitted > 0, let delay = grown(.jitterBufferDelayMs),
      let target = grown(.jitterBufferTargetDelayMs)
    else { return nil }
    delayMs = delay / emitted
    targetMs = target / emitted
    minimumMs = grown(.jitterBufferMinimumDelayMs).map { $0 / emitted }
  }

  /// How much longer the receiver buffers audio than the network requires, because its page asks for that
  /// (jitterBufferTarget) or to wait for the video (lip sync). 0 while the buffer is still filling up to what the
  /// network requires.
  var heldMs: Double? { minimumMs.map { delayMs >= $0 ? max(0, targetMs - $0) : 0 } }
}

/// Distinguishes a camera that is off from slow video. When a page disables or stops the camera's track, Firefox goes on
/// sending one tiny black frame per second, and a static picture is then no freeze.
///
/// Measured with Firefox 153: 52 to 555 bytes per frame at 320×180 to 640×480. An encoder starved by the network still
/// gets 30 kbit/s (libwebrtc, `kMinVideoBitrate`), which is 1,500 bytes per frame at the highest rate taken for black
/// frames.
struct BlankPicture {
  /// Maximum frame rate, frames per second.
  private static let maxFrames = 2.5
  /// Maximum size of a frame that shows nothing new, bytes; for large frames, bits per pixel.
  private static let maxBytes = 600.0
  private static let maxBits = 0.01
  /// How long video counts as blank after such a frame, ms: a new size of the same black takes a key frame.
  private static let heldMs = 5000.0

  /// End of the last report whose frames were almost empty.
  private var lastMs: Double?

  /// Takes the next report of a video stream; returns whether it was blank.
  mutating func add(_ segment: Segment) -> Bool {
    let length = segment.to - segment.from
    guard let frames = segment.growth[.frames], frames * 1000 <= max(1000, Self.maxFrames * length) else {
      lastMs = nil
      return false
    }
    if frames > 0, let bytes = segment.growth[.bytes], bytes > 0,
      bytes <= frames * max(Self.maxBytes, (segment.pixels ?? 0) * Self.maxBits / 8),
      segment.growth[.lost] ?? 0 <= 0, segment.growth[.pli] ?? 0 == 0
    {
      lastMs = segment.to
    }
    return lastMs.map { segment.to - $0 <= Self.heldMs } ?? false
  }
}
