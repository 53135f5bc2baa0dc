import CallModel
import Packets

/// Which end of a path is the capturing host.
extension MediaTransport {
  /// What the user and the file say of it.
  struct LocalHints {
    /// The side of the call that the file's name gives.
    var side: CallSide?
    /// The address that the user gave for the capturing host.
    var address: Address?
  }

  /// What it was decided by; nil where nothing tells, or a capture between the two ends.
  struct Local {
    var end: Int?
    var isMiddle = false
  }

  /// In order: the address that the user gave; what a cooked capture says; answers at once by one end and late by the other;
  /// packets that no router has passed on; a private address that talks to a public one; last the end that the file's name
  /// gives (an offerer controls ICE and sends the INVITE).
  func local(_ hints: LocalHints) -> Int? {
    if let end = hints.address.flatMap(end(of:)) { return end }
    if let end = byLinkLayer() ?? byAnswers() { return end }
    let hops = byHops()
    if hops.end != nil || hops.isMiddle { return hops.end }
    return byAddress() ?? byName(hints.side)
  }

  private func byLinkLayer() -> Int? {
    let a = ends.0.sentByHost
    let b = ends.1.sentByHost
    guard max(a, b) > 0, min(a, b) * 10 < max(a, b) else { return nil }
    return a > b ? 0 : 1
  }

  private func byAnswers() -> Int? {
    guard let a = ends.0.meanAnswerMs, let b = ends.1.meanAnswerMs else { return nil }
    // A host answers within a few milliseconds; the far end needs at least five times as long, or it cannot be told.
    guard max(a, b) > 5, min(a, b) * 5 < max(a, b) else { return nil }
    return a < b ? 0 : 1
  }

  /// Hosts send with 64, 128 or 255 left to live, and every router takes one off. Where both ends' packets have passed some, the
  /// capture was taken between them, whatever its file is called.
  private func byHops() -> Local {
    guard let a = isOfHost(0), let b = isOfHost(1), a && b == false || b && a == false || !a else {
      return Local()
    }
    return a == b ? Local(isMiddle: true) : Local(end: a ? 0 : 1)
  }

  /// Whether packets of an end come as a host sends them; nil where that is not known.
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

/// The side of a call that a file's name gives.
enum CallSide: String {
  case caller, callee

  /// The side named in a file name; nil where it names none or both.
  init?(fileName: String) {
    let name = fileName.lowercased()
    switch (name.contains("caller"), name.contains("callee")) {
    case (true, false): self = .caller
    case (false, true): self = .callee
    default: return nil
    }
  }

  /// Whether what is known of an end speaks against it: who sent the INVITE, or controls ICE, called.
  func contradicts(_ end: TransportEnd) -> Bool {
    (end.invited ?? end.controls).map { $0 != (self == .caller) } ?? false
  }
}

/// A call that a back-to-back user agent carries on with media that it passes on as it is: one SSRC goes in on one leg and out on
/// the other.
extension MediaTransport {
  /// Packets that a relay may hold back, and for how long, ns.
  fileprivate static let nearby = 50
  fileprivate static let nearbyNs: UInt64 = 1_000_000_000

  /// The whole of which a new stream shows that this call is a part: that of an earlier stream of its SSRC, where one goes on
  /// from where the other went to. Itself where nothing shows that.
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
      let (whole, leg) = number < other.number ? (self, other) : (other, self)
      guard whole.isWhole(with: leg) else { continue }
      whole.takeIn(leg: leg)
      return whole
    }
    return self
  }

  /// Whether a leg may be a part of this call: who called is known of both, and nobody was told of the leg yet.
  private func isWhole(with leg: MediaTransport) -> Bool {
    whole == nil && leg.whole == nil && overNs == nil && leg.overNs == nil && ends.0.invited != nil
      && ends.0.invited == leg.ends.0.invited && leg.ends.0.connection == nil && leg.ends.1.connection == nil
  }

  /// Takes in another leg; what was told of it was told here.
  private func takeIn(leg: MediaTransport) {
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
    return (isNext || isBefore) && behind.magnitude <= MediaTransport.nearby
      && (packet.timeNs &- lastNs).magnitude <= MediaTransport.nearbyNs
      && mainType ?? packet.payloadType == packet.payloadType
  }
}
