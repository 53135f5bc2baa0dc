/// Whether a capture sees the packets of a stream both before and behind a router, as one on the router itself does.
///
/// Then what comes out of it is what came through; what only went in was lost in it. Where for long nothing more comes out
/// nobody knows whether the stream still takes this way, and what goes in is believed again.
struct RouterWatch {
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
