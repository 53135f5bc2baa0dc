/// The codes of findings; `docs/findings.md` explains each.
public enum FindingCode {
  /// All codes: those from statistics and packets, then those from SDK logs.
  public static let all =
    [
      "one-way-audio", "far-end-silent", "mic-silent", "sound-not-sent", "stream-not-received",
      "no-media", "late-media",
      "ice-never-connected", "answer-not-received", "dtls-never-connected", "no-candidates", "turn-failed",
      "dtls-retransmit",
      "relay-only", "dropped-mid-call", "network-changed", "bandwidth-starved", "cpu-limited",
      "video-paused", "no-picture", "pli-storm", "remote-loss", "capture-loss", "clock-skew", "truncated",
      "rig-fault", "sound-held-back", "payload-type-not-agreed", "srtp-sequence-reset", "sparse-sound",
      "timestamp-jump", "unencrypted-media", "packet-time-not-agreed", "lip-sync", "jitter-buffer-flushes",
      "slow-answer", "echo", "corrupted-picture", "software-fallback", "low-simulcast-layer",
    ] + EventFindingCode.allCases.map(\.rawValue)
}

/// Codes of findings that rest on logged events alone, whether or not there are statistics. `EventRule` has
/// the rule of each.
public enum EventFindingCode: String, Sendable, CaseIterable {
  case sessionOutage = "session-outage"
  case networkOutage = "network-outage"
  case connectionGivenUp = "connection-given-up"
  case lateICE = "late-ice"
  case noMicrophone = "no-microphone"
  case noCamera = "no-camera"
  case permissionRefused = "permission-refused"
  case pushTooLate = "push-too-late"
  case interruptedByTelephone = "interrupted-by-telephone"
  case waitedForHost = "waited-for-host"
  case mediaLost = "media-lost"
  case requestRefused = "request-refused"
  case dataChannelFailed = "data-channel-failed"
}

extension Finding {
  /// Whether the code is one of `EventFindingCode`.
  public var isOfEvents: Bool { EventFindingCode(rawValue: code) != nil }
}
