import CallModel
import Glibc

/// The time between two consecutive samples of a stream, and what grew in it.
struct Segment {
  var from: Double
  var to: Double
  var growth: CounterDeltas
  /// Freezes and pauses that ended in it.
  var frozenMs: Double
  var freezes: Double
  /// Those of them that the source counts as pauses.
  var pausedMs: Double
  var pauses: Double
  /// When the last packet known at each end had come, if that is known.
  var lastPacketBefore: Double?
  var lastPacketAfter: Double?
  /// When the end was last heard of by another stream, or the path, clearly before the segment ended.
  var elsewhere: LastActivity.Beat?
  /// What the far end had sent by its own report, and when that came, if one came in it.
  var senderReport: (timeMs: Double, packets: Double)?
  /// Packets of a picture that were asked for again.
  var asked: Double
  /// Sound in a packet, ms.
  var packetMs = FirstMedia.packetMs
  /// Mean power of the sound, 1 = full scale; nil where the source does not say.
  var power: Double?
  /// Gauges as the later sample shows them.
  var jitterMs: Double?
  var bufferMs: Double?
  /// By how much sound was held longer than the network needs; nil where the source does not say.
  var heldMs: Double?
  var currentDelayMs: Double?
  var expandRate: Double?
  var restoredRate: Double?
  var accelerateRate: Double?
  var decelerateRate: Double?
  var pixels: Double?
  var height: Double?
  var frameRate: Double?
  /// How long before each report what played at it had been captured, ms, by the sender's clock; nil where nobody says.
  var playoutDelays: (before: Double?, after: Double?)
  /// How long the sound device took, ms, the mean over what it played; nil where the source does not say.
  var deviceMs: Double?

  /// What happened from one sample to the next, but for what only those before tell.
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
    asked = grown(.nack, earlier, later)
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
    // Before the first frame some say that it measures nothing.
    if let width = later[.width], let height = later[.height], width * height > 0 { pixels = width * height }
    height = later[.height]
    frameRate = later[.frameRateOutput] ?? later[.frameRate]
    playoutDelays = (Self.playoutDelay(earlier), Self.playoutDelay(later))
    // A timestamp that stands still while frames are decoded is an old one told again.
    if growth[.frames] ?? 0 > 0, earlier[.estimatedPlayoutMs] == later[.estimatedPlayoutMs] {
      playoutDelays.after = nil
    }
    if let before = earlier[.playoutDelayMs], let after = later[.playoutDelayMs],
      let samples = later[.playoutSamples], let samplesBefore = earlier[.playoutSamples],
      after >= before, samples > samplesBefore
    {
      deviceMs = (after - before) / (samples - samplesBefore)
    }
  }

  /// Clocks are no more than a day apart, ms.
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

  /// Whether packets of the medium came in it; nil where the source does not count them.
  var hadPackets: Bool? {
    if let packets = growth[.packets] { return packets > 0 }
    return growth[.expected].map { $0 > 0 }
  }

  /// When packets came back after a time without: the last one less the time that those before it took.
  var resumptionMs: Double {
    guard let last = lastPacketAfter else { return from }
    let packets = growth[.packets] ?? growth[.expected] ?? 0
    return min(to, max(from, last - packetMs * packets))
  }

  /// Whether the picture moved; nil where the source does not say.
  var hadFrames: Bool? {
    if let frames = growth[.frames] { return frames > 0 }
    return frameRate.map { $0 > 0 }
  }

  /// Samples made up that were not silent; nil where they are not counted.
  var fadedSamples: Double? {
    growth[.concealedSamples].map { max(0, $0 - (growth[.silentConcealedSamples] ?? 0)) }
  }

  /// Sound made up that was silent, ms; nil where it is not counted.
  var silentMs: Double? {
    guard let samples = growth[.silentConcealedSamples], let total = growth[.totalSamples], total > 0 else {
      return nil
    }
    return samples * (to - from) / total
  }

  /// Sound made up, ms; nil where it is not counted.
  var madeUpMs: Double? {
    guard let samples = growth[.concealedSamples], let total = growth[.totalSamples], total > 0 else {
      return nil
    }
    return samples * (to - from) / total
  }

  /// Sound made up that was not silent, ms; nil where nothing tells.
  var fadedMs: Double? {
    if let samples = fadedSamples, let total = growth[.totalSamples], total > 0 {
      return samples * (to - from) / total
    }
    if let calls = growth[.decodingPlc] { return calls * 10 }
    return expandRate.map { $0 * (to - from) }
  }

  /// Leaves out the time-stretching of the part before an instant.
  mutating func forgetStretch(before time: Double) {
    guard from < time, to > from else { return }
    let kept = max(0, to - time) / (to - from)
    growth[.insertedSamples] = growth[.insertedSamples].map { $0 * kept }
    growth[.removedSamples] = growth[.removedSamples].map { $0 * kept }
    if kept == 0 { (accelerateRate, decelerateRate) = (nil, nil) }
  }

  /// Hands over the segment in up to three parts: the quiet before packets came again, the part with packets, the quiet after
  /// the last one. Concealment goes to the quiet parts first, packets to the other, so that the edges of an outage
  /// fall into the right window however seldom reports come.
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

  /// Where the quiet after the last packet begins, if it is one.
  var quietEnd: Double? {
    lastPacketAfter.flatMap { to - $0 < Self.shortestQuietMs ? nil : max(from, $0) }
  }

  /// Shortest time without packets at an end of a segment that sets it apart.
  private static let shortestQuietMs = 300.0

  /// Ends the segment early, where media ended: playout after it was not media.
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

/// How long sound stayed in the jitter buffer between two reports, and how long it was to stay: means over what was played, ms.
struct JitterBufferDelay {
  var delayMs: Double
  var targetMs: Double
  /// What the network alone asks for; nil where the source does not say.
  var minimumMs: Double?

  /// Nil where the source does not count it, or nothing was played.
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

  /// By how much the receiver held sound longer than the network needs: its page asked for that (jitterBufferTarget), or it waits
  /// for the picture (lip sync). A buffer that is short of what the network needs fills up for that first.
  var heldMs: Double? { minimumMs.map { delayMs >= $0 ? max(0, targetMs - $0) : 0 } }
}

/// Tells a camera that is off from a picture that comes slowly. Firefox goes on with a black frame a second when a page disables
/// or stops the camera's track; each of them takes next to nothing, and nobody sees that it stands still.
///
/// Measured with Firefox 153: 52 to 555 bytes a frame at 320×180 to 640×480. An encoder that the network starves still gets
/// 30 kbit/s (libwebrtc, `kMinVideoBitrate`), which is 1,500 bytes a frame at the most frames that are taken for black ones.
struct BlankPicture {
  /// Most frames a second.
  private static let mostFrames = 2.5
  /// Most that a frame takes which shows nothing new, bytes; of a large one, bits a pixel.
  private static let mostBytes = 600.0
  private static let mostBits = 0.01
  /// How long it stays so without such a frame, ms: a new size of the same black takes a key frame.
  private static let heldMs = 5000.0

  /// The end of the last report whose frames were all but empty.
  private var lastMs: Double?

  /// Takes the next report of a picture; whether it was blank in it.
  mutating func add(_ segment: Segment) -> Bool {
    let length = segment.to - segment.from
    guard let frames = segment.growth[.frames], frames * 1000 <= max(1000, Self.mostFrames * length) else {
      lastMs = nil
      return false
    }
    if frames > 0, let bytes = segment.growth[.bytes], bytes > 0,
      bytes <= frames * max(Self.mostBytes, (segment.pixels ?? 0) * Self.mostBits / 8),
      segment.growth[.lost] ?? 0 <= 0, segment.growth[.pli] ?? 0 == 0
    {
      lastMs = segment.to
    }
    return lastMs.map { segment.to - $0 <= Self.heldMs } ?? false
  }
}
