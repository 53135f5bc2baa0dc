/// The code of a finding; `docs/findings.md` explains each.
public enum FindingCode: String, Sendable, CaseIterable {
  case oneWayAudio = "one-way-audio"
  case farEndSilent = "far-end-silent"
  case micSilent = "mic-silent"
  case soundNotSent = "sound-not-sent"
  case streamNotReceived = "stream-not-received"
  case noMedia = "no-media"
  case lateMedia = "late-media"
  case iceNeverConnected = "ice-never-connected"
  case noCandidatePair = "no-candidate-pair"
  case answerNotReceived = "answer-not-received"
  case dtlsNeverConnected = "dtls-never-connected"
  case noCandidates = "no-candidates"
  case turnFailed = "turn-failed"
  case dtlsRetransmit = "dtls-retransmit"
  case relayOnly = "relay-only"
  case droppedMidCall = "dropped-mid-call"
  case networkChanged = "network-changed"
  case bandwidthStarved = "bandwidth-starved"
  case cpuLimited = "cpu-limited"
  case videoPaused = "video-paused"
  case noPicture = "no-picture"
  case pliStorm = "pli-storm"
  case remoteLoss = "remote-loss"
  case captureLoss = "capture-loss"
  case clockSkew = "clock-skew"
  case truncated
  case rigFault = "rig-fault"
  case soundHeldBack = "sound-held-back"
  case lipSync = "lip-sync"
  case jitterBufferFlushes = "jitter-buffer-flushes"
  case slowAnswer = "slow-answer"
  case echo
  case corruptedPicture = "corrupted-picture"
  case softwareFallback = "software-fallback"
  case lowSimulcastLayer = "low-simulcast-layer"
  case payloadTypeNotAgreed = "payload-type-not-agreed"
  case srtpSequenceReset = "srtp-sequence-reset"
  case sparseSound = "sparse-sound"
  case timestampJump = "timestamp-jump"
  case unencryptedMedia = "unencrypted-media"
  case packetTimeNotAgreed = "packet-time-not-agreed"
  case mediaClock = "media-clock"
  case packingNotAgreed = "packing-not-agreed"
  case secondSound = "second-sound"
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

  /// Codes of findings that rest on logged events alone; `EventRule` has the rule of each.
  public static let ofEvents: Set<FindingCode> = [
    .sessionOutage, .networkOutage, .connectionGivenUp, .lateICE, .noMicrophone, .noCamera,
    .permissionRefused,
    .pushTooLate, .interruptedByTelephone, .waitedForHost, .mediaLost, .requestRefused, .dataChannelFailed,
  ]

  /// All codes as they are stored.
  public static let names = allCases.map(\.rawValue)
}
