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
  private var next = 0
  /// Two sightings of one packet are this close.
  private static let nearNs: Int64 = 10_000_000

  /// Whether this very packet was captured a moment ago; remembers it otherwise.
  ///
  /// The same IPv4 identification says so; where it is 0, only the cooked `any` device is known to repeat packets.
  @inline(__always)
  mutating func isCaptureDuplicate(_ packet: RTPPacket) -> Bool {
    let length = packet.headerLength &+ packet.payloadLength
    for i in 0..<8
    where seen[i].sequence == packet.sequence && seen[i].timestamp == packet.timestamp
      && seen[i].ipID == packet.ipID && seen[i].length == length
      && packet.timeNs &- seen[i].timeNs <= Self.nearNs && seen[i].timeNs != .min
      && (packet.ipID != 0 || packet.direction != .unknown)
    {
      return true
    }
    seen[next] = Seen(
      sequence: packet.sequence, ipID: packet.ipID, timestamp: packet.timestamp, timeNs: packet.timeNs,
      length: length)
    next = (next &+ 1) & 7
    return false
  }
}
