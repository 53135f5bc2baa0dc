import CallModel
import Packets

/// Finds out which end of a path is the capturing host.
extension MediaTransport {
  /// What the user and the file name say about it.
  struct LocalHints {
    /// The side of the call given by the file name.
    var side: CallSide?
    /// The address of the capturing host given by the user.
    var address: Address?
  }

  /// The evidence used; nil if there is none, or if the capture was taken between the ends.
  struct Local {
    var end: Int?
    var isMiddle = false
  }

  /// Uses, in this order: the address given by the user; the direction in a cooked capture; one end answering
  /// at once and the other late; packets that have not passed a router; a private address that talks to a
  /// public one; and last, the side given by the file name (the offerer controls ICE and sends the INVITE).
  func local(_ hints: LocalHints) -> Int? {
    if let end = hints.address.flatMap(end(of:)) { return end }
    if let end = byLinkLayer() ?? byAnswers() { return end }
    let hops = byHops()
    if hops.end != nil || hops.isMiddle { return hops.end }
    return byAddress() ?? byName(hints.side)
  }

  /// Takes the direction in which a packet of an end was captured. A forwarding host is both ends.
  func passed(_ direction: LinkDirection, from end: Int) {
    switch direction {
    case .sent: self[end].asHost += 1
    case .received: self[1 - end].asHost += 1
    case .passing, .unknown: break
    }
  }

  private func byLinkLayer() -> Int? {
    let (a, b) = (ends.0.asHost, ends.1.asHost)
    guard max(a, b) > 0, min(a, b) * 10 < max(a, b) else { return nil }
    return a > b ? 0 : 1
  }

  private func byAnswers() -> Int? {
    guard let a = ends.0.meanAnswerMs, let b = ends.1.meanAnswerMs else { return nil }
    // A host answers within a few milliseconds. The far end must take at least five times as long to be
    // distinguished.
    guard max(a, b) > 5, min(a, b) * 5 < max(a, b) else { return nil }
    return a < b ? 0 : 1
  }

  /// Hosts send packets with a time to live of 64, 128 or 255, and every router decrements it. If the packets
  /// of both ends have passed routers, the capture was taken between them, regardless of its file name.
  private func byHops() -> Local {
    guard let a = isOfHost(0), let b = isOfHost(1), a && b == false || b && a == false || !a else {
      return Local()
    }
    return a == b ? Local(isMiddle: true) : Local(end: a ? 0 : 1)
  }

  /// Whether packets of an end have the time to live with which hosts send; nil if unknown.
  private func isOfHost(_ end: Int) -> Bool? {
    let most = media.filter { $0.sender == end && $0.ttl > 0 }.max { $0.sequence.unique < $1.sequence.unique }
    return most.map { [64, 128, 255].contains($0.ttl) }
  }

  private func byAddress() -> Int? {
    guard let one = ends.0.addresses.first?.address, let other = ends.1.addresses.first?.address,
      one.isPrivate != other.isPrivate, !one.isLoopback, !other.isLoopback
    else { return nil }
    return one.isPrivate ? 0 : 1
  }

  private func byName(_ side: CallSide?) -> Int? {
    guard let side else { return nil }
    func end(_ starts: (Bool?, Bool?)) -> Int? {
      let first = starts.0 ?? starts.1.map { !$0 }
      guard let first else { return nil }
      return (side == .caller) == first ? 0 : 1
    }
    return end((ends.0.invited, ends.1.invited)) ?? end((ends.0.controls, ends.1.controls))
  }
}

/// The side of a call given by a file name.
enum CallSide: String {
  case caller, callee

  /// Fails if the file name gives no side or both.
  init?(fileName: String) {
    let name = fileName.lowercased()
    switch (name.contains("caller"), name.contains("callee")) {
    case (true, false): self = .caller
    case (false, true): self = .callee
    default: return nil
    }
  }

  /// Whether what is known about an end contradicts this side: the end that sent the INVITE or controls ICE
  /// is the caller.
  func contradicts(_ end: TransportEnd) -> Bool {
    (end.invited ?? end.controls).map { $0 != (self == .caller) } ?? false
  }
}

/// A call that a back-to-back user agent forwards without changing its media: one SSRC enters on one leg and
/// leaves on the other.
extension MediaTransport {
  /// The maximum number of packets that a relay may hold back, and the maximum time, ns.
  fileprivate static let nearby = 50
  fileprivate static let nearbyNs: UInt64 = 1_000_000_000

  /// Returns the call of which this one proves to be a leg because of a new stream: the call of an earlier
  /// stream with the same SSRC, if one begins at the address where the other ended. Returns this call if
  /// nothing shows that.
  func whole(
    _ known: ArraySlice<MediaStream>?, _ first: RTPPacket, _ source: Endpoint, _ destination: Endpoint,
    by sender: Int
  ) -> MediaTransport {
    guard call != nil, SSRC.isRandom(first.ssrc), let known else { return self }
    for earlier in known.reversed() {
      let other = earlier.path
      guard other !== self, other.call != nil, earlier.sender == sender,
        earlier.isPassedOn(by: first, from: source, to: destination)
      else { continue }
      if let whole = joinLeg(with: other) { return whole }
    }
    return self
  }

  /// Joins this call and another one that is a leg of the same, if nothing contradicts; returns the first.
  @discardableResult
  func joinLeg(with other: MediaTransport) -> MediaTransport? {
    let (whole, leg) = number < other.number ? (self, other) : (other, self)
    guard whole.isWhole(with: leg) else { return nil }
    whole.takeIn(leg: leg)
    return whole
  }

  /// Whether a leg may belong to this call: the caller is known for both, and the leg has not been reported
  /// yet.
  private func isWhole(with leg: MediaTransport) -> Bool {
    whole == nil && leg.whole == nil && overNs == nil && leg.overNs == nil && ends.0.invited != nil
      && ends.0.invited == leg.ends.0.invited && leg.ends.0.connection == nil && leg.ends.1.connection == nil
  }

  /// Merges another leg into this call. Its events have already been reported here.
  private func takeIn(leg: MediaTransport) {
    leg.demoteEvents()
    let callee = ends.0.invited == true ? 1 : 0
    let reached = leg[callee]
    takeIn(leg, isTurned: false)
    for name in leg.legs.union([leg.call].compactMap { $0 }) { addLeg(name) }
    self[callee].reached(reached)
  }
}

extension MediaStream {
  /// Whether its receiver forwards it, as a packet between other addresses shows, or it is itself the
  /// forwarded stream.
  fileprivate func isPassedOn(by packet: RTPPacket, from start: Endpoint, to end: Endpoint) -> Bool {
    let isNext = destination.address == start.address && end.address != source.address
    let isBefore = end.address == source.address && start.address != destination.address
    let behind = Int16(bitPattern: packet.sequence &- UInt16(truncatingIfNeeded: sequence.highest))
    return (isNext || isBefore) && behind.magnitude <= MediaTransport.nearby
      && (packet.timeNs &- lastNs).magnitude <= MediaTransport.nearbyNs
      && mainType ?? packet.payloadType == packet.payloadType
  }
}
