import CallModel

/// Packets of which the payload is blocks (RFC 2198): what counts is what is in them.
extension StreamBook {
  /// A picture in a block is what the block's type says: its codec, or redundancy beside it.
  func takeBlock(
    _ packet: RTPPacket, _ stream: MediaStream, _ type: DescribedType, _ interrupted: Bool
  ) {
    let head = UInt8(truncatingIfNeeded: packet.payloadStart >> 8)
    guard head < 0x80, packet.payloadLength > 0 else {
      return stream.take(packet, described: type, interrupted: interrupted)
    }
    let inner = stream.type(head, in: described)
    if inner.isMedium {
      var picture = packet
      picture.payloadType = head
      return stream.take(picture, described: inner, interrupted: interrupted)
    }
    if stream.describedFormat?.isRedundancy == true { stream.redundant &+= 1 }
    stream.take(packet, described: type, interrupted: interrupted)
  }

  /// Redundant audio is what its last block is; the others are there again.
  func takeApart(
    _ packet: RTPPacket, _ stream: MediaStream, _ type: DescribedType, _ interrupted: Bool
  ) {
    let wasOn = stream.redundancy.isOn
    guard stream.redundancy.take(packet.blocks) else {
      return stream.take(packet, described: type, interrupted: interrupted)
    }
    var sound = packet
    sound.payloadType = packet.blocks.type
    let type = described.isEmpty ? .unknown : stream.type(sound.payloadType, in: described)
    if !wasOn { stream.unwrap(packet.payloadType, as: sound.payloadType) }
    stream.take(sound, described: type, interrupted: interrupted)
  }
}
