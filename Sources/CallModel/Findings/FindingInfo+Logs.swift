/// Findings that rest on an SDK's log alone.
extension FindingInfo {
  static let ofLogs: [FindingInfo] = [
    .init(
      .sessionOutage, [.warning: "", .error: "if it did not come back"],
      "The SDK lost its session and tried to reconnect.", [.outage], evidence: EvidenceMember.outage),
    .init(
      .networkOutage, [.warning: "", .error: "if it did not come back"], "The SDK's network was gone.",
      [.outage], evidence: EvidenceMember.outage),
    .init(
      .connectionGivenUp, [.error: ""], "The SDK gave up reconnecting.",
      evidence: [.ms("out_ms", "how long it was out"), .number("attempts", "attempts", "to come back")]),
    .init(
      .lateICE, [.warning: ""], "ICE connected \(Threshold.lateICE) or more after the answer.", [.lateICE],
      evidence: [.ms("wait_ms", "from the answer to ICE connected"), .threshold]),
    .init(
      .noMicrophone, [.error: ""], "The microphone could not be used.", evidence: EvidenceMember.device),
    .init(.noCamera, [.warning: ""], "The camera could not be used.", evidence: EvidenceMember.device),
    .init(
      .permissionRefused, [.error: ""], "Permission for microphone or camera was refused.",
      evidence: EvidenceMember.device),
    .init(
      .pushTooLate, [.error: ""], "The push came when the call was over.",
      evidence: [.text("raw", "the event's own name")]),
    .init(
      .interruptedByTelephone, [.warning: ""], "A native phone call took over the audio.",
      evidence: [
        .number("times", "interruptions", "how many"), .ms("interrupted_ms", "how long in all, if known"),
      ]),
    .init(
      .waitedForHost, [.info: "", .warning: "if nobody let this end in"],
      "This end waited for a host to let it in.", evidence: [.ms("waited_ms", "how long")]),
    .init(
      .mediaLost, [.error: "", .warning: "if only ICE was lost for a time"],
      "The far end's media went away for good.", [.mediaLostBefore, .outage],
      evidence: [
        .ms("without_ms", "how long it was away"), .number("times", "losses", "how often ICE was lost"),
      ]),
    .init(
      .requestRefused, [.warning: ""], "Server or far end refused a request.",
      evidence: [
        .text("request", "what was asked for"), .number("times", "refusals", "how many of this kind"),
      ]),
    .init(
      .dataChannelFailed, [.warning: ""], "A data channel of the call failed.",
      evidence: [.number("times", "failures", "how many")]),
  ]
}
