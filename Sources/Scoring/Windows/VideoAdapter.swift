/// What a video stream is held against, learnt from the windows before.
struct VideoMemory {
  /// Windows with more freeze than this teach no frame rate.
  static let calmShare = 0.2
  /// Rates above this are no better.
  static let highestFrameRate = 30.0

  var frameRate: Double?
  /// The largest mean of a window so far: a sender takes some seconds to find its size, which costs nothing.
  var pixels: Double?
}

/// Canonical video impairments out of what a source counts.
struct VideoAdapter {
  let bin: StreamBin
  /// Length of the window, ms.
  let length: Double
  /// What a camera is held against though the call never showed so much.
  let leastFrameRate: Double
  private(set) var availability = Availability()
  private(set) var impairments = VideoImpairments()
  /// Frames per second over the measured time, frozen time included.
  private(set) var framesPerSecond: Double?

  init(
    _ bin: StreamBin, length: Double, screen: Bool, references: References, leastFrameRate: Double,
    memory: inout VideoMemory
  ) {
    self.bin = bin
    self.length = length
    self.leastFrameRate = leastFrameRate
    judgeFreeze()
    judgeFrameRate(screen: screen, references: references, memory: &memory)
    judgeSize(screen: screen, references: references, memory: &memory)
    if let loss = lossShare {
      availability.videoLoss = 1
      impairments.lossShare = loss
    }
    if let reference = references.videoBps, let bps {
      impairments.bps = bps
      impairments.bpsReference = reference
    }
  }

  /// Share of packets lost before repair, nil where packets are not counted.
  var lossShare: Double? {
    guard let lost = bin.tally[.lost] else { return nil }
    let packets = bin.tally[.expected].map { max(0, $0 - lost) } ?? bin.tally[.packets] ?? 0
    let all = packets + max(0, lost)
    return all > 0 ? max(0, lost) / all : nil
  }

  /// Payload, bit/s.
  var bps: Double? {
    guard bin.measuredMs > 0, let bytes = bin.tally[.bytes] else { return nil }
    return bytes * 8000 / bin.measuredMs
  }

  private mutating func judgeFreeze() {
    guard bin.tally[.frames] != nil || bin.frameRate.value != nil else { return }
    availability.freeze = 1
    // Time in which the far end sent nothing on purpose is no part of the picture.
    let shown = max(1, length - bin.silentMs)
    impairments.freezeShare = min(1, bin.frozenMs / shown)
    impairments.freezes = bin.freezes
    impairments.dead = bin.frozenMs >= 0.99 * shown
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
    // Nor does what the far end did not send, its camera being off.
    let moving = 1 - min(bin.frozenMs + bin.silentMs, bin.measuredMs) / bin.measuredMs
    // What moved too briefly has no rate.
    guard moving > 0.2 else { return }
    impairments.frameRate = framesPerSecond / moving
    impairments.frameRateReference = references.frameRate ?? memory.frameRate.map { max($0, leastFrameRate) }
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
