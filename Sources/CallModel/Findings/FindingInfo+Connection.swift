/// Findings on the connection, on what an end can send, and on the picture.
extension FindingInfo {
  static let ofConnections: [FindingInfo] = [
    .init(
      .iceNeverConnected, [.error: ""], "Connectivity checks never succeeded.", [.patience],
      evidence: [
        .ms("tried_ms", "how long it was tried, if the beginning was seen"), .endedBy,
        .number("pairs", "pairs", "candidate pairs"), .number("checks_sent", "checks", "sent by this end"),
        .number("checks_answered", "checks", "of these, answered"),
        .number("checks_received", "checks", "received from the far end"),
        .text("candidates", "how many of each type this end named"),
        .text("far_candidates", "how many of each type the far end named"),
        .text("far_addresses", "`private` if each of the far end's is, else `public`"),
      ]),
    .init(
      .noCandidatePair, [.error: ""], "No pair of candidates could be formed: nothing was tried.",
      [.patience],
      evidence: [
        .ms("waited_ms", "how long from the far end's description on"),
        .text("why", "`no-remote-candidates`, `only-tcp-here`, `only-tcp-there` or `unknown`"), .endedBy,
        .text("candidates", "how many of each type this end named"),
        .text("far_candidates", "how many of each type the far end named"),
      ]),
    .init(
      .answerNotReceived, [.error: ""], "This end's offer was never answered.", [.patience],
      evidence: [
        .ms("checked_ms", "how long the far end's checks came"),
        .ms("waited_ms", "the same from the offer on"),
        .endedBy,
      ]),
    .init(
      .dtlsNeverConnected, [.error: ""], "ICE connected, and the DTLS handshake never finished.", [.patience],
      evidence: [.ms("tried_ms", "how long it was tried"), .endedBy]),
    .init(
      .noCandidates, [.error: ""], "Gathering ended without any candidate.",
      evidence: [.ms("gathered_ms", "how long it took")]),
    .init(
      .turnFailed,
      [
        .error: "if no connection was made", .warning: "if that is not known",
        .info: "if the relay was not needed",
      ],
      "A TURN server refused, and there was no relay.",
      evidence: [
        .text("url", "the server"), .number("code", "code", "the server's, or the browser's"),
        .text("text", "the reason that came with it"), .number("errors", "errors", "how many different ones"),
      ]),
    .init(
      .dtlsRetransmit, [.warning: "", .info: "if nothing shows that packets were lost"],
      "Flights of the DTLS handshake were sent again.", [.patientTimer],
      evidence: [
        .number("retransmissions", "flights", "sent again"), .text("what", "the first of them"),
        .ms("waited_ms", "how long this end waited before its first"),
        .text("missing", "the part of a message that never arrived"),
      ]),
    .init(
      .relayOnly, [.info: ""], "The selected candidate pair always had a relay.",
      evidence: [
        .number("reports", "reports", "how many show it"),
        .text("relay_protocol", "how this end reached the relay"),
      ]),
    .init(
      .droppedMidCall, [.error: ""], "The connection broke and did not come back.",
      [.patience, .pathHeard, .farEndAbsent],
      evidence: [
        .ms("broken_ms", "when it broke"), .ms("last_packet_ms", "when the last packet of media came"),
        .withoutPackets,
      ]),
    .init(
      .networkChanged, [.warning: ""], "This end changed its address or network type.", [.sameChange],
      evidence: [.text("from", "address or type before"), .text("to", "address or type after")]),
    .init(
      .bandwidthStarved, [.warning: ""], "Too little bandwidth for what this end sends.",
      [
        .ramp, .limitedFor, .unlimitedFor, .usedBandwidth, .plentyOfBandwidth, .starvedPicture, .starvedSound,
      ],
      evidence: [
        .ms("limited_ms", "how long"), .text("by", "`qualityLimitationReason` or `availableOutgoingBitrate`"),
        .number("lowest_available_bps", "bit/s", "the lowest estimate"),
      ]),
    .init(
      .cpuLimited, [.warning: ""], "This end's processor is too slow.",
      [.limitedFor, .unlimitedFor, .droppedShare, .droppingFor, .droppingLoss],
      evidence: [
        .ms("limited_ms", "how long encoding was limited"),
        .ms("dropping_ms", "how long frames were dropped"),
        .ms("stalled_ms", "how long the encoder took no frame of a camera that went on"),
        .share("dropped_share_threshold", "the share of frames that was passed"),
        .text("by", "`qualityLimitationReason`, `framesDropped` or `framesEncoded`"),
      ]),
    .init(
      .videoPaused, [.warning: "", .info: "if the other end sent none, or another picture moved meanwhile"],
      "The picture stood still for over \(Threshold.pause).", [.pause, .pictureLoss],
      evidence: [
        .ms("paused_ms", "how long"),
        .ms("undecoded_ms", "for how much of it packets came, and no frame was decoded"),
        .share("lost_share", "what share of its packets was lost meanwhile, if that explains it"), .notSent,
        .text("by", "`the sender`: its own recording shows it"),
      ]),
    .init(
      .noPicture, [.warning: "", .error: "if two captures show where it was lost"],
      "A picture was sent, and none of it came.",
      [.missingMedium, .sentPackets, .notDelivered],
      evidence: [
        .ms("sent_ms", "how long it was sent"), .withoutPackets,
        .text("by", "`sender reports` or `other end`"), .sentPackets, .returned, .icmpError,
      ]),
    .init(
      .pliStorm, [.warning: ""], "Key frames are requested again and again.",
      [.keyFrameRequests, .requestedFor],
      evidence: [
        .ms("storm_ms", "how long"), .number("threshold_per_s", "1/s", "the rate that was passed"),
      ]),
    .init(
      .remoteLoss, [.warning: "", .info: "under \(Threshold.lossWarning)"],
      "What this end sent was lost or discarded.",
      [.loss, .lossWarning, .lossMeasured, .lossPackets, .notDelivered],
      evidence: [
        .share("lost_share", "lost, as the other end reports"), .number("lost", "packets", "the same"),
        .number("packets", "packets", "sent meanwhile"), .kind,
        .number("missing", "packets", "of these, missing in the capture already"),
        .share("discard_share", "what the receiver discarded"),
        .returned, .icmpError,
        .text("sent_to", "the address it was sent to"), .text("far_end", "the address that the far end had"),
        .ms("not_received_ms", "how long the highest number received stood still"),
      ]),
  ]
}
