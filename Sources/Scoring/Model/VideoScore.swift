import CallModel
import Glibc

/// Video quality of one interval: a product of factors, so that the shares of their logarithms attribute it exactly.
public func videoScore(_ impairments: VideoImpairments, _ constants: VideoConstants) -> MediumScore {
  let c = constants
  if impairments.dead { return MediumScore(listening: 0, conversing: 0, lost: [.freeze: 100]) }
  var nepers = ByCause<Double>()
  if let frozen = impairments.freezeShare {
    nepers[.freeze] =
      c.freezeShareWeight * share(frozen) + c.freezeWeight
      * min(max(impairments.freezes, 0), c.freezesCounted)
  }
  if let rate = impairments.frameRate, let reference = impairments.frameRateReference, reference > 0 {
    let ratio = rate / min(c.enoughFrameRate, reference)
    nepers[.framerate] = -log(starFactor(ratio, c.frameRateSteepness, c.frameRateExponent))
  }
  if let pixels = impairments.pixels, let reference = impairments.pixelsReference, reference > 0 {
    nepers[.resolution] = -log(starFactor(pixels / reference, c.resolutionSteepness, c.resolutionExponent))
  }
  if let loss = impairments.lossShare {
    nepers[.loss] = -log(1 - c.lossCost * (1 - exp(-100 * share(loss) / c.lossScale)))
  }
  if let bps = impairments.bps, let reference = impairments.bpsReference, reference > bps {
    nepers[.bitrate] = -log(max(0.01, 1 - c.bitrateWeight * log(reference / max(1, bps))))
  }
  let looking = exp(-nepers.sum)
  if let delay = impairments.delayMs, delay > 0 {
    nepers[.delay] = -log(1 - delayImpairment(delayMs: delay) / 100)
  }

  let sum = nepers.sum
  let quality = exp(-sum)
  guard sum > 0 else { return MediumScore(listening: 100, conversing: 100, lost: [:]) }
  return MediumScore(
    listening: 100 * looking, conversing: 100 * quality,
    lost: nepers.mapValues { 100 * (1 - quality) * $0 / sum })
}

/// Inverted exponential of Q-STAR (Ou, Ma, Wang 2014): 1 at full rate or size, falling to a small positive floor.
private func starFactor(_ ratio: Double, _ steepness: Double, _ exponent: Double) -> Double {
  guard ratio < 1 else { return 1 }
  let value = (1 - exp(-steepness * pow(max(0, ratio), exponent))) / (1 - exp(-steepness))
  return max(1e-6, value)
}
