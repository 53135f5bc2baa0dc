/// A mean opinion score that says on which scale it stands and how sure its codec's constants are.
public struct AbsoluteOpinion: Sendable, Equatable {
  /// 1 to 4.5.
  public var value: Double
  public var rating: Double
  public var scale: OpinionScale
  public var source: ImpairmentSource

  /// E-model of the codec's own band: G.107, G.107.1 or G.107.2.
  ///
  /// - Parameters:
  ///   - codec: RTP name.
  ///   - clockRate: RTP clock in Hz, which tells something where there is no name.
  ///   - bps: payload bit rate, nil for the codec's usual one.
  ///   - lossPercent: share of sound that was missing: effective concealment where it is known, else loss.
  ///   - delayMs: mouth to ear; nil takes nothing off.
  public init(
    codec: String?, clockRate: Int? = nil, bps: Double?, lossPercent: Double, delayMs: Double?
  ) {
    let codecImpairment = CodecImpairment.of(codec: codec, clockRate: clockRate, bps: bps)
    let scale = codecImpairment.scale
    let equipment = effectiveEquipmentImpairment(
      ie: codecImpairment.ie, bpl: codecImpairment.bpl, lossPercent: lossPercent, scale: scale.lossScale)
    let delay = scale.stretch * (delayMs.map { delayImpairment(delayMs: $0) } ?? 0)
    self.scale = scale
    source = codecImpairment.source
    rating = max(0, scale.best - delay - equipment)
    value = opinionScore(rating: rating / scale.stretch)
  }
}
