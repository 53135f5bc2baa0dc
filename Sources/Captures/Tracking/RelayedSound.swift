import Packets

/// Finds legs of a call between which an agent relays the sound under an SSRC and numbers of its own: what enters on one
/// leg leaves on the other soon after. Where the agent codes it anew, nothing shows it.
struct RelayedSound {
  /// A packet that went to a host.
  private struct Packet {
    let path: MediaTransport
    let sender: Int
    let destination: Address
    let timeNs: Int64
  }

  /// A sound and the leg on which it may have come.
  private struct Pair: Hashable {
    let from: ObjectIdentifier
    let to: ObjectIdentifier
    let sender: Int
  }

  private var seen: [UInt64: Packet] = [:]
  private var alike: [Pair: Int] = [:]

  /// Packets of each side of a flow that are compared, as many as come in 5 s; and equal ones that prove a leg: a
  /// melody or a tone that two calls have is played by the agent, and enters nowhere.
  static let (compared, enough) = (250, 8)
  /// The most packets that are kept, and how long an agent may hold one back, ns.
  private static let (most, heldNs) = (8192, UInt64(1_000_000_000))

  /// Takes a packet of a call; returns the call that is proven to be another leg of it.
  mutating func take(
    _ payload: Octets, of path: MediaTransport, from sender: Int, _ source: Address, to destination: Address,
    at timeNs: Int64
  ) -> MediaTransport? {
    guard let content = Self.content(of: payload) else { return nil }
    let earlier = seen[content]
    if seen.count >= Self.most { seen = [:] }
    seen[content] = Packet(path: path, sender: sender, destination: destination, timeNs: timeNs)
    guard let earlier, earlier.path !== path, earlier.sender == sender, earlier.destination == source,
      destination != source, earlier.path.whole == nil, (timeNs &- earlier.timeNs).magnitude <= Self.heldNs
    else { return nil }
    let pair = Pair(from: ObjectIdentifier(earlier.path), to: ObjectIdentifier(path), sender: sender)
    alike[pair, default: 0] += 1
    return alike[pair] == Self.enough ? earlier.path : nil
  }

  /// A hash of the beginning of a payload; nil of silence and of what is too short to be unlike others.
  private static func content(of payload: Octets) -> UInt64? {
    guard payload.count >= 20 else { return nil }
    var (hash, isEven) = (UInt64(payload.count), true)
    let first = payload.long(0)
    for at in stride(from: 0, to: min(payload.count - 7, 64), by: 8) {
      let word = payload.long(at)
      if word != first { isEven = false }
      hash = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
      hash ^= hash >> 29
    }
    return isEven ? nil : hash
  }
}

extension StreamRegistry {
  /// Joins two calls that carry the same sound to and from one host.
  func compare(_ packet: RTPPacket, _ payload: Octets, _ flow: Flow, _ fromLow: Bool) {
    guard let path = flow.path, path.call != nil, !path.isWebRTC else { return }
    (fromLow ? flow.low : flow.high).compared += 1
    let (source, destination) =
      fromLow ? (flow.key.low, flow.key.high) : (flow.key.high, flow.key.low)
    let other = relayed.take(
      payload.from(packet.headerLength), of: path, from: fromLow ? flow.lowEnd : 1 - flow.lowEnd,
      source.address, to: destination.address, at: packet.timeNs)
    guard let other else { return }
    interrupt()
    path.joinLeg(with: other)
  }
}
