import Packets

/// The last few packets of a stream, for recognising packets that were captured twice, for example before and
/// after a router.
struct RecentPackets {
  /// How a packet relates to those captured before.
  enum Sighting {
    case first
    /// The same packet was captured a moment ago.
    case again
    /// On its way to the router on which the capture is taken. If it does not leave the router, it was lost
    /// there.
    case beforeRouter
    /// Leaving the router, after it was captured on its way there.
    case passedOn
  }

  private struct Seen {
    var sequence: UInt16 = 0
    var ipID: UInt16 = 0
    var timestamp: UInt32 = 0
    var timeNs: Int64 = .min
    var length = 0
    var ttl: UInt8 = 0
    var isBeforeRouter = false
  }

  private var seen = InlineArray<8, Seen>(repeating: Seen())
  /// The last number, and how many consecutive packets closely followed the one before. If all remembered
  /// packets did, the next one cannot be among them.
  private var last: UInt16 = 0
  private var inOrder = 0
  private static let closely: UInt16 = 4096
  /// The number of packets remembered so far.
  private var count = 0
  /// The maximum time between two captures of one packet; and the same if nothing in the packet identifies
  /// it.
  private static let nearNs: Int64 = 10_000_000
  private static let atOnceNs: Int64 = 1_000_000

  /// The evidence that every packet is captured twice, and the packet count at the last duplicate.
  private var certainty = 4
  private var countAtLast = 0
  private static let certainties = -8...16

  private var router = RouterLossDetector()
  /// Packets that reached the router and did not leave it.
  var notPassedOn: Int { router.notPassedOn }

  /// Classifies a packet and remembers it.
  ///
  /// A duplicate has the same IPv4 identification. If that is 0 or absent, the packet counts as a duplicate
  /// only if the capture is a cooked capture of `any`, or if nearly all packets are repeated. A router
  /// decrements the time to live.
  @inline(__always)
  mutating func take(_ packet: RTPPacket) -> Sighting {
    let length = packet.headerLength &+ packet.payloadLength
    let follows = packet.sequence &- last &- 1 < Self.closely
    if !follows || inOrder < 8, let sighting = sighting(packet, length) { return sighting }
    inOrder = follows ? inOrder &+ 1 : 0
    last = packet.sequence
    let isBeforeRouter = router.isBefore(packet)
    seen[count & 7] = Seen(
      sequence: packet.sequence, ipID: packet.ipID, timestamp: packet.timestamp, timeNs: packet.timeNs,
      length: length, ttl: packet.ttl, isBeforeRouter: isBeforeRouter)
    count &+= 1
    return isBeforeRouter ? .beforeRouter : .first
  }

  /// How a packet relates to an identical one captured before; nil if there is none.
  @inline(never)
  private mutating func sighting(_ packet: RTPPacket, _ length: Int) -> Sighting? {
    for i in 0..<8
    where seen[i].sequence == packet.sequence && seen[i].timestamp == packet.timestamp
      && seen[i].ipID == packet.ipID && seen[i].length == length
      && packet.timeNs &- seen[i].timeNs <= Self.nearNs && seen[i].timeNs != .min
      && (packet.ipID != 0 || packet.direction != .unknown
        || isOneOfAll(apartNs: packet.timeNs &- seen[i].timeNs))
    {
      return packet.ttl < seen[i].ttl ? passedOn(i, packet) : .again
    }
    return nil
  }

  private mutating func passedOn(_ index: Int, _ packet: RTPPacket) -> Sighting {
    let wasBeforeRouter = seen[index].isBeforeRouter
    (seen[index].ttl, seen[index].isBeforeRouter) = (packet.ttl, false)
    router.passes(packet, wasBefore: wasBeforeRouter)
    return wasBeforeRouter ? .passedOn : .again
  }

  /// Whether a packet that was immediately repeated is one of nearly all that are, at least two out of three,
  /// which no network causes.
  private mutating func isOneOfAll(apartNs: Int64) -> Bool {
    guard apartNs <= Self.atOnceNs else { return false }
    let others = max(0, min(count &- countAtLast, 16))
    certainty = max(Self.certainties.lowerBound, min(Self.certainties.upperBound, certainty + 3 - 2 * others))
    // A packet that is not recognised is remembered as well.
    countAtLast = certainty > 0 ? count : count &+ 1
    return certainty > 0
  }
}

/// Whether a capture sees the packets of a stream both before and after a router, as one taken on the router
/// does.
///
/// Packets that leave the router have passed; packets seen only before it were lost in it. If none has left
/// for a long time, the stream may take another route, and incoming packets count again.
private struct RouterLossDetector {
  /// Plus three for each packet that passes, minus one for each that arrives. Most packets may be lost, and a
  /// single coincidence has no effect.
  private var certainty = 0
  private static let enough = 12
  private static let maxCertain = 24
  private static let longestNs: Int64 = 5_000_000_000

  private var isSure = false
  /// The time to live after the router, and when a packet last left it.
  private var ttlBehind: UInt8 = 0
  private var passedNs: Int64 = 0
  /// Packets that reached the router and did not leave it.
  private(set) var notPassedOn = 0

  /// Whether a packet captured for the first time is still before the router.
  @inline(__always)
  mutating func isBefore(_ packet: RTPPacket) -> Bool {
    guard isSure else {
      if certainty > 0 { certainty -= 1 }
      return false
    }
    return packet.ttl > ttlBehind && waits(packet.timeNs)
  }

  @inline(never)
  private mutating func waits(_ timeNs: Int64) -> Bool {
    guard timeNs &- passedNs < Self.longestNs else {
      (isSure, certainty) = (false, 0)
      return false
    }
    notPassedOn += 1
    return true
  }

  /// Takes a packet that was captured before the router and now after it.
  mutating func passes(_ packet: RTPPacket, wasBefore: Bool) {
    certainty = min(Self.maxCertain, certainty + 3)
    if certainty >= Self.enough { isSure = true }
    (ttlBehind, passedNs) = (packet.ttl, packet.timeNs)
    if wasBefore { notPassedOn -= 1 }
  }
}

/// Recent datagrams other than RTP, for recognising those that were captured twice.
///
/// Mirror ports, `any` devices and bridges show the same bytes again immediately. Retransmissions come much
/// later: DTLS after 50 ms or more (libwebrtc), STUN and SIP after half a second.
struct RecentDatagrams {
  private struct Seen {
    var digest: UInt64
    var timeNs: Int64
  }

  /// The time of each datagram, by its digest.
  private var seenNs: [UInt64: Int64] = [:]
  /// The same in order of arrival.
  private var order = Queue<Seen>()
  /// The number of duplicates.
  private(set) var repeats = 0

  /// The maximum number of datagrams remembered; it covers more than 10 Gbit/s of small ones.
  private static let most = 1 << 16
  /// The maximum time between two captures of one datagram, ns.
  private static let nearNs: Int64 = 5_000_000
  /// The number of bytes that are compared; they include the tags of SIP messages.
  private static let longest = 1024

  /// Whether this datagram was captured a moment ago; if not, it is remembered.
  mutating func isSeenTwice(_ datagram: Datagram) -> Bool {
    guard datagram.transport == .udp, datagram.payload.count > 4 else { return false }
    forget(at: datagram.timeNs)
    let digest = self.digest(of: datagram)
    if let beforeNs = seenNs[digest], isNear(beforeNs, datagram.timeNs) {
      repeats += 1
      return true
    }
    if order.count == Self.most { forgetFirst() }
    seenNs[digest] = datagram.timeNs
    order.append(Seen(digest: digest, timeNs: datagram.timeNs))
    return false
  }

  private func isNear(_ aNs: Int64, _ bNs: Int64) -> Bool {
    (aNs &- bNs).magnitude <= Self.nearNs.magnitude
  }

  /// Forgets those that are too old.
  private mutating func forget(at timeNs: Int64) {
    while let first = order.first, !isNear(first.timeNs, timeNs) { forgetFirst() }
  }

  private mutating func forgetFirst() {
    guard let seen = order.popFirst() else { return }
    // It may have been captured again since, if times go back.
    if seenNs[seen.digest] == seen.timeNs { seenNs[seen.digest] = nil }
  }

  private func digest(of datagram: Datagram) -> UInt64 {
    let b = datagram.payload.first(Self.longest)
    var h = UInt64(datagram.ipID) << 32 ^ UInt64(truncatingIfNeeded: datagram.wireLength)
    func mix(_ value: UInt64) {
      h = (h ^ value) &* 0x9E37_79B9_7F4A_7C15
      h ^= h >> 29
    }
    func mix(_ end: Endpoint) {
      mix(end.address.high)
      mix(end.address.low)
      mix(UInt64(end.port))
    }
    mix(datagram.source)
    mix(datagram.destination)
    var at = 0
    while at + 8 <= b.count {
      mix(b.long(at))
      at += 8
    }
    while at < b.count {
      mix(UInt64(b.byte(at)))
      at += 1
    }
    return h ^ h >> 32
  }
}
