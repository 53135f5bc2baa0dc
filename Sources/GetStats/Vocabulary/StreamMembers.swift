/// W3C webrtc-stats members of RTP stream reports, and their names in earlier browsers.
enum StreamMembers {
  /// The identity of a stream: in all of its reports.
  static let identity: [(String, MemberMapping)] = [
    ("ssrc", .number(.ssrc)), ("kind", .text(.kind)), ("mediaType", .text(.kind)),
    ("codecId", .text(.codecId)),
    ("transportId", .text(.transportId)), ("mid", .text(.mid)), ("rid", .text(.rid)),
    ("trackId", .text(.trackId)), ("mediaTrackId", .text(.trackId)),
    ("trackIdentifier", .text(.trackIdentifier)), ("isRemote", .number(.isRemote)),
    ("remoteId", .text(.remoteId)), ("localId", .text(.localId)), ("associateStatsId", .text(.remoteId)),
    ("rtxSsrc", .number(.rtxSsrc)), ("fecSsrc", .ignored), ("mediaSourceId", .text(.deviceId)),
    ("contentType", .text(.contentType)), ("encodingIndex", .number(.encodingIndex)),
    ("receiverId", .ignored),
    ("senderId", .ignored),
    // Codec members: mediasoup has its name here, and wrappers copy the whole codec report.
    ("mimeType", .text(.mimeType)), ("payloadType", .number(.payloadType)),
    ("clockRate", .number(.clockRate)), ("channels", .number(.channels)), ("sdpFmtpLine", .text(.fmtp)),
  ]

  /// Repair, the same in both directions.
  private static let repair: [(String, MemberMapping)] = [
    ("nackCount", .count(.nack)), ("pliCount", .count(.pli)), ("firCount", .count(.fir)),
    ("sliCount", .extra), ("qpSum", .count(.qpSum)), ("framesPerSecond", .count(.frameRate)),
    ("frameWidth", .count(.width)), ("frameHeight", .count(.height)), ("frameBitDepth", .extra),
    ("packetsSentWithEct1", .extra), ("packetsReceivedWithEct1", .extra),
    ("packetsReceivedWithCe", .extra),
    ("packetsReportedAsLost", .extra), ("packetsReportedAsLostButRecovered", .extra),
    ("packetsWithBleachedEct1Marking", .extra), ("psnrSum", .luma(.psnrSum)),
    ("psnrMeasurements", .count(.psnrMeasurements)),
    // Averages of Firefox before 60 over the whole stream, which are not a series.
    ("bitrateMean", .extra), ("bitrateStdDev", .extra), ("framerateMean", .extra),
    ("framerateStdDev", .extra),
    // mediasoup's names, in both directions.
    ("packetCount", .mediasoup(.packets)), ("byteCount", .mediasoup(.bytes)),
    ("packetsRetransmitted", .count(.rtxPackets)), ("nackPacketCount", .extra), ("score", .extra),
    ("bitrate", .extra), ("bitrateByLayer", .extra), ("rtxPacketsDiscarded", .extra),
  ]

  /// `inbound-rtp`.
  static let inbound: [(String, MemberMapping)] =
    identity + repair + decoding + [
      ("packetsReceived", .count(.packets)), ("bytesReceived", .count(.bytes)),
      ("headerBytesReceived", .count(.headerBytes)), ("packetsLost", .count(.lost)),
      ("jitter", .seconds(.jitterMs)),
      ("packetsDiscarded", .count(.discarded)), ("discardedPackets", .count(.discarded)),
      ("retransmittedPacketsReceived", .count(.rtxPackets)),
      ("retransmittedBytesReceived", .count(.rtxBytes)),
      ("fecPacketsReceived", .count(.fecPackets)), ("fecPacketsDiscarded", .count(.fecDiscarded)),
      ("fecBytesReceived", .extra), ("lastPacketReceivedTimestamp", .count(.lastPacketMs)),
      // Only in Firefox before 66 (with isRemote), in milliseconds.
      ("roundTripTime", .count(.rttMs)), ("fractionLost", .ignored),
      ("packetsDuplicated", .count(.duplicates)),
      ("playoutId", .text(.deviceId)), ("decoderImplementation", .text(.implementation)),
      ("powerEfficientDecoder", .extra), ("estimatedPlayoutTimestamp", .count(.estimatedPlayoutMs)),
      ("googTimingFrameInfo", .ignored), ("totalAssemblyTime", .extra),
      ("framesAssembledFromMultiplePackets", .extra), ("averageRtcpInterval", .extra),
      ("burstPacketsLost", .extra), ("burstPacketsDiscarded", .extra), ("burstLossCount", .extra),
      ("burstDiscardCount", .extra), ("burstLossRate", .extra), ("burstDiscardRate", .extra),
      ("gapLossRate", .extra), ("gapDiscardRate", .extra), ("packetsRepaired", .extra),
      ("packetsFailedDecryption", .extra), ("perDscpPacketsReceived", .ignored),
      ("goodputEstimate", .extra),
      ("totalCorruptionProbability", .count(.corruptionSum)),
      ("totalSquaredCorruptionProbability", .extra),
      ("corruptionMeasurements", .count(.corruptionMeasurements)),
    ]

  /// Decoding and playout: in `inbound-rtp`, earlier in `track`.
  static let decoding: [(String, MemberMapping)] = [
    ("totalSamplesReceived", .count(.totalSamples)), ("concealedSamples", .count(.concealedSamples)),
    ("silentConcealedSamples", .count(.silentConcealedSamples)),
    ("concealmentEvents", .count(.concealmentEvents)),
    ("insertedSamplesForDeceleration", .count(.insertedSamples)),
    ("removedSamplesForAcceleration", .count(.removedSamples)),
    ("totalSamplesDuration", .seconds(.totalSamplesDurationMs)), ("audioLevel", .count(.audioLevel)),
    ("totalAudioEnergy", .count(.totalAudioEnergy)), ("jitterBufferDelay", .seconds(.jitterBufferDelayMs)),
    ("jitterBufferTargetDelay", .seconds(.jitterBufferTargetDelayMs)),
    ("jitterBufferMinimumDelay", .seconds(.jitterBufferMinimumDelayMs)),
    ("jitterBufferEmittedCount", .count(.jitterBufferEmitted)),
    ("totalProcessingDelay", .seconds(.processingDelayMs)), ("framesReceived", .count(.framesReceived)),
    ("framesDecoded", .count(.frames)), ("framesDropped", .count(.framesDropped)),
    ("framesRendered", .count(.framesRendered)), ("keyFramesDecoded", .count(.keyFrames)),
    ("freezeCount", .count(.freezeCount)), ("totalFreezesDuration", .seconds(.freezeMs)),
    ("pauseCount", .count(.pauseCount)), ("totalPausesDuration", .seconds(.pauseMs)),
    ("totalInterFrameDelay", .seconds(.interFrameDelayMs)),
    ("totalSquaredInterFrameDelay", .count(.squaredInterFrameDelayS2)),
    ("totalDecodeTime", .seconds(.decodeMs)), ("partialFramesLost", .extra), ("fullFramesLost", .extra),
    // Only in Chrome's own dumps.
    ("jitterBufferFlushes", .count(.jitterBufferFlushes)), ("delayedPacketOutageSamples", .extra),
    ("relativePacketArrivalDelay", .extra), ("interruptionCount", .extra),
    ("totalInterruptionDuration", .extra), ("minPlayoutDelay", .extra),
  ]

  /// `outbound-rtp`.
  static let outbound: [(String, MemberMapping)] =
    identity + repair + [
      ("packetsSent", .count(.packets)), ("bytesSent", .count(.bytes)),
      ("headerBytesSent", .count(.headerBytes)),
      ("retransmittedPacketsSent", .count(.rtxPackets)), ("retransmittedBytesSent", .count(.rtxBytes)),
      ("framesEncoded", .count(.frames)), ("framesSent", .count(.framesSent)),
      ("keyFramesEncoded", .count(.keyFrames)), ("hugeFramesSent", .count(.hugeFrames)),
      ("framesDropped", .count(.framesDropped)), ("droppedFrames", .count(.framesDropped)),
      ("totalEncodeTime", .seconds(.decodeMs)), ("targetBitrate", .count(.targetBps)),
      ("totalPacketSendDelay", .seconds(.packetSendDelayMs)), ("active", .count(.active)),
      ("qualityLimitationReason", MemberMapping(kind: .limitation)),
      ("qualityLimitationDurations", MemberMapping(kind: .limitationDurations)),
      ("qualityLimitationResolutionChanges", .count(.resolutionChanges)),
      ("encoderImplementation", .text(.implementation)), ("powerEfficientEncoder", .extra),
      ("totalEncodedBytesTarget", .extra), ("scalabilityMode", .text(.scalabilityMode)),
      ("averageRtcpInterval", .extra),
      ("lastPacketSentTimestamp", .ignored), ("perDscpPacketsSent", .ignored),
      ("framesDiscardedOnSend", .extra),
      ("packetsDiscardedOnSend", .extra), ("bytesDiscardedOnSend", .extra),
      // Early drafts had remote figures in the sender's report, with round trips in milliseconds.
      ("packetsLost", .count(.lost)), ("jitter", .seconds(.jitterMs)), ("roundTripTime", .count(.rttMs)),
    ]

  /// Members of the stream's own report within a remote report: it was merged with it if any of these counters exists.
  private static func merged(_ own: [(String, MemberMapping)], knownBy counters: Set<String>) -> [(
    String, MemberMapping
  )] {
    own.map { ($0.0, counters.contains($0.0) ? .ofStream : .ignored) }
  }

  /// `remote-inbound-rtp`: the far end's figures of a stream sent from here.
  static let remoteInbound: [(String, MemberMapping)] =
    merged(outbound, knownBy: ["packetsSent", "bytesSent", "framesEncoded"]) + identity + [
      ("packetsLost", .count(.lost)), ("jitter", .seconds(.jitterMs)), ("roundTripTime", .seconds(.rttMs)),
      ("fractionLost", .count(.fractionLost)), ("packetsReceived", .extra), ("bytesReceived", .extra),
      ("totalRoundTripTime", .extra), ("roundTripTimeMeasurements", .extra),
      ("reportsReceived", .extra),
      ("packetsDiscarded", .extra), ("packetsReceivedWithEct1", .extra),
      ("packetsReceivedWithCe", .extra),
      ("packetsReportedAsLost", .extra), ("packetsReportedAsLostButRecovered", .extra),
      ("packetsWithBleachedEct1Marking", .extra), ("nackCount", .ignored), ("pliCount", .ignored),
      ("firCount", .ignored),
    ]

  /// `remote-outbound-rtp`: the far end's figures of a stream received here.
  static let remoteOutbound: [(String, MemberMapping)] =
    merged(inbound, knownBy: ["packetsReceived", "bytesReceived", "totalSamplesReceived", "framesDecoded"])
    + identity + [
      ("roundTripTime", .seconds(.rttMs)), ("packetsSent", .count(.farPackets)), ("bytesSent", .extra),
      ("remoteTimestamp", .count(.farReportMs)), ("reportsSent", .extra), ("totalRoundTripTime", .extra),
      ("roundTripTimeMeasurements", .extra), ("nackCount", .ignored), ("pliCount", .ignored),
      ("firCount", .ignored),
    ]

  /// `media-playout`.
  static let playout: [(String, MemberMapping)] = [
    ("synthesizedSamplesDuration", .seconds(.synthesizedMs)), ("synthesizedSamplesEvents", .extra),
    ("totalPlayoutDelay", .seconds(.playoutDelayMs)), ("totalSamplesCount", .count(.playoutSamples)),
    ("totalSamplesDuration", .ignored),
    ("kind", .text(.kind)),
  ]

  /// `media-source`: what the microphone, camera or screen delivers to a sender.
  static let source: [(String, MemberMapping)] = [
    ("kind", .text(.kind)), ("audioLevel", .count(.audioLevel)), ("frames", .count(.framesCaptured)),
    ("totalAudioEnergy", .count(.totalAudioEnergy)),
    ("totalSamplesDuration", .seconds(.totalSamplesDurationMs)), ("echoReturnLoss", .count(.echoReturnLoss)),
    ("echoReturnLossEnhancement", .count(.echoReturnLossEnhancement)), ("width", .extra), ("height", .extra),
    ("framesPerSecond", .extra), ("trackIdentifier", .text(.trackIdentifier)),
  ]

  /// Obsolete `track`.
  static let track: [(String, MemberMapping)] =
    identity + decoding + [
      ("frameWidth", .count(.width)), ("frameHeight", .count(.height)),
      ("framesPerSecond", .count(.frameRate)),
      ("framesSent", .count(.framesSent)), ("hugeFramesSent", .count(.hugeFrames)), ("detached", .ignored),
      ("ended", .ignored), ("remoteSource", .ignored), ("echoReturnLoss", .ignored),
      ("frameWidthInput", .ignored),
      ("echoReturnLossEnhancement", .ignored), ("ssrcIds", .ignored), ("framesCorrupted", .extra),
      ("priority", .ignored),
      ("totalFrameDuration", .ignored), ("sumOfSquaredFramesDuration", .ignored),
      ("totalSamplesSent", .ignored),
      ("keyFramesSent", .ignored), ("keyFramesReceived", .ignored),
    ]
}
