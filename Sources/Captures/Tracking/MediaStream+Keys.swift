import Packets

/// DTMF within audio (RFC 4733).
extension MediaStream {
  /// Whether a packet is DTMF rather than audio: according to SDP, or because it has four bytes and a dynamic
  /// type other than the main one. Video also has packets this short: parameter sets of H.264.
  @inline(__always)
  func isTelephoneEvent(_ packet: RTPPacket, _ described: DescribedType) -> Bool {
    if described.isKnown { return described.isTelephoneEvent }
    guard packet.payloadType >= 96, packet.payloadType != mainType else { return false }
    return packet.payloadLength == 4 || isHiddenKey(packet)
  }

  /// Reports a key press at its first packet; which key it was is kept from everybody.
  func noteKey(_ packet: RTPPacket) {
    guard keyTimestamp != packet.timestamp else { return }
    keyTimestamp = packet.timestamp
    path.add(.callDtmf, "RTP telephone-event", at: packet.timeNs, end: sender)
  }

  /// Four bytes and the SRTP tag (RFC 3711, RFC 7714), with a type other than that of the audio it replaces.
  private func isHiddenKey(_ packet: RTPPacket) -> Bool {
    kind == .audio && [4 + 4, 4 + 10, 4 + 16].contains(packet.payloadLength)
  }
}
