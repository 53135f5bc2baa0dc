/// The last few packets of a stream, to know one that the capture merely saw twice.
struct RecentPackets {
  private struct Seen {
    var sequence: UInt16 = 0
    var ipID: UInt16 = 0
    var timestamp: UInt32 = 0
    var timeNs: Int64 = .min
    var length = 0
  }

  private var seen = InlineArray<8, Seen>(repeating: Seen())
  /// Packets remembered so far.
  private var count = 0
  /// Two sightings of one packet are this close, and where nothing in them says that they are one.
  private static let nearNs: Int64 = 10_000_000
  private static let atOnceNs: Int64 = 1_000_000

  /// How sure it is that every packet comes twice, and how many there had been at the last that did.
  private var certainty = 4
  private var countAtLast = 0
  private static let certainties = -8...16

  /// Whether this very packet was captured a moment ago; remembers it otherwise.
  ///
  /// The same IPv4 identification says so; where it is 0 or there is none, it is the cooked `any` device that repeats
  /// packets, or what repeats nearly all of them.
  @inline(__always)
  mutating func isCaptureDuplicate(_ packet: RTPPacket) -> Bool {
    let length = packet.headerLength &+ packet.payloadLength
    for i in 0..<8
    where seen[i].sequence == packet.sequence && seen[i].timestamp == packet.timestamp
      && seen[i].ipID == packet.ipID && seen[i].length == length
      && packet.timeNs &- seen[i].timeNs <= Self.nearNs && seen[i].timeNs != .min
      && (packet.ipID != 0 || packet.direction != .unknown
        || isOneOfAll(apartNs: packet.timeNs &- seen[i].timeNs))
    {
      return true
    }
    seen[count & 7] = Seen(
      sequence: packet.sequence, ipID: packet.ipID, timestamp: packet.timestamp, timeNs: packet.timeNs,
      length: length)
    count &+= 1
    return false
  }

  /// Whether a packet that came again at once is one of nearly all that do, which no network does: of every three packets
  /// two and more.
  @inline(never)
  private mutating func isOneOfAll(apartNs: Int64) -> Bool {
    guard apartNs <= Self.atOnceNs else { return false }
    let others = max(0, min(count &- countAtLast, 16))
    certainty = max(Self.certainties.lowerBound, min(Self.certainties.upperBound, certainty + 3 - 2 * others))
    // What is not known again is remembered as well.
    countAtLast = certainty > 0 ? count : count &+ 1
    return certainty > 0
  }
}
