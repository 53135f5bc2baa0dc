import Glibc

/// What one stream did within one window.
struct StreamBin {
  /// Time of which something is known, and the part of it whose growth was counted.
  var observedMs = 0.0
  var measuredMs = 0.0
  /// Reports within the window.
  var samples = 0
  var tally = CounterDeltas()
  /// Time in which nothing arrived though it should have, and time in which the far end sent nothing on purpose.
  var gapMs = 0.0
  /// The part of the first that is lost, rather than late.
  var lostGapMs = 0.0
  var silentMs = 0.0
  /// Time in which the picture stood still, and in how many pieces.
  var frozenMs = 0.0
  var freezes = 0.0

  /// Sound in a packet, ms.
  var packetMs = FirstMedia.packetMs
  /// Samples made up, and not silent, when the far end ceased to send.
  var fadedSamples = 0.0

  /// How loud it was where packets came.
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
  /// Time from the first packet to the first picture.
  var waitMs = 0.0
  /// The part of it that is long enough for a freeze, had there been a picture.
  var beforeFirstMs = 0.0
  /// Delays of playout at the reports within the window, in order of time.
  var playoutDelays: [(timeMs: Double, delayMs: Double)] = []
  /// The least and the most that frames of a report took from their first packet to being decoded, ms, and of how many reports.
  var processing: (least: Double, most: Double, reports: Int)?

  /// Most delays that are kept: reports do not come oftener.
  private static let mostDelays = 256
}

extension StreamBin {
  /// Adds the share of a segment that counts in this window, `observedMs` of which lie within it.
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

  /// Takes the delay of playout at a report within the window.
  mutating func addPlayout(_ delayMs: Double?, at timeMs: Double) {
    guard let delayMs, playoutDelays.count < Self.mostDelays,
      playoutDelays.last.map({ $0.timeMs < timeMs }) ?? true
    else { return }
    // A delay grows by no more than the time that passes: beyond that a clock was set.
    if let last = playoutDelays.last,
      delayMs - last.delayMs > (timeMs - last.timeMs) * 1.05 + 200 || delayMs < last.delayMs - 5000
    {
      playoutDelays = []
    }
    playoutDelays.append((timeMs, delayMs))
  }

  /// By how much the delay of playout moved within the window, ms; nil of fewer than two reports that are far enough apart.
  var driftMs: Double? {
    guard let first = playoutDelays.first, let last = playoutDelays.last, last.timeMs - first.timeMs >= 1500
    else { return nil }
    let delays = playoutDelays.map(\.delayMs)
    return (delays.max() ?? 0) - (delays.min() ?? 0)
  }

  /// The same of the time that frames took to be decoded.
  var processingRangeMs: Double? { processing.flatMap { $0.reports > 1 ? $0.most - $0.least : nil } }
}

/// How loud the sound was where it was made up, against how loud it was altogether: what is made up in a pause of speech
/// is hardly heard.
struct ConcealmentLoudness {
  /// Loudness as a power of the sound's power. Of single tones it is 0.3 (Stevens); a report is longer than a syllable and
  /// tells less of the one that was hit, the less the seldomer reports come. Of what agrees with PESQ-WB alike, 0.1 to
  /// 0.25, the least: a score must hardly depend on how often someone looked.
  static let exponent = 0.1
  /// Power below which nothing is any quieter, -40 dBFS: the noise of a room.
  static let floor = 1e-4
  /// Most that it can weigh.
  static let most = 5.0

  private var samples = 0.0
  private var concealed = 0.0
  private var loudSamples = 0.0
  private var loudConcealed = 0.0
  private var isUnknown = false

  /// Adds a share of a segment. Where no packets came it is quiet because of that, and tells nothing.
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

  /// What all that was concealed weighs, as a multiple of its share; 1 where loudness is not known throughout.
  func salience(ofConcealed all: Double) -> Double {
    guard !isUnknown, concealed > 0, loudSamples > 0, all > 0 else { return 1 }
    let heard = min(Self.most, loudConcealed / loudSamples * samples / concealed)
    let part = min(1, concealed / all)
    return heard * part + 1 - part
  }
}
