/// Findings on packets that a capture has completely and that their receiver can hardly or not at all use.
extension FindingInfo {
  static let ofCaptures: [FindingInfo] = [
    .init(
      .payloadTypeNotAgreed, [.error: ""], "Packets use a payload type that was not agreed.",
      [.refusedFor, .refusedPackets],
      evidence: [
        .number("payload_type", "number", "the payload type"), .text("agreed", "those agreed on"), .sentBy,
        .packets, .ssrc, .kind,
      ]),
    .init(
      .srtpSequenceReset, [.error: ""], "Encrypted sequence numbers restarted without new keys.",
      [.rekeyed, .refusedFor, .refusedPackets],
      evidence: [
        .number("from_number", "number", "the sequence number before"),
        .number("to_number", "number", "the one after"), .sentBy, .packets, .ssrc, .kind,
      ]),
    .init(
      .sparseSound, [.error: ""], "A sender sent only a packet now and then, or stood still.",
      [.sparseFor, .sparseTogether, .sparseGap, .sparseGapOfOpus, .keepAlive],
      evidence: [
        .number("packets_per_s", "1/s", "their rate"), .share("heard_share", "the time that has sound in it"),
        .sentBy, .packets, .ssrc, .kind,
      ]),
    .init(
      .timestampJump, [.warning: ""],
      "RTP timestamps jumped ahead by over \(Threshold.timestampJump).", [.timestampJump],
      evidence: [.ms("jump_ms", "beyond the time that passed"), .sentBy, .packets, .ssrc, .kind]),
    .init(
      .unencryptedMedia, [.warning: ""], "Keys were agreed, and media was sent unencrypted.",
      [.refusedFor, .refusedPackets],
      evidence: [.ms("sent_ms", "how long"), .sentBy, .packets, .ssrc, .kind]),
    .init(
      .packetTimeNotAgreed, [.info: "", .warning: "where it is over `maxptime`"],
      "Packets are longer or shorter than asked for.", [.packetTime, .packetTimePackets],
      evidence: [
        .ms("packet_ms", "sound in a packet"), .ms("agreed_ms", "what was asked for (`ptime`)"),
        .ms("longest_ms", "the most that was asked for (`maxptime`)"), .sentBy, .packets, .ssrc, .kind,
      ]),
    .init(
      .mediaClock, [.warning: ""],
      "A sender counts another clock than its codec has, or makes too little sound.", [],
      evidence: [
        .number("counted_hz", "Hz", "the clock that timestamps count"),
        .number("named_hz", "Hz", "the codec's"),
        .share("made_share", "the sound that was made in the time"), .sentBy, .packets, .ssrc, .kind,
      ]),
    .init(
      .packingNotAgreed, [.error: "where the size of its packets proves it", .warning: ""],
      "A codec's bits are packed in another way than the receiver expects.", [.packetTimePackets],
      evidence: [
        .text("sent_as", "how they are packed"), .text("expected_as", "what the receiver's description says"),
        .sentBy,
        .packets, .ssrc, .kind,
      ]),
    .init(
      .secondSound, [.info: ""],
      "A second sound came to a port for 5 s or more, from an address that no description names.", [],
      evidence: [
        .text("from", "the address that it came from"), .ms("came_ms", "how long both came"), .sentBy,
        .packets, .ssrc, .kind,
      ]),
  ]
}
