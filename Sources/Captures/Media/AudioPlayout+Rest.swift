/// What a sender does in place of sound, or rests instead, and after which it begins anew.
extension AudioPlayout {
  /// Takes a key press, which is sent in place of sound.
  mutating func takeKey(_ packet: RTPPacket) {
    advance(to: packet.timeNs)
    numbers.pass(packet.sequence)
    pausing = .certain
  }

  /// Takes a packet without sound, which keeps a way open (RFC 6263) or tries its width: its number is not missing.
  mutating func skip(_ packet: RTPPacket) { numbers.skip(packet.sequence) }

  /// Plays up to a moment and not from there to another, when nothing was to be sent.
  mutating func rest(from timeNs: Int64, until end: Int64) {
    advance(to: timeNs)
    guard end > clockNs else { return }
    frames.clear()
    (remaining, expanded, pending) = (0, 0, 0)
    clockNs = end
  }

  /// A sender that began anew: what waits is thrown away.
  mutating func restart(_ packet: RTPPacket) {
    advance(to: packet.timeNs)
    frames.clear()
    remaining = 0
    lastTimestamp = packet.timestamp
    newest = next
    history = ArrivalHistory()
    leastTransitMs = .infinity
  }
}
