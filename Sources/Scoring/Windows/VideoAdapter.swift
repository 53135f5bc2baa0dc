/// Reference values for a video stream, learnt from earlier windows.
struct VideoMemory {
  /// Maximum frozen share of a window from which a frame rate is learnt.
  static let calmShare = 0.2
  /// Frame rate above which video does not improve.
  static let highestFrameRate = 30.0

  var frameRate: Double?
  /// The largest mean of a window so far: a sender takes some seconds to reach its size, which costs nothing.
  var pixels: Double?
  /// The mean frame interval of each window with little freeze, ms, up to a maximum number.
  private var intervalsMs = OrderedValues()
  /// Maximum number of windows from which the usual interval is learnt.
  private static let maxIntervals = 360

  mutating func learn(intervalMs: Double) {
    guard intervalsMs.count < Self.maxIntervals else { return }
    intervalsMs.insert(intervalMs)
  }

  /// Lower median of the intervals so far, ms.
  var usualIntervalMs: Double? {
    intervalsMs.count == 0 ? nil : intervalsMs.values[(intervalsMs.count - 1) / 2]
  }
}

/// Derives canonical video impairments from what a source counts.
struct VideoAdapter {
  let bin: StreamBin
  /// Length of the window, ms.
  let length: Double
  /// Minimum reference frame rate for a camera, even if the call never reached it.
  let minFrameRate: Double
  private(set) var availability = Availability()
  private(set) var impairments = VideoImpairments()
  /// Frames per second over the measured time, including freezes.
  private(set) var framesPerSecond: Double?

  init(
    _ bin: StreamBin, length: Double, screen: Bool, codec: String?, ageS: Double?, references: References,
    minFrameRate: Double, memory: inout VideoMemory
  ) {
    self.bin = bin
    self.length = length
    self.minFrameRate = minFrameRate
    judgeFreeze()
    judgeFrameRate(screen: screen, references: references, memory: &memory)
    judgeSize(screen: screen, references: references, memory: &memory)
    judgePicture(screen: screen, codec: codec, ageS: ageS, references: references, memory: &memory)
    if references.pixels == nil, impairments.pixels == nil { impairments.pixels = bin.pixels.value }
    if let loss = lossShare {
      availability.videoLoss = 1
      impairments.lossShare = loss
    }
    if let reference = references.videoBps, let bps {
      impairments.bps = bps
      impairments.bpsReference = reference
    }
  }

  /// Quality of the frames after coding and scaling, 0–100, by the constants of the fourth model.
  var frameQuality: Double? {
    impairments.picture.flatMap { PictureScore(impairments, $0, PictureConstants()).frameQuality }
  }

  /// Whether anything is known of its frames; packets alone show no picture, good or bad.
  var isOfFrames: Bool {
    bin.tally[.frames] != nil || bin.frameRate.value != nil || bin.tally[.framesReceived] != nil
      || bin.tally[.freezeMs] != nil
  }

  /// Share of packets lost before repair; nil if packets are not counted.
  var lossShare: Double? {
    guard let lost = bin.tally[.lost],
      let packets = bin.tally[.expected].map({ max(0, $0 - lost) }) ?? bin.tally[.packets]
    else { return nil }
    let all = packets + max(0, lost)
    return all > 0 ? max(0, lost) / all : nil
  }

  /// Payload bit rate, bit/s.
  var bps: Double? {
    guard bin.measuredMs > 0, let bytes = bin.tally[.bytes] else { return nil }
    return bytes * 8000 / bin.measuredMs
  }

  private mutating func judgeFreeze() {
    guard bin.tally[.frames] != nil || bin.frameRate.value != nil else { return }
    availability.freeze = 1
    // Time in which the far end deliberately sent nothing does not count.
    let shown = max(1, length - bin.silentMs)
    impairments.freezeShare = min(1, bin.frozenMs / shown)
    impairments.freezes = bin.freezes
    impairments.dead = bin.frozenMs + max(bin.waitMs, bin.beforeFirstMs) >= 0.99 * shown
  }

  private mutating func judgePicture(
    screen: Bool, codec: String?, ageS: Double?, references: References, memory: inout VideoMemory
  ) {
    var picture = PictureImpairments()
    picture.codec = codec
    picture.isScreen = screen
    picture.ageS = ageS
    picture.waitShare = min(1, bin.waitMs / max(1, length))
    picture.startFreezeShare = min(1, bin.beforeFirstMs / max(1, length - bin.silentMs))
    picture.pixelsSeen = memory.pixels
    picture.configuredPixels = references.pixels
    picture.configuredFrameRate = references.frameRate
    picture.driftMs = bin.driftMs ?? bin.processingRangeMs
    let frames = bin.tally[.frames] ?? 0
    if frames >= 1 {
      picture.qp = bin.tally[.qpSum].flatMap { $0 > 0 ? $0 / frames : nil }
      if let pixels = bin.pixels.value, pixels > 0, let bytes = bin.tally[.bytes] {
        picture.bitsPerPixel = 8 * max(0, bytes - (bin.tally[.rtxBytes] ?? 0)) / (frames * pixels)
      }
    }
    let intervals = self.intervals(frames)
    picture.intervalMs = intervals?.meanMs
    picture.intervalDeviationMs = intervals?.deviationMs
    if let mean = intervals?.meanMs, impairments.freezeShare ?? 0 < VideoMemory.calmShare {
      memory.learn(intervalMs: mean)
    }
    picture.usualIntervalMs = memory.usualIntervalMs
    impairments.picture = picture
  }

  /// Maximum amount by which the sum of intervals may exceed the window, ms: they are counted when they end.
  private static let maxBeyondMs = 1500.0

  /// Mean and standard deviation of the intervals between frames outside freezes.
  private func intervals(_ frames: Double) -> (meanMs: Double, deviationMs: Double)? {
    guard frames >= 1, var sum = bin.tally[.interFrameDelayMs],
      var squares = bin.tally[.squaredInterFrameDelayS2]
    else { return nil }
    squares *= 1e6
    var count = frames
    if let freezes = bin.tally[.freezeCount], let frozenMs = bin.tally[.freezeMs], freezes > 0, frozenMs > 0 {
      sum -= frozenMs
      squares -= frozenMs * frozenMs / freezes
      count -= freezes
    }
    // Frames after a camera was off count the time without it as one interval.
    guard count >= 1, sum > 0, bin.silentMs == 0, sum <= bin.measuredMs + Self.maxBeyondMs else {
      return nil
    }
    let mean = sum / count
    // Few frames have a rate, and tell nothing of how even it is.
    guard frames >= 5 else { return (mean, 0) }
    return (mean, max(0, squares / count - mean * mean).squareRoot())
  }

  private mutating func judgeFrameRate(screen: Bool, references: References, memory: inout VideoMemory) {
    if let frames = bin.tally[.frames], bin.measuredMs > 0 {
      framesPerSecond = frames * 1000 / bin.measuredMs
    } else {
      framesPerSecond = bin.frameRate.value
    }
    guard let framesPerSecond, bin.measuredMs >= 1000 else { return }
    let calm = impairments.freezeShare ?? 0 < VideoMemory.calmShare
    if calm {
      memory.frameRate = max(memory.frameRate ?? 0, min(VideoMemory.highestFrameRate, framesPerSecond))
    }
    guard !screen || references.frameRate != nil else { return }
    availability.frameRate = 1
    // Time in which the far end sent no video, its camera being off, does not count either.
    let moving = 1 - min(bin.frozenMs + bin.silentMs, bin.measuredMs) / bin.measuredMs
    // Too little moving time for a meaningful rate.
    guard moving > 0.2 else { return }
    impairments.frameRate = framesPerSecond / moving
    impairments.frameRateReference = references.frameRate ?? memory.frameRate.map { max($0, minFrameRate) }
  }

  private mutating func judgeSize(screen: Bool, references: References, memory: inout VideoMemory) {
    guard let pixels = bin.pixels.value, pixels > 0 else { return }
    memory.pixels = max(memory.pixels ?? 0, pixels)
    guard !screen || references.pixels != nil else { return }
    availability.resolution = references.pixels == nil ? 0.5 : 1
    impairments.pixels = pixels
    impairments.pixelsReference = references.pixels ?? memory.pixels
  }
}
