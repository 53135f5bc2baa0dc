/// Findings on the recordings, on the machine of an end, and on how it plays.
extension FindingInfo {
  static let ofSources: [FindingInfo] = [
    .init(
      .captureLoss, [.warning: ""], "The capture, not the network, lost packets.",
      [.missedByCapture, .missedOf, .missingMedium],
      evidence: [
        .share("missing_share", "what is missing from the capture"),
        .number("stats_packets", "packets", "that the endpoint itself received"),
        .number("capture_packets", "packets", "that the capture has of them"),
        .number("missing", "packets", "missing, by the receiver's reports"), .ssrc,
        .number("received_packets", "packets", "that this end reports, of which the capture has none"),
      ]),
    .init(
      .clockSkew, [.warning: ""], "A source's clock is wrong.",
      [.skew, .zoneSlack, .skewByMedia, .skewBesideZone],
      evidence: [
        .ms("skew_ms", "the difference; above 0 if the clock is ahead"),
        .ms("clock_ms", "the same of the source that judges the end"),
        .ms("at_least_ms", "the least difference, if no more is known"),
        .ms("zone_ms", "the part of it that is a mistaken time zone"),
      ]),
    .init(
      .truncated, [.warning: ""], "A recording breaks off.", evidence: [.text("source", "the recording")]),
    .init(
      .rigFault, [.warning: "", .info: "if media went on without reports"],
      "The machine, not the network, is at fault.",
      [
        .reportGap, .reportGapIntervals, .usualIntervals, .playoutShare, .playoutShareWhileFull, .bufferFull,
        .slowPlayoutFor,
      ],
      evidence: [
        .ms("without_reports_ms", "how long there were none"),
        .ms("usual_interval_ms", "the interval between reports before"),
        .text("media", "`went on`, or `concealed` if too little of it came"),
        .share("concealed_share", "what was concealed of the sound played meanwhile"),
        .ms("slow_ms", "how long playout was slow"),
        .share("playout_share_threshold", "the share of real time that was not reached"),
        .share("played_share", "the share of real time that was played meanwhile"),
      ]),
    .init(
      .soundHeldBack, [.info: ""], "This end delays sound more than the network requires.",
      [.heldBack, .heldBackFor],
      evidence: [
        .ms("held_ms", "how long"), .threshold, .ms("most_ms", "by how much at most"),
      ]),
    .init(
      .lipSync, [.warning: "", .info: "if it is noticeable but acceptable"],
      "Sound and picture are noticeably apart.",
      [.lateDetected, .lateAccepted, .earlyDetected, .earlyAccepted, .apartFor],
      evidence: [
        .ms("audio_minus_video_ms", "the median; above 0 if sound is later than its picture"),
        .ms("most_ms", "the furthest apart"), .threshold,
      ]),
    .init(
      .jitterBufferFlushes, [.warning: ""], "The jitter buffer overflowed and was emptied.",
      [.flushes, .flushesWithin],
      evidence: [
        .number("flushes", "flushes", "how many in all"),
        .number("threshold", "flushes", "how many within that time are reported"),
        .ms("within_ms", "the time within which they count"),
      ]),
    .init(
      .slowAnswer, [.warning: ""], "A software agent answers too slowly.", [.slowAnswer, .answers],
      evidence: [
        .ms("answer_ms", "the median"), .ms("most_ms", "the longest"),
        .number("answers", "answers", "how many there were"), .threshold,
      ]),
    .init(
      .echo, [.warning: ""], "The far end hears itself.", [.echoLoss, .echoFor],
      evidence: [
        .number("echo_loss_db", "dB", "the least reduction"),
        .number("threshold_db", "dB", "the reduction that was not reached"),
      ]),
    .init(
      .corruptedPicture, [.warning: ""], "What was shown differs from what was sent.",
      [.corruptShare, .certainlyCorrupt, .corruptFor],
      evidence: [
        .share("corruption_share", "the mean"), .share("threshold_share", "the share that was passed"),
      ]),
    .init(
      .softwareFallback, [.warning: ""], "A software codec replaced the hardware one.",
      evidence: [
        .text("from", "the implementation before"), .text("to", "the one after"),
        .number("times", "changes", "how many, if more than one"),
      ]),
    .init(
      .lowSimulcastLayer, [.info: ""], "This end was shown a small simulcast layer.",
      [.layerShare, .layerLoss, .layerFor],
      evidence: [
        .number("height", "px", "the lines that were shown"),
        .number("sent_height", "px", "those of the largest layer sent"),
        .share("threshold_share", "the share of its lines that was not reached"),
        .share("loss_threshold_share", "the loss that was not reached"),
      ]),
  ]
}
