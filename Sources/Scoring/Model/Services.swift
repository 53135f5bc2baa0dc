import CallModel

/// Scores and classes that services compute for their own dashboards.
extension PeerModel {
  /// livekit/livekit `pkg/sfu/connectionquality` (788d4c3): loss weighted by codec, delay as half the round trip plus
  /// twice the jitter. Smoothing and the bit rate score, which need the sender's targets, are omitted.
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

  /// jitsi/lib-jitsi-meet `ConnectionQuality.ts` (01daa07), audio only: steps by loss. Its limit on rises is omitted.
  func jitsiVerdict(_ stream: StreamFigures) -> Verdict? {
    guard let loss = stream.lossShare else { return nil }
    let steps: [(Double, Double)] = [(0.02, 100), (0.04, 70), (0.06, 50), (0.08, 30), (0.12, 10)]
    let score = steps.first { loss <= $0.0 }?.1 ?? 0
    return Verdict(score: score, label: "\(Int(score)) %", parts: [.loss: 100 - score])
  }

  /// Pexip media statistics: loss below 1 % is Good, 3 % OK, 10 % Bad, otherwise Terrible. Its majority of three
  /// windows is omitted.
  func pexipVerdict(_ stream: StreamFigures) -> Verdict? {
    guard let loss = stream.lossShare else { return nil }
    let (level, score) =
      loss < 0.01 ? ("Good", 100.0) : loss < 0.03 ? ("OK", 67) : loss < 0.10 ? ("Bad", 33) : ("Terrible", 0)
    return Verdict(score: score, label: level, parts: [.loss: 100 - score])
  }

  /// Microsoft Teams CQD stream classification: audio is Poor above 500 ms, 10 % or 30 ms; video by frame rate,
  /// otherwise by loss.
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

  /// The percentage of packets that arrived.
  func lossVerdict(_ stream: StreamFigures) -> Verdict? {
    guard let loss = stream.lossShare else { return nil }
    return Verdict(score: 100 * (1 - loss), label: "\(twoDecimals(100 * loss)) % lost", parts: [.loss: loss])
  }

  /// The standard E-model from packet loss: narrowband with G.711 and concealment, or the codec's own band.
  func eModelVerdict(_ stream: StreamFigures, narrowband: Bool) -> Verdict? {
    guard let loss = stream.lossShare else { return nil }
    let delay = stream.audio?.delayMs
    if narrowband {
      var model = NarrowbandEModel()
      (model.bpl, model.ppl) = (25.1, 100 * loss)
      model.ta = delay ?? 0
      let mos = meanOpinionScore(rating: model.rating)
      return Verdict(
        score: model.rating / MOSScale.narrowband.best * 100, label: "MOS \(twoDecimals(mos)) NB",
        parts: [.loss: model.equipment, .delay: model.delay])
    }
    guard
      let mos = MeanOpinionScore(
        codec: stream.codec, bps: stream.bps, lossPercent: 100 * loss, delayMs: delay),
      let clean = MeanOpinionScore(codec: stream.codec, bps: stream.bps, lossPercent: 0, delayMs: nil),
      let late = MeanOpinionScore(codec: stream.codec, bps: stream.bps, lossPercent: 0, delayMs: delay)
    else { return nil }
    return Verdict(
      score: mos.rating / mos.scale.best * 100,
      label: "MOS \(twoDecimals(mos.value)) \(mos.scale.rawValue) (\(mos.source.rawValue))",
      parts: [
        .loss: late.rating - mos.rating, .delay: clean.rating - late.rating,
        .bitrate: mos.scale.best - clean.rating,
      ])
  }
}

/// A mean opinion score with its scale and the reliability of its codec constants.
public struct MeanOpinionScore: Sendable, Equatable {
  /// 1 to 4.5.
  public var value: Double
  public var rating: Double
  public var scale: MOSScale
  public var source: ImpairmentSource

  /// E-model of the codec's own band: G.107, G.107.1 or G.107.2. Fails for a codec without a known impairment.
  ///
  /// - Parameters:
  ///   - codec: RTP name.
  ///   - clockRate: RTP clock rate in Hz, used if there is no name.
  ///   - bps: payload bit rate; nil for the codec's usual one.
  ///   - lossPercent: percentage of missing audio: effective concealment if known, otherwise loss.
  ///   - delayMs: mouth-to-ear delay; nil for no impairment.
  public init?(
    codec: String?, clockRate: Int? = nil, bps: Double?, lossPercent: Double, delayMs: Double?
  ) {
    guard let codecImpairment = CodecImpairment.of(codec: codec, clockRate: clockRate, bps: bps) else {
      return nil
    }
    let scale = codecImpairment.scale
    let equipment = effectiveEquipmentImpairment(
      ie: codecImpairment.ie, bpl: codecImpairment.bpl, lossPercent: lossPercent, scale: scale.lossScale)
    let delay = scale.stretch * (delayMs.map { delayImpairment(delayMs: $0) } ?? 0)
    self.scale = scale
    source = codecImpairment.source
    rating = max(0, scale.best - delay - equipment)
    value = meanOpinionScore(rating: rating / scale.stretch)
  }
}
