import CallModel

/// When a call was over by what its ends tell, on the clock of one of them; nil where its recording ends about then, or nobody tells.
///
/// The first to hang up ends a call of two. Of a conference nobody but the end itself tells: others come and go.
func endOfCall(
  at endpoint: Int64, account: [EventRecord], events: [StoredEvent], recordedUntil lastMs: Double?
) -> Double? {
  guard let lastMs else { return nil }
  let least = lastMs - sameMomentMs
  let own = hangUp(account).flatMap { $0 < least ? $0 : nil }
  guard let other = OtherEnd(of: endpoint, events: events), let told = hangUp(other.account), told < least,
    let aheadMs = other.behindMs, told + aheadMs < least
  else { return own }
  let here = told + aheadMs
  return own.map { min($0, here) } ?? here
}

/// A recording that ends so soon after the call ended with it, ms.
private let sameMomentMs = 500.0

/// The last hang-up, unless the call was set up anew after it.
private func hangUp(_ events: [EventRecord]) -> Double? {
  let up = ["call.established", "dtls.connected", "ice.connected"]
  guard let last = events.last(where: { $0.event == "call.ended" && $0.ownTimeMs != nil }),
    let time = last.timeMs, !events.contains(where: { up.contains($0.event) && $0.timeMs ?? time > time })
  else { return nil }
  return time
}

/// The events of an end without the breaks of its path after the call was over: nobody answers its checks any more.
func withoutBreaks(_ account: [EventRecord], after overMs: Double) -> [EventRecord] {
  account.filter { event in
    guard let time = event.timeMs, time >= overMs else { return true }
    switch event.event {
    case "ice.disconnected", "ice.failed", "dtls.failed", "network.lost": return false
    // A state of the PeerConnection, where an SDK would mean the call.
    case "call.failed": return event.sdk != "w3c"
    default: return true
    }
  }
}
