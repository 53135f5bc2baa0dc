import CallModel

/// Members of Chrome's statistics of before the standard (callback `getStats`, until M117), whose values are strings.
/// Source: developer.chrome.com/blog/getstats-migration, and WebRTC's `api/legacy_stats_types.cc`.
enum GoogMembers {
  private static let both: [(String, Action)] = [
    ("ssrc", .number(.ssrc)), ("mediaType", .text(.kind)), ("googTrackId", .text(.trackIdentifier)),
    ("transportId", .text(.transportId)), ("googCodecName", .text(.codecName)),
    ("codecImplementationName", .text(.implementation)), ("googContentType", .text(.contentType)),
    ("audioLevel", .count(.audioLevel)), ("remoteSource", .ignored), ("echoReturnLoss", .ignored),
    ("echoReturnLossEnhancement", .ignored), ("googInterframeDelayMax", .extra),
    ("packetsLost", .count(.lost)), ("googJitterReceived", .count(.jitterMs)), ("qpSum", .count(.qpSum)),
    ("totalAudioEnergy", .count(.totalAudioEnergy)),
    ("totalSamplesDuration", .seconds(.totalSamplesDurationMs)),
    ("googNacksReceived", .count(.nack)), ("googPlisReceived", .count(.pli)),
    ("googFirsReceived", .count(.fir)),
    ("googNacksSent", .count(.nack)), ("googPlisSent", .count(.pli)), ("googFirsSent", .count(.fir)),
    ("googTypingNoiseState", .ignored), ("googCaptureStartNtpTimeMs", .ignored),
    ("googFirstFrameReceivedToDecodedMs", .extra), ("googTimingFrameInfo", .ignored),
    ("googInitiator", .ignored), ("googEchoCancellationQualityMin", .ignored),
    ("googEchoCancellationEchoDelayMedian", .ignored), ("googEchoCancellationEchoDelayStdDev", .ignored),
    ("googEchoCancellationReturnLoss", .ignored), ("googEchoCancellationReturnLossEnhancement", .ignored),
    ("googResidualEchoLikelihood", .ignored), ("googResidualEchoLikelihoodRecentMax", .ignored),
    ("aecDivergentFilterFraction", .ignored), ("googEchoCancellation", .ignored),
    ("googAutoGainControl", .ignored), ("googHighpassFilter", .ignored), ("googNoiseSuppression", .ignored),
  ]

  /// `ssrc_N_recv`. Concealment is told as calls of 10 ms and as recent rates, the jitter buffer as a gauge.
  static let receive: [(String, Action)] =
    StreamMembers.inbound + both + [
      ("packetsReceived", .count(.packets)), ("bytesReceived", .count(.bytes)),
      ("audioOutputLevel", .scaled(.audioLevel, 1 / 32767)), ("googExpandRate", .count(.expandRate)),
      ("googSpeechExpandRate", .count(.speechExpandRate)),
      ("googSecondaryDecodedRate", .count(.secondaryDecodedRate)), ("googSecondaryDiscardedRate", .extra),
      ("googAccelerateRate", .count(.accelerateRate)),
      ("googPreemptiveExpandRate", .count(.preemptiveExpandRate)),
      ("googCurrentDelayMs", .count(.currentDelayMs)), ("googJitterBufferMs", .count(.jitterBufferMs)),
      ("googPreferredJitterBufferMs", .count(.preferredJitterBufferMs)),
      ("googDecodingNormal", .count(.decodingNormal)), ("googDecodingPLC", .count(.decodingPlc)),
      ("googDecodingCNG", .count(.decodingCng)), ("googDecodingPLCCNG", .count(.decodingPlcCng)),
      ("googDecodingMuted", .count(.decodingMuted)), ("googDecodingMutedOutput", .count(.decodingMuted)),
      ("googDecodingCTN", .extra), ("googDecodingCTSG", .extra), ("googTargetDelayMs", .extra),
      ("googMinPlayoutDelayMs", .extra), ("googRenderDelayMs", .extra), ("googDecodeMs", .extra),
      ("googMaxDecodeMs", .extra), ("googInterframeDelayMax", .extra), ("googFrameRateReceived", .extra),
      ("googFrameRateDecoded", .count(.frameRate)), ("googFrameRateOutput", .count(.frameRateOutput)),
      ("googFrameWidthReceived", .count(.width)), ("googFrameHeightReceived", .count(.height)),
      ("framesDecoded", .count(.frames)), ("framesReceived", .count(.framesReceived)),
      ("framesDropped", .count(.framesDropped)), ("googFrameSpacing", .extra),
      ("concealedSamples", .count(.concealedSamples)), ("totalSamplesReceived", .count(.totalSamples)),
      ("concealmentEvents", .count(.concealmentEvents)),
    ]

  /// `ssrc_N_send`: of the sender, and what the far end reports of it.
  static let send: [(String, Action)] =
    StreamMembers.outbound + both + [
      ("packetsSent", .count(.packets)), ("bytesSent", .count(.bytes)), ("byesSent", .count(.bytes)),
      ("googRtt", .count(.rttMs)), ("audioInputLevel", .scaled(.audioLevel, 1 / 32767)),
      ("framesEncoded", .count(.frames)), ("googFrameRateSent", .count(.frameRate)),
      ("googFrameWidthSent", .count(.width)), ("googFrameHeightSent", .count(.height)),
      ("googCpuLimitedResolution", .number(.cpuLimited)),
      ("googBandwidthLimitedResolution", .number(.bandwidthLimited)), ("hugeFramesSent", .count(.hugeFrames)),
      ("googFrameWidthInput", .extra), ("googFrameHeightInput", .extra), ("googFrameRateInput", .extra),
      ("googAvgEncodeMs", .extra), ("googEncodeUsagePercent", .extra), ("googAdaptationChanges", .extra),
      ("googViewLimitedResolution", .extra), ("googHasEnteredLowResolution", .extra),
    ]

  /// `googCandidatePair`, `Conn-audio-1-0`.
  static let pair: [(String, Action)] =
    PathMembers.pair + [
      ("googActiveConnection", .number(.selected)), ("googRtt", .number(.roundTripMs)),
      ("googLocalAddress", .text(.localAddress)), ("googRemoteAddress", .text(.remoteAddress)),
      ("googLocalCandidateType", .text(.localType)), ("googRemoteCandidateType", .text(.remoteType)),
      ("googTransportType", .text(.networkProtocol)), ("googChannelId", .ignored), ("googReadable", .ignored),
      ("googWritable", .ignored),
    ]

  /// `googComponent`.
  static let component: [(String, Action)] = PathMembers.transport + [("googComponent", .ignored)]

  /// `VideoBwe`.
  static let bandwidth: [(String, Action)] = [
    ("googAvailableSendBandwidth", .number(.availableOutgoing)),
    ("googAvailableReceiveBandwidth", .number(.availableIncoming)),
    ("availableOutgoingBitrate", .number(.availableOutgoing)),
    ("availableIncomingBitrate", .number(.availableIncoming)), ("googTargetEncBitrate", .number(.targetBps)),
    ("googActualEncBitrate", .ignored), ("googTransmitBitrate", .ignored),
    ("googRetransmitBitrate", .ignored),
    ("googBucketDelay", .ignored),
  ]
}
