/// The result of a stream's playout so far, over all its codecs: getStats counters, in samples at a single clock rate.
public struct PlayedSound {
  public private(set) var total = 0.0
  public private(set) var concealed = 0.0
  public private(set) var silentConcealed = 0.0
  public private(set) var pausedConcealed = 0.0
  /// Concealed since it last had something to play.
  public private(set) var trailingConcealed = 0.0
  public private(set) var emitted = 0.0
  public private(set) var inserted = 0.0
  public private(set) var removed = 0.0
  /// Sums over emitted samples, ms.
  public private(set) var delaySumMs = 0.0
  public private(set) var wantedSumMs = 0.0
  /// s; nil if no packet has a level.
  public private(set) var energy: Double?
  public private(set) var concealments = 0
  public private(set) var late = 0

  /// Nothing played.
  public init() {}

  /// Adds the result of a playout to earlier ones; `scale` is the ratio of the counting clock to its own.
  init(_ audio: AudioPlayout, scale: Double, after before: PlayedSound) {
    total = before.total + Double(audio.total) * scale
    concealed = before.concealed + Double(audio.concealed) * scale
    silentConcealed =
      before.silentConcealed + Double(min(audio.silentConcealed, audio.concealed)) * scale
    pausedConcealed =
      before.pausedConcealed + Double(min(audio.ownPauses.concealed, audio.concealed)) * scale
    trailingConcealed = Double(min(audio.expanded, audio.concealed)) * scale
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
  /// Its result, added to earlier ones, at the counting clock. A static function on an optional playout, as `map` would
  /// copy the large value.
  public func played(scale: Double, after before: PlayedSound) -> PlayedSound {
    PlayedSound(self, scale: scale, after: before)
  }
}
