/// Key presses amid sound (RFC 4733).
extension MediaStream {
  /// A key press rather than sound: said by SDP, or four bytes of a dynamic type that is not the medium's (a picture has
  /// packets so short: parameter sets of H.264).
  @inline(__always)
  func isTelephoneEvent(_ packet: RTPPacket, _ described: DescribedType) -> Bool {
    if described.isKnown { return described.isTelephoneEvent }
    guard packet.payloadType >= 96, packet.payloadType != mainType else { return false }
    return packet.payloadLength == 4 || isHiddenKey(packet)
  }

  /// Four bytes and the tag of SRTP (RFC 3711, RFC 7714), of another type than the sound they are sent in place of.
  private func isHiddenKey(_ packet: RTPPacket) -> Bool {
    kind == .audio && [4 + 4, 4 + 10, 4 + 16].contains(packet.payloadLength)
  }
}
