/// Tells retransmissions under SRTP: another SSRC and payload type, with timestamps that a video stream of the same
/// sender used a moment ago (RFC 4588 keeps the timestamp of what it repeats).
struct RepairGuess {
  private var recent = InlineArray<64, UInt32>(repeating: 0)
  private var next = 0
  private var held: [RTPPacket] = []
  private var misses = 0
  /// Whether it is decided what the stream is.
  private(set) var isSettled = false

  /// Matches that make a repair stream, and misses that make a medium.
  private static let needed = 2
  private static let mostMisses = 100
  private static let mostHeld = 64

  /// Remembers the timestamp of a frame of this stream.
  @inline(__always)
  mutating func remember(_ timestamp: UInt32) {
    if recent[(next &- 1) & 63] == timestamp { return }
    recent[next] = timestamp
    next = (next &+ 1) & 63
  }

  private func has(_ timestamp: UInt32) -> Bool {
    for i in 0..<64 where recent[i] == timestamp { return true }
    return false
  }

  /// Takes a packet of a stream that may be a repair stream; answers the stream it repairs once that is sure.
  mutating func take(_ packet: RTPPacket, of stream: MediaStream) -> MediaStream? {
    let original = stream.path.media.first {
      $0 !== stream && $0.sender == stream.sender && $0.kind != .audio && $0.mainType != packet.payloadType
        && $0.repairGuess.has(packet.timestamp)
    }
    guard let original else {
      misses += 1
      if misses >= Self.mostMisses { _ = close() }
      return nil
    }
    if held.count < Self.mostHeld { held.append(packet) }
    // What repeats is the lesser part; without this the first frame after a lost one would be taken for the repair.
    let media = original.sequence.unique - original.probes
    return held.count >= Self.needed && media >= 2 * (stream.sequence.unique - stream.probes) ? original : nil
  }

  /// Ends the guess; the packets that matched.
  mutating func close() -> [RTPPacket] {
    isSettled = true
    let packets = held
    held = []
    return packets
  }
}
