/// The codes that findings have; `docs/findings.md` explains each.
public enum FindingCode {
  /// Every code: of statistics and packets, then of what SDKs log.
  public static let all =
    [
      "one-way-audio", "far-end-silent", "mic-silent", "no-media", "late-media", "ice-never-connected",
      "answer-not-received", "dtls-never-connected", "no-candidates", "turn-failed", "dtls-retransmit",
      "relay-only", "dropped-mid-call", "network-changed", "bandwidth-starved", "cpu-limited",
      "video-paused", "no-picture", "pli-storm", "remote-loss", "capture-loss", "clock-skew", "truncated",
      "rig-fault", "sound-held-back", "payload-type-not-agreed", "srtp-sequence-reset", "sparse-sound",
      "timestamp-jump", "unencrypted-media", "packet-time-not-agreed",
    ] + EventFindingCode.allCases.map(\.rawValue)
}
