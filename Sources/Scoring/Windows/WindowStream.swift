import CallModel

/// One stream in one window, ready to be scored.
struct WindowStream {
  let kind: MediaKind
  /// Observed share of the window, 0–1.
  let coverage: Double
  let samples: Int
  let availability: Double
  /// Nothing came in the whole window: by intention of the far end, or not.
  let isSilent: Bool
  let isDry: Bool
  /// Which part of a time without packets was lost, 0–1.
  let lostShare: Double
  /// Mouth to ear as far as it is known, whether or not it is charged here.
  let delayMs: Double?
  let figures: StreamFigures

  init(
    _ bin: StreamBin, facts: StreamFacts, codec: String?, mode: OpusMode, kind: MediaKind, length: Double,
    roundTripMs: Double?,
    isReported: Bool, references: References, leastFrameRate: Double, memory: inout VideoMemory
  ) {
    self.kind = kind
    coverage = min(1, bin.observedMs / length)
    samples = bin.samples
    isSilent = bin.silentMs >= 0.95 * length || kind == .video && Self.isProbes(bin)
    isDry = bin.gapMs >= 0.98 * length
    lostShare = bin.gapMs > 0 ? bin.lostGapMs / bin.gapMs : 1

    var figures = StreamFigures(kind: kind)
    let audio = AudioAdapter(
      bin, codec: codec, roundTripMs: roundTripMs, isReported: isReported)
    delayMs = audio.impairments.delayMs
    figures.codec = codec
    figures.packets = bin.tally[.packets]
    figures.lost = bin.tally[.lost].map { max(0, $0) }
    figures.jitterMs = bin.jitterMs.value
    figures.bufferMs = audio.bufferMs
    figures.roundTripMs = roundTripMs
    figures.screen = facts.screen ?? false
    figures.errorCorrection = mode.errorCorrection
    figures.discontinuous = mode.discontinuous
    switch kind {
    case .audio:
      availability = audio.availability.audio
      figures.lossShare = audio.lossShare
      figures.concealedShare = audio.concealedShare
      figures.audio = audio.impairments
      if bin.measuredMs > 0 { figures.bps = bin.tally[.bytes].map { $0 * 8000 / bin.measuredMs } }
    case .video:
      let video = VideoAdapter(
        bin, length: length, screen: figures.screen, references: references,
        leastFrameRate: leastFrameRate, memory: &memory)
      availability = video.availability.video
      figures.lossShare = video.lossShare
      figures.framesPerSecond = video.framesPerSecond
      figures.pixels = bin.pixels.value
      figures.height = bin.height.value
      figures.bps = video.bps
      figures.video = video.impairments
      figures.video?.delayMs = audio.impairments.delayMs
    }
    self.figures = figures
  }

  /// Whether packets come with no picture in them, of one that was never seen.
  private static func isProbes(_ bin: StreamBin) -> Bool {
    guard bin.pixels.value == nil, let packets = bin.tally[.packets], packets > 0,
      let bytes = bin.tally[.bytes]
    else { return false }
    return bytes < packets * leastPicturePayload && bin.tally[.frames] ?? 0 == 0
      && bin.tally[.framesReceived] ?? 0 == 0 && bin.frameRate.value ?? 0 == 0
  }
}
