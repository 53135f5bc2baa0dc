/// What one stream did within one window.
struct StreamBin {
  /// Time of which something is known, and the part of it whose growth was counted.
  var observedMs = 0.0
  var measuredMs = 0.0
  /// Reports within the window.
  var samples = 0
  var tally = Tally()
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
  var loudness = LoudnessBook()

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
  }
}
