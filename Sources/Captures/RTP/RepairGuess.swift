/// Tells retransmissions under SRTP: another SSRC and payload type, with timestamps that a video stream of the same
/// sender used a moment ago (RFC 4588 keeps the timestamp of what it repeats).
///
/// Of a frame that was lost as a whole only the repeats show the timestamp: then it lies between those of other frames.
/// Streams begin at random timestamps, so another medium is there by chance once in ten thousand times.
struct RepairGuess {
  private var recent = InlineArray<64, UInt32>(repeating: 0)
  private var count = 0
  private var held: [RTPPacket] = []
  private var wasExact = false
  private var misses = 0
  /// Whether it is decided what the stream is.
  private(set) var isSettled = false

  /// Matches between other timestamps that make a repair stream, where one seen already does; misses that make a medium.
  private static let needed = 2
  private static let mostMisses = 100
  private static let mostHeld = 64

  /// Remembers the timestamp of a frame of this stream.
  @inline(__always)
  mutating func remember(_ timestamp: UInt32) {
    if count > 0 && recent[(count &- 1) & 63] == timestamp { return }
    recent[count & 63] = timestamp
    count &+= 1
  }

  private enum Match: Equatable {
    case exact
    case between
  }

  private func match(_ timestamp: UInt32) -> Match? {
    let newest = recent[(count &- 1) & 63]
    var span: UInt32 = 0
    for i in 0..<min(count, 64) {
      if recent[i] == timestamp { return .exact }
      span = max(span, newest &- recent[i])
    }
    return count > 1 && span < 1 << 31 && newest &- timestamp < span ? .between : nil
  }

  /// Takes a packet of a stream that may be a repair stream; answers the stream it repairs once that is sure.
  mutating func take(_ packet: RTPPacket, of stream: MediaStream) -> MediaStream? {
    let siblings = stream.path.media.lazy.filter {
      $0 !== stream && $0.sender == stream.sender && $0.kind != .audio && $0.mainType != packet.payloadType
    }
    let original: MediaStream
    if let found = siblings.first(where: { $0.repairGuess.match(packet.timestamp) == .exact }) {
      original = found
      wasExact = true
    } else if let found = siblings.first(where: { $0.repairGuess.match(packet.timestamp) == .between }) {
      original = found
    } else {
      misses += 1
      if misses >= Self.mostMisses { _ = close() }
      return nil
    }
    if held.count < Self.mostHeld { held.append(packet) }
    // What repeats is the lesser part; without this the first frame after a lost one would be taken for the repair.
    let media = original.sequence.unique - original.probes
    let isSure = wasExact || held.count >= Self.needed
    return isSure && media >= 2 * (stream.sequence.unique - stream.probes) ? original : nil
  }

  /// Ends the guess; the packets that matched.
  mutating func close() -> [RTPPacket] {
    isSettled = true
    let packets = held
    held = []
    return packets
  }
}
