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
  return enough * unshared * evenness(jitterMs)
}

/// Which part of time-stretching the receiver's own wish explains, 0–1: it slows playout down to hold sound longer than the
/// network needs, be it that its page asks for that or that it waits for the picture, and speeds up when it may let go.
///
/// - Parameters:
///   - heldMs: how much longer; nil says nothing.
///   - jitterMs: RFC 3550 interarrival jitter; nil says nothing against it.
func stretchByWish(heldMs: Double?, jitterMs: Double?) -> Double {
  guard let heldMs else { return 0 }
  return share((heldMs - heldFromMs) / (heldAllMs - heldFromMs)) * evenness(jitterMs)
}

/// How evenly packets come, 0–1.
private func evenness(_ jitterMs: Double?) -> Double {
  jitterMs.map { 1 - share(($0 - evenBelowMs) / (unevenFromMs - evenBelowMs)) } ?? 1
}

/// Lip sync moves a buffer by so little without being heard; more than a packet is what playout follows, ms.
private let heldFromMs = 10.0
private let heldAllMs = 30.0

/// Most stretching that loss alone brings, as a multiple of it: on calls recorded with nothing but loss it was up to 0.42.
private let mostStretchALoss = 0.4
/// Jitter to which a buffer need not adapt, and a whole packet of it, which loss has no part in, ms.
private let evenBelowMs = 10.0
private let unevenFromMs = 20.0
