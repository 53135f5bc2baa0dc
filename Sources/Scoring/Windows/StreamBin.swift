import Glibc

/// What one stream did within one window.
struct StreamBin {
  /// Observed time, and the part of it for which growth was counted.
  var observedMs = 0.0
  var measuredMs = 0.0
  /// Number of reports within the window.
  var samples = 0
  var tally = CounterDeltas()
  /// Time in which nothing arrived though it should have, and below the time in which the far end deliberately sent
  /// nothing.
  var gapMs = 0.0
  /// The part of `gapMs` in which packets were lost rather than late.
  var lostGapMs = 0.0
  var silentMs = 0.0
  /// Time in which video was frozen, and number of freezes.
  var frozenMs = 0.0
  var freezes = 0.0

  /// Audio per packet, ms.
  var packetMs = FirstMedia.packetMs
  /// Non-silent concealed samples when the far end stopped sending.
  var fadedSamples = 0.0

  /// Loudness while packets arrived.
  var loudness = ConcealmentLoudness()

  var jitterMs = WeightedMean()
  var bufferMs = WeightedMean()
  var heldMs = WeightedMean()
  var currentDelayMs = WeightedMean()
  var expandRate = WeightedMean()
  var restoredRate = WeightedMean()
  var accelerateRate = WeightedMean()
  var decelerateRate = WeightedMean()
  var pixels = WeightedMean()
  var height = WeightedMean()
  var frameRate = WeightedMean()
  var deviceMs = WeightedMean()
  /// Time from the first packet to the first frame.
  var waitMs = 0.0
  /// The part of it that is long enough to be a freeze.
  var beforeFirstMs = 0.0
  /// Playout delays at the reports within the window, in time order.
  var playoutDelays: [(timeMs: Double, delayMs: Double)] = []
  /// Minimum and maximum mean processing delay (first packet to decoded frame) over the reports, ms, and number of
  /// reports.
  var processing: (least: Double, most: Double, reports: Int)?

  /// Maximum number of delays kept; reports do not come more often.
  private static let maxDelays = 256
}

extension StreamBin {
  /// Adds the share of a segment that belongs to this window; `observedMs` of it lie within the window.
  mutating func add(_ segment: Segment, share: Double, observedMs observed: Double) {
    let milliseconds = share * (segment.to - segment.from)
    observedMs += observed
    measuredMs += milliseconds
    packetMs = segment.packetMs
    tally.add(segment.growth, times: share)
    loudness.add(segment, share: share)
    jitterMs.add(segment.jitterMs, weight: milliseconds)
    bufferMs.add(segment.bufferMs, weight: milliseconds)
    heldMs.add(segment.heldMs, weight: milliseconds)
    currentDelayMs.add(segment.currentDelayMs, weight: milliseconds)
    expandRate.add(segment.expandRate, weight: milliseconds)
    restoredRate.add(segment.restoredRate, weight: milliseconds)
    accelerateRate.add(segment.accelerateRate, weight: milliseconds)
    decelerateRate.add(segment.decelerateRate, weight: milliseconds)
    pixels.add(segment.pixels, weight: milliseconds)
    height.add(segment.height, weight: milliseconds)
    frameRate.add(segment.frameRate, weight: milliseconds)
    deviceMs.add(segment.deviceMs, weight: milliseconds)
    if let frames = segment.growth[.frames], frames > 0, let total = segment.growth[.processingDelayMs] {
      let each = total / frames
      processing =
        processing.map { (min($0.least, each), max($0.most, each), $0.reports + 1) } ?? (each, each, 1)
    }
  }

  /// Adds the playout delay at a report within the window.
  mutating func addPlayout(_ delayMs: Double?, at timeMs: Double) {
    guard let delayMs, playoutDelays.count < Self.maxDelays,
      playoutDelays.last.map({ $0.timeMs < timeMs }) ?? true
    else { return }
    // A delay cannot grow faster than time passes: if it does, a clock was set.
    if let last = playoutDelays.last,
      delayMs - last.delayMs > (timeMs - last.timeMs) * 1.05 + 200 || delayMs < last.delayMs - 5000
    {
      playoutDelays = []
    }
    playoutDelays.append((timeMs, delayMs))
  }

  /// Range of the playout delay within the window, ms; nil without two reports that are far enough apart.
  var driftMs: Double? {
    guard let first = playoutDelays.first, let last = playoutDelays.last, last.timeMs - first.timeMs >= 1500
    else { return nil }
    let delays = playoutDelays.map(\.delayMs)
    return (delays.max() ?? 0) - (delays.min() ?? 0)
  }

  /// The same for the processing delay of frames.
  var processingRangeMs: Double? { processing.flatMap { $0.reports > 1 ? $0.most - $0.least : nil } }
}

/// Compares how loud the audio was where it was concealed with how loud it was overall: concealment in a speech pause
/// is hardly audible.
struct ConcealmentLoudness {
  /// Exponent that turns power into loudness. For single tones it is 0.3 (Stevens), but a report is longer than a
  /// syllable and says less about the one affected the rarer reports are. Of the values that agree equally well with
  /// PESQ-WB, 0.1 to 0.25, this is the smallest, so that the score depends as little as possible on the polling
  /// interval.
  static let exponent = 0.1
  /// Power of room noise, -40 dBFS, below which loudness hardly decreases.
  static let floor = 1e-4
  /// Maximum weight.
  static let most = 5.0

  private var samples = 0.0
  private var concealed = 0.0
  private var loudSamples = 0.0
  private var loudConcealed = 0.0
  private var isUnknown = false

  /// Adds a share of a segment. If no packets arrived, the audio is quiet for that reason and is ignored.
  mutating func add(_ segment: Segment, share: Double) {
    guard segment.hadPackets != false, share > 0, let played = segment.growth[.totalSamples],
      let made = segment.growth[.concealedSamples]
    else { return }
    guard let power = segment.power else {
      isUnknown = true
      return
    }
    let weight = pow(power + Self.floor, Self.exponent)
    samples += played * share
    concealed += made * share
    loudSamples += played * share * weight
    loudConcealed += made * share * weight
  }

  /// The weight of all concealment, as a multiple of its share; 1 if loudness is not known throughout.
  func salience(ofConcealed all: Double) -> Double {
    guard !isUnknown, concealed > 0, loudSamples > 0, all > 0 else { return 1 }
    let loudness = min(Self.most, loudConcealed / loudSamples * samples / concealed)
    let part = min(1, concealed / all)
    return loudness * part + 1 - part
  }
}
