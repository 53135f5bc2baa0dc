/// A payload type that may be about to take the place of the one before.
struct CodecChange {
  private var type: UInt8 = 0
  private var run = 0
  private var lastUnique = 0
  private var held: [RTPPacket] = []

  /// Packets in a row that make a change.
  private static let needed = 3
  /// Packets of one attempt that wait at most, and how far apart they may be.
  private static let most = 16

  /// Takes a packet of another type than the main one, and its number in the stream; answers whether the type goes on.
  /// What cannot be played before that waits.
  mutating func take(_ packet: RTPPacket, number: Int, waits: Bool) -> Bool {
    if packet.payloadType != type || number - lastUnique > Self.most { self = CodecChange() }
    type = packet.payloadType
    run = number == lastUnique + 1 ? run + 1 : 1
    lastUnique = number
    if waits, held.count < Self.most { held.append(packet) }
    return run >= Self.needed
  }

  /// Ends the attempt; the packets that waited.
  mutating func close() -> [RTPPacket] {
    defer { self = CodecChange() }
    return held
  }
}
