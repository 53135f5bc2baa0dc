/// Findings on sound and picture that did not come, or were not sent.
extension FindingInfo {
  static let ofMedia: [FindingInfo] = [
    .init(
      .oneWayAudio,
      [
        .error: "", .warning: "if only the level of what is played says so",
        .info: "if nothing proves that sound was sent",
      ],
      "Sound was sent and was not heard here.",
      [
        .noSound, .noSoundGoesOn, .pathHeard, .farEndAbsent, .missingMedium, .sentPackets, .unprovenGap,
        .silentLevel, .wholeSilent, .unplayed, .wholeShare, .notDelivered,
      ],
      evidence: [
        .withoutPackets, .threshold,
        .text(
          "by",
          "what proves that it was sent: `sender reports`, `sequence numbers` (of what came later), `other end`, `signalling`"
        ),
        .sentPackets, .number("reports", "reports", "how many of the sender say so"), .silent, .level,
        .ms("digital_silence_ms", "how much of the silence has no sound at all"),
        .number("sent_level", "0–1", "the level at the other end's microphone, 1 = full scale"),
        .ms("heard_by_the_other_ms", "how long the other end received sound"),
        .text("stopped_at", "the relay that received the sound"),
        .ms("not_played_ms", "how long none of what came was played"),
        .ms("not_decoded_ms", "how long none of what came could be decoded"),
        .ms("sent_ms", "how long the other end sent sound"), .returned, .icmpError,
      ]),
    .init(
      .farEndSilent, [.info: ""], "The far end sent no sound, or silence.",
      [.silentLevel, .silence, .unprovenGap, .stall, .stallsListed, .digitalSilenceLevel, .digitalSilence],
      evidence: [
        .silent, .level, .notSent,
        .text(
          "by",
          "what shows it: `sequence numbers`, `sender reports`, `the sender` (its own recording), `no proof`, `payload`"
        ),
        .number("times", "stalls", "how many, where they are one finding"), .withoutPackets, .sentPackets,
        .number("reports", "reports", "how many of the sender say so"),
        .ms("digital_silence_ms", "how long, or how much of the silence, has no sound at all"),
        .ms("unseen_ms", "how long the page muted what it received, or played it by Web Audio"),
        .share("share", "how many of all the stream's packets have none"), .text("cause", "`silent-source`"),
        .packets, .ssrc, .kind,
      ]),
    .init(
      .micSilent, [.warning: "", .info: "if a capture shows digital silence"],
      "This end sends silence and did not mute itself.",
      [.silentLevel, .silence, .digitalSilenceLevel, .digitalSilence],
      evidence: [
        .silent, .level,
        .ms("digital_silence_ms", "how long, or how much of the silence, has no sound at all"),
        .share("share", "how many of all the stream's packets have none"), .text("by", "`payload`"),
        .text("cause", "`silent-source`"), .sentBy, .packets, .ssrc, .kind,
      ]),
    .init(
      .soundNotSent, [.warning: "", .info: "if it may be a hold or a mute"],
      "This end has a stream of sound and sends nothing.", [.silence, .silentLevel],
      evidence: [
        .notSent, .number("microphone_level", "0–1", "the mean level meanwhile, 1 = full scale"),
        .number("sent_packets", "packets", "0, if there was none in the whole recording"),
      ]),
    .init(
      .streamNotReceived, [.error: "for sound", .warning: "for a picture"],
      "One of several streams never arrived.", [.sentPackets, .missingMedium],
      evidence: [
        .withoutPackets, .sentPackets,
        .number("streams", "streams", "how many there should be, this one included"), .kind,
      ]),
    .init(
      .noMedia, [.error: "", .warning: "if a capture may not have all of it"],
      "Connected, and not one packet of media came.", [.patience],
      evidence: [
        .ms("connected_ms", "how long the connection, or the call, was up"),
        .text("sent", "`yes` if this end sent any, else `no`"),
      ]),
    .init(
      .lateMedia, [.warning: ""], "The first packet came \(Threshold.lateMedia) or more late.",
      [.lateMedia, .unseenMedia],
      evidence: [.ms("wait_ms", "from when media was possible to its first packet"), .threshold]),
  ]
}
