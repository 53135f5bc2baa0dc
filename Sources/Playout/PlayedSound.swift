/// What a stream's playout did so far, over all its codecs: getStats counters, samples at one clock throughout.
public struct PlayedSound {
  public private(set) var total = 0.0
  public private(set) var concealed = 0.0
  public private(set) var silentConcealed = 0.0
  public private(set) var pausedConcealed = 0.0
  public private(set) var emitted = 0.0
  public private(set) var inserted = 0.0
  public private(set) var removed = 0.0
  /// Sums over the samples emitted, ms.
  public private(set) var delaySumMs = 0.0
  public private(set) var wantedSumMs = 0.0
  /// s; nil where no packet tells its level.
  public private(set) var energy: Double?
  public private(set) var concealments = 0
  public private(set) var late = 0

  /// Nothing yet.
  public init() {}

  /// What a playout adds to what was played before it; `scale` is the clock counted at over its own.
  init(_ audio: AudioPlayout, scale: Double, after before: PlayedSound) {
    total = before.total + Double(audio.total) * scale
    concealed = before.concealed + Double(audio.concealed) * scale
    silentConcealed =
      before.silentConcealed + Double(min(audio.silentConcealed, audio.concealed)) * scale
    pausedConcealed =
      before.pausedConcealed + Double(min(audio.ownPauses.concealed, audio.concealed)) * scale
    emitted = before.emitted + Double(audio.emitted) * scale
    inserted = before.inserted + Double(audio.inserted) * scale
    removed = before.removed + Double(audio.removed) * scale
    delaySumMs = before.delaySumMs + audio.delaySumMs * scale
    wantedSumMs = before.wantedSumMs + audio.wantedSumMs * scale
    energy = audio.energy.map { $0 + (before.energy ?? 0) } ?? before.energy
    concealments = before.concealments + audio.concealments
    late = before.late + audio.late
  }
}

extension AudioPlayout {
  /// What it did, after what was played before it, at the clock that all is counted at. Of an optional playout this is asked where
  /// it lies; `map` would be given a copy, which is large.
  public func played(scale: Double, after before: PlayedSound) -> PlayedSound {
    PlayedSound(self, scale: scale, after: before)
  }
}
