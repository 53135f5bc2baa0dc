/// Which part of time-stretching lost packets explain, 0–1; the rest is jitter's.
///
/// A buffer that loss emptied is filled again by slowing playout down, though every packet that came was in time.
///
/// - Parameters:
///   - stretched: share of playout put in and left out.
///   - missing: share of playout that lost packets left empty.
///   - late: share of playout made up for packets that came too late.
///   - jitterMs: RFC 3550 interarrival jitter; nil says nothing against loss.
func stretchByLoss(stretched: Double, missing: Double, late: Double, jitterMs: Double?) -> Double {
  guard stretched > 0, missing > 0 else { return 0 }
  let enough = min(1, mostStretchALoss * missing / stretched)
  let unshared = missing / (missing + max(0, late))
  let evenness = jitterMs.map { 1 - share(($0 - evenBelowMs) / (unevenFromMs - evenBelowMs)) } ?? 1
  return enough * unshared * evenness
}

/// Most stretching that loss alone brings, as a multiple of it: on calls recorded with nothing but loss it was up to 0.42.
private let mostStretchALoss = 0.4
/// Jitter to which a buffer need not adapt, and a whole packet of it, which loss has no part in, ms.
private let evenBelowMs = 10.0
private let unevenFromMs = 20.0
