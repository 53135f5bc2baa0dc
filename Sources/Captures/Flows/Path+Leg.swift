import CallModel

/// A call that a back-to-back user agent carries on with media that it passes on as it is: one SSRC goes in on one leg and out on
/// the other.
extension Path {
  /// Packets that a relay may hold back, and for how long, ns.
  fileprivate static let nearby = 50
  fileprivate static let nearbyNs: UInt64 = 1_000_000_000

  /// The whole of which a new stream shows that this call is a part: that of an earlier stream of its SSRC, where one goes on
  /// from where the other went to. Itself where nothing shows that.
  func whole(
    _ known: ArraySlice<MediaStream>?, _ first: RTPPacket, _ source: Endpoint, _ destination: Endpoint,
    by sender: Int
  ) -> Path {
    guard call != nil, SSRC.isRandom(first.ssrc), let known else { return self }
    for earlier in known.reversed() {
      let other = earlier.path
      guard other !== self, other.call != nil, earlier.sender == sender,
        earlier.isPassedOn(by: first, from: source, to: destination)
      else { continue }
      let (whole, leg) = number < other.number ? (self, other) : (other, self)
      guard whole.isWhole(with: leg) else { continue }
      whole.takeIn(leg: leg)
      return whole
    }
    return self
  }

  /// Whether a leg may be a part of this call: who called is known of both, and nobody was told of the leg yet.
  private func isWhole(with leg: Path) -> Bool {
    whole == nil && leg.whole == nil && overNs == nil && leg.overNs == nil && ends.0.invited != nil
      && ends.0.invited == leg.ends.0.invited && leg.ends.0.connection == nil && leg.ends.1.connection == nil
  }

  /// Takes in another leg; what was told of it was told here.
  private func takeIn(leg: Path) {
    leg.demoteHappenings()
    let callee = ends.0.invited == true ? 1 : 0
    let reached = leg[callee]
    takeIn(leg, isTurned: false)
    for name in leg.legs.union([leg.call].compactMap { $0 }) { addLeg(name) }
    self[callee].reached(reached)
  }
}

extension MediaStream {
  /// Whether its receiver passes it on, as a packet between other addresses shows, or it is what is passed on itself.
  fileprivate func isPassedOn(by packet: RTPPacket, from start: Endpoint, to end: Endpoint) -> Bool {
    let isNext = destination.address == start.address && end.address != source.address
    let isBefore = end.address == source.address && start.address != destination.address
    let behind = Int16(bitPattern: packet.sequence &- UInt16(truncatingIfNeeded: sequence.highest))
    return (isNext || isBefore) && behind.magnitude <= Path.nearby
      && (packet.timeNs &- lastNs).magnitude <= Path.nearbyNs
      && mainType ?? packet.payloadType == packet.payloadType
  }
}
