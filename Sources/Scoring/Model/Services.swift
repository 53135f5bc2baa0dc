import CallModel

/// Scores and classes that services compute for their own dashboards.
extension PeerModel {
  /// livekit/livekit `pkg/sfu/connectionquality` (788d4c3): loss by a weight of the codec, delay as half the round trip
  /// and twice the jitter; smoothing and the bit rate score, which need the sender's targets, left out.
  func liveKitVerdict(_ stream: StreamFigures) -> Verdict? {
    guard let loss = stream.lossShare else { return nil }
    let weight = stream.kind == .video ? 10.0 : stream.errorCorrection ? 8 / 1.5 : 8
    let jitter = 2 * (stream.jitterMs ?? 0)
    let trip = (stream.roundTripMs ?? 0) / 2
    let latency = trip + jitter
    let taken = latency < 160 ? latency / 40 : (latency - 120) / 10
    let score = max(30, 100 - taken - weight * 100 * loss)
    let label = score > 80 ? "EXCELLENT" : score > 40 ? "GOOD" : "POOR"
    return Verdict(
      score: score, label: label,
      parts: [
        .loss: weight * 100 * loss, .delay: latency > 0 ? taken * trip / latency : 0,
        .jitter: latency > 0 ? taken * jitter / latency : 0,
      ])
  }

  /// jitsi/lib-jitsi-meet `ConnectionQuality.ts` (01daa07), audio only: steps of loss; its limit on rises left out.
  func jitsiVerdict(_ stream: StreamFigures) -> Verdict? {
    guard let loss = stream.lossShare else { return nil }
    let steps: [(Double, Double)] = [(0.02, 100), (0.04, 70), (0.06, 50), (0.08, 30), (0.12, 10)]
    let score = steps.first { loss <= $0.0 }?.1 ?? 0
    return Verdict(score: score, label: "\(Int(score)) %", parts: [.loss: 100 - score])
  }

  /// Pexip media statistics: loss under 1 % Good, 3 % OK, 10 % Bad, else Terrible; its majority of three windows left out.
  func pexipVerdict(_ stream: StreamFigures) -> Verdict? {
    guard let loss = stream.lossShare else { return nil }
    let (level, score) =
      loss < 0.01 ? ("Good", 100.0) : loss < 0.03 ? ("OK", 67) : loss < 0.10 ? ("Bad", 33) : ("Terrible", 0)
    return Verdict(score: score, label: level, parts: [.loss: 100 - score])
  }

  /// Microsoft Teams CQD stream classification: audio Poor above 500 ms, 10 % or 30 ms; video by frame rate, else by loss.
  func cqdVerdict(_ stream: StreamFigures) -> Verdict? {
    var reasons: ByCause<Double> = [:]
    switch stream.kind {
    case .audio:
      guard stream.lossShare != nil || stream.roundTripMs != nil || stream.jitterMs != nil else {
        return nil
      }
      if stream.roundTripMs ?? 0 > 500 { reasons[.delay] = 1 }
      if stream.lossShare ?? 0 > 0.1 { reasons[.loss] = 1 }
      if stream.jitterMs ?? 0 > 30 { reasons[.jitter] = 1 }
    case .video:
      if let rate = stream.framesPerSecond {
        if rate < (stream.screen ? 2 : 7) { reasons[.framerate] = 1 }
      } else if let loss = stream.lossShare {
        if loss > 0.15 { reasons[.loss] = 1 }
      } else {
        return nil
      }
    }
    return Verdict(
      score: reasons.isEmpty ? 100 : 0, label: reasons.isEmpty ? "Good" : "Poor", parts: reasons)
  }

  /// What arrived, in per cent: the plainest of all.
  func lossVerdict(_ stream: StreamFigures) -> Verdict? {
    guard let loss = stream.lossShare else { return nil }
    return Verdict(score: 100 * (1 - loss), label: "\(twoDecimals(100 * loss)) % lost", parts: [.loss: loss])
  }

  /// The E-model by the book, from packet loss: narrowband with G.711 and its concealment, or the codec's own band.
  func eModelVerdict(_ stream: StreamFigures, narrowband: Bool) -> Verdict? {
    guard let loss = stream.lossShare else { return nil }
    let delay = stream.audio?.delayMs
    if narrowband {
      var model = NarrowbandEModel()
      (model.bpl, model.ppl) = (25.1, 100 * loss)
      model.ta = delay ?? 0
      let mos = opinionScore(rating: model.rating)
      return Verdict(
        score: model.rating / OpinionScale.narrowband.best * 100, label: "MOS \(twoDecimals(mos)) NB",
        parts: [.loss: model.equipment, .delay: model.delay])
    }
    let opinion = AbsoluteOpinion(
      codec: stream.codec, bps: stream.bps, lossPercent: 100 * loss, delayMs: delay)
    let clean = AbsoluteOpinion(codec: stream.codec, bps: stream.bps, lossPercent: 0, delayMs: nil)
    let late = AbsoluteOpinion(codec: stream.codec, bps: stream.bps, lossPercent: 0, delayMs: delay)
    return Verdict(
      score: opinion.rating / opinion.scale.best * 100,
      label: "MOS \(twoDecimals(opinion.value)) \(opinion.scale.rawValue) (\(opinion.source.rawValue))",
      parts: [
        .loss: late.rating - opinion.rating, .delay: clean.rating - late.rating,
        .bitrate: opinion.scale.best - clean.rating,
      ])
  }
}

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
