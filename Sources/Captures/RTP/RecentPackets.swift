import Packets

/// The last few packets of a stream, to know one that the capture merely saw twice, or before and behind a router.
struct RecentPackets {
  /// What a packet is.
  enum Sighting {
    case first
    /// Captured a moment ago.
    case again
    /// On its way to the router that this capture is taken on: what does not come out of it was lost there.
    case onItsWay
    /// Out of the router, and seen on its way to it.
    case passedOn
  }

  private struct Seen {
    var sequence: UInt16 = 0
    var ipID: UInt16 = 0
    var timestamp: UInt32 = 0
    var timeNs: Int64 = .min
    var length = 0
    var ttl: UInt8 = 0
    var isOnItsWay = false
  }

  private var seen = InlineArray<8, Seen>(repeating: Seen())
  /// The number of the last, and how many in a row followed closely on the one before: where all those remembered did, none of
  /// them can be the next one as well.
  private var last: UInt16 = 0
  private var inOrder = 0
  private static let closely: UInt16 = 4096
  /// Packets remembered so far.
  private var count = 0
  /// Two sightings of one packet are this close, and where nothing in them says that they are one.
  private static let nearNs: Int64 = 10_000_000
  private static let atOnceNs: Int64 = 1_000_000

  /// How sure it is that every packet comes twice, and how many there had been at the last that did.
  private var certainty = 4
  private var countAtLast = 0
  private static let certainties = -8...16

  private var router = RouterLossDetector()
  /// Packets that came to the router, and not out of it.
  var notPassedOn: Int { router.notPassedOn }

  /// Tells what a packet is, and remembers it.
  ///
  /// That it was captured before the same IPv4 identification says; where it is 0 or there is none, it is the cooked `any`
  /// device that repeats packets, or what repeats nearly all of them. A router takes one from its time to live.
  @inline(__always)
  mutating func take(_ packet: RTPPacket) -> Sighting {
    let length = packet.headerLength &+ packet.payloadLength
    let follows = packet.sequence &- last &- 1 < Self.closely
    if !follows || inOrder < 8, let sighting = sighting(packet, length) { return sighting }
    inOrder = follows ? inOrder &+ 1 : 0
    last = packet.sequence
    let isOnItsWay = router.isBefore(packet)
    seen[count & 7] = Seen(
      sequence: packet.sequence, ipID: packet.ipID, timestamp: packet.timestamp, timeNs: packet.timeNs,
      length: length, ttl: packet.ttl, isOnItsWay: isOnItsWay)
    count &+= 1
    return isOnItsWay ? .onItsWay : .first
  }

  /// What a packet is that was seen already; nil where that was another one.
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
    let wasOnItsWay = seen[index].isOnItsWay
    (seen[index].ttl, seen[index].isOnItsWay) = (packet.ttl, false)
    router.passes(packet, wasBefore: wasOnItsWay)
    return wasOnItsWay ? .passedOn : .again
  }

  /// Whether a packet that came again at once is one of nearly all that do, which no network does: of every three packets
  /// two and more.
  private mutating func isOneOfAll(apartNs: Int64) -> Bool {
    guard apartNs <= Self.atOnceNs else { return false }
    let others = max(0, min(count &- countAtLast, 16))
    certainty = max(Self.certainties.lowerBound, min(Self.certainties.upperBound, certainty + 3 - 2 * others))
    // What is not known again is remembered as well.
    countAtLast = certainty > 0 ? count : count &+ 1
    return certainty > 0
  }
}

/// Whether a capture sees the packets of a stream both before and behind a router, as one on the router itself does.
///
/// Then what comes out of it is what came through; what only went in was lost in it. Where for long nothing more comes out
/// nobody knows whether the stream still takes this way, and what goes in is believed again.
struct RouterLossDetector {
  /// Three for each packet that passes through, less one for each that comes: most may be lost, and a stray tells nothing.
  private var certainty = 0
  private static let enough = 12
  private static let mostCertain = 24
  private static let longestNs: Int64 = 5_000_000_000

  private var isSure = false
  /// Time to live behind the router, and when something came out of it last.
  private var ttlBehind: UInt8 = 0
  private var passedNs: Int64 = 0
  /// Packets that came to the router and not out of it.
  private(set) var notPassedOn = 0

  /// Whether a packet that was not seen before has the router before it.
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

  /// Takes a packet that was seen before the router, and now behind it.
  mutating func passes(_ packet: RTPPacket, wasBefore: Bool) {
    certainty = min(Self.mostCertain, certainty + 3)
    if certainty >= Self.enough { isSure = true }
    (ttlBehind, passedNs) = (packet.ttl, packet.timeNs)
    if wasBefore { notPassedOn -= 1 }
  }
}
