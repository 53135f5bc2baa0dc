import CallModel

/// A medium's quality in one interval, and where its points went.
public struct MediumScore: Sendable, Equatable {
  /// Quality to one who only listens or looks, 0–100: delay left out.
  public var listening: Double
  /// Quality to one who converses, 0–100: delay included.
  public var conversing: Double
  /// Points per cause; they add up to 100 − `conversing`.
  public var lost: ByCause<Double>
}

/// Audio quality of one interval.
///
/// `I = (100 + B) e' / (e' + B)`: the E-model's `Ie,eff` with its 95 replaced so that nothing but concealment is 0.
/// Time-stretching, by which the jitter buffer follows late packets and fills up again after lost ones, adds to the
/// effective concealment `e`.
public func audioScore(
  _ impairments: AudioImpairments, _ constants: AudioConstants, codecNeutral: Bool = false
) -> MediumScore {
  let b = constants.halfPoint(of: impairments.codec, neutral: codecNeutral)
  let salience = constants.weighsLoudness ? max(0, impairments.salience) : 1
  let missing =
    100
    * (share(impairments.lostShare * salience) + constants.restoredWeight * share(impairments.restoredShare))
  let late = 100 * share(impairments.lateShare * salience)
  let stretch = 100 * (share(impairments.slowedShare) + share(impairments.hurriedShare))
  let stretched = constants.stretchWeight * max(0, stretch - constants.stretchDeadBand)
  let explained = stretched * share(impairments.stretchByLoss)
  let wished = stretched * min(share(impairments.stretchByWish), 1 - share(impairments.stretchByLoss))
  let all = missing + (late + stretched)
  let effective = max(0, all - constants.deadBand)
  let concealment = min(100, (100 + b) * effective / (effective + b))
  let delay = impairments.delayMs.map { delayImpairment(delayMs: $0) } ?? 0
  let conversing = max(0, 100 - concealment - delay)

  var lost: ByCause<Double> = [:]
  let whole = concealment + delay
  if whole > 0 {
    let scale = (100 - conversing) / whole
    if all > 0 {
      lost[.loss] = concealment * scale * (missing + explained) / all
      lost[.jitter] = concealment * scale * max(0, late + (stretched - explained - wished)) / all
    }
    lost[.delay] = delay * scale + (all > 0 ? concealment * scale * wished / all : 0)
  }
  return MediumScore(listening: 100 - concealment, conversing: conversing, lost: lost)
}

/// A share as far as it can be one: hostile input must not leave 0–1.
func share(_ value: Double) -> Double {
  value > 0 ? min(1, value) : 0
}
