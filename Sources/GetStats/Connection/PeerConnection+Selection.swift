import CallModel

extension PeerConnection {
  /// Under BUNDLE there is one; else, of those with a selected pair, the one that was taken before: that the media of others goes
  /// another way is no change of this. At first the one that carries most.
  func carryingTransport() -> Report? {
    let transports = presentReports.filter { $0.type == .transport || $0.type == .googComponent }
    let selected = transports.filter { !$0.bytes(.selectedPair).isEmpty }
    let open = selected.filter { $0.text(.dtlsState) != "closed" }
    let candidates = !open.isEmpty ? open : !selected.isEmpty ? selected : transports
    if let taken = path.transport, taken.number(.bytesReceived) ?? 0 > 0,
      candidates.contains(where: { $0 === taken })
    {
      return taken
    }
    return candidates.max { ($0.number(.bytesReceived) ?? 0) < ($1.number(.bytesReceived) ?? 0) }
  }

  /// The pair that the transport names; else (Firefox, Safari, goog-*) the one that says so itself; else one that works.
  func selectedPair() -> Report? {
    if let named = path.transport?.bytes(.selectedPair), let pair = present(named) { return pair }
    let pairs = presentReports.filter { $0.type == .pair || $0.type == .googPair }
    if let pair = pairs.first(where: { $0.number(.selected) == 1 }) { return pair }
    path.nominated = pairs.filter { $0.number(.nominated) == 1 }
    return carryingPair()
  }

  /// Of nominated pairs, which after an ICE restart may be several, the one whose bytes grow: that of before as long as its own
  /// do. At first the one that has most.
  func carryingPair() -> Report? {
    let working = path.nominated.filter { $0.snapshot == snapshot && $0.text(.pairState) == "succeeded" }
    guard let taken = path.pair, working.contains(where: { $0 === taken }) else {
      return working.max { ($0.number(.bytesReceived) ?? 0) < ($1.number(.bytesReceived) ?? 0) }
    }
    guard taken.newBytes <= 0 else { return taken }
    // Without BUNDLE each transport has a pair of its own.
    let transport = taken.bytes(.transportId)
    let others = working.filter { $0.newBytes > 0 && $0.bytes(.transportId) == transport }
    return others.max { $0.newBytes < $1.newBytes } ?? taken
  }
}

extension Report {
  /// Bytes that the pair carried, both ways.
  var carriedBytes: Double { (number(.bytesReceived) ?? 0) + (number(.bytesSent) ?? 0) }

  /// How many of them since the snapshot before.
  fileprivate var newBytes: Double { carriedBytes - carriedBefore }
}
