/// The numbers that rtcstats (file format 3) uses for types, members and methods.
///
/// Format data of rtcstats/rtcstats, packages/rtcstats-shared/compression.js: numbers are never reassigned; unknown
/// ones are kept.
enum RtcstatsNumbers {
  /// Types by number, from 1.
  static let types = [
    "",
    "inbound-rtp", "outbound-rtp", "remote-inbound-rtp", "remote-outbound-rtp", "transport",
    "candidate-pair", "local-candidate", "remote-candidate", "data-channel", "peer-connection",
    "certificate", "media-source", "media-playout", "codec",
  ]

  /// Members by number, from 4; empty for unused numbers.
  static let members = [
    "", "", "", "", "payloadType", "transportId", "mimeType", "clockRate", "channels", "sdpFmtpLine",
    "ssrc", "kind", "codecId", "", "packetsReceived", "packetsLost", "jitter", "trackIdentifier", "mid",
    "remoteId", "framesDecoded", "keyFramesDecoded", "framesDropped", "frameWidth", "frameHeight",
    "framesPerSecond", "qpSum", "totalDecodeTime", "totalInterFrameDelay", "totalSquaredInterFrameDelay",
    "pauseCount", "totalPausesDuration", "freezeCount", "totalFreezesDuration",
    "lastPacketReceivedTimestamp", "headerBytesReceived", "packetsDiscarded", "fecPacketsReceived",
    "fecPacketsDiscarded", "fecBytesReceived", "fecSsrc", "bytesReceived", "nackCount", "firCount",
    "pliCount", "totalProcessingDelay", "estimatedPlayoutTimestamp", "jitterBufferDelay",
    "jitterBufferTargetDelay", "jitterBufferEmittedCount", "jitterBufferMinimumDelay",
    "totalSamplesReceived", "concealedSamples", "silentConcealedSamples", "concealmentEvents",
    "insertedSamplesForDeceleration", "removedSamplesForAcceleration", "audioLevel", "totalAudioEnergy",
    "totalSamplesDuration", "framesReceived", "decoderImplementation", "playoutId",
    "powerEfficientDecoder", "framesAssembledFromMultiplePackets", "totalAssemblyTime", "contentType",
    "googTimingFrameInfo", "retransmittedPacketsReceived", "retransmittedBytesReceived", "rtxSsrc",
    "totalCorruptionProbability", "totalSquaredCorruptionProbability", "corruptionMeasurements", "localId",
    "roundTripTime", "totalRoundTripTime", "fractionLost", "roundTripTimeMeasurements", "packetsSent",
    "bytesSent", "mediaSourceId", "rid", "encodingIndex", "headerBytesSent", "retransmittedPacketsSent",
    "retransmittedBytesSent", "targetBitrate", "totalEncodedBytesTarget", "framesSent", "hugeFramesSent",
    "framesEncoded", "keyFramesEncoded", "totalEncodeTime", "totalPacketSendDelay",
    "qualityLimitationReason", "qualityLimitationDurations", "qualityLimitationResolutionChanges",
    "encoderImplementation", "powerEfficientEncoder", "active", "scalabilityMode", "remoteTimestamp",
    "reportsSent", "echoReturnLoss", "echoReturnLossEnhancement", "width", "height", "frames",
    "synthesizedSamplesDuration", "synthesizedSamplesEvents", "totalPlayoutDelay", "totalSamplesCount",
    "dataChannelsOpened", "dataChannelsClosed", "label", "protocol", "dataChannelIdentifier", "state",
    "messagesSent", "messagesReceived", "iceRole", "iceLocalUsernameFragment", "dtlsState", "iceState",
    "selectedCandidatePairId", "localCertificateId", "remoteCertificateId", "tlsVersion", "dtlsCipher",
    "dtlsRole", "srtpCipher", "selectedCandidatePairChanges", "rtcpTransportStatsId", "address", "port",
    "candidateType", "priority", "url", "relayProtocol", "foundation", "relatedAddress", "relatedPort",
    "usernameFragment", "tcpType", "networkType", "", "", "localCandidateId", "remoteCandidateId",
    "nominated", "lastPacketSentTimestamp", "currentRoundTripTime", "availableOutgoingBitrate",
    "availableIncomingBitrate", "requestsReceived", "requestsSent", "responsesReceived", "responsesSent",
    "consentRequestsSent", "packetsDiscardedOnSend", "bytesDiscardedOnSend", "", "fingerprint",
    "fingerprintAlgorithm", "base64Certificate", "issuerCertificateId", "psnrMeasurements", "psnrSum",
    "packetsReceivedWithEct1", "packetsReceivedWithCe", "packetsReportedAsLost",
    "packetsReportedAsLostButRecovered", "packetsWithBleachedEct1Marking", "packetsSentWithEct1",
    "ccfbMessagesSent", "ccfbMessagesReceived",
  ]

  /// The method for a number or a short name; anything else is unchanged.
  static func method(_ key: String) -> String {
    if key == "g" { return "getStats" }
    return Int(key).flatMap { methods[$0] } ?? key
  }

  private static let methods: [Int: String] = [
    1: "getStats", 2: "createOffer", 3: "createOfferOnSuccess", 4: "createAnswer", 5: "createAnswerOnSuccess",
    6: "setLocalDescription", 7: "setLocalDescriptionOnSuccess", 8: "setRemoteDescription",
    9: "setRemoteDescriptionOnSuccess", 10: "addIceCandidate", 11: "addIceCandidateOnSuccess",
    12: "createOfferOnFailure", 13: "createAnswerOnFailure", 14: "setLocalDescriptionOnFailure",
    15: "setRemoteDescriptionOnFailure", 16: "addIceCandidateOnFailure", 20: "onicecandidate",
    21: "onicecandidateerror", 22: "ontrack", 23: "onsignalingstatechange", 24: "oniceconnectionstatechange",
    25: "onconnectionstatechange", 26: "onicegatheringstatechange", 27: "onnegotiationneeded",
    28: "ondatachannel", 30: "addTrack", 31: "addTrackOnSuccess", 32: "addTransceiver",
    33: "addTransceiverOnSuccess", 34: "removeTrack", 35: "createDataChannel", 36: "close", 37: "restartIce",
    38: "setConfiguration", 39: "create", 40: "constraints", 41: "setCodecPreferences",
    42: "setHeaderExtensionsToNegotiate", 50: "setParameters", 51: "replaceTrack",
    60: "navigator.mediaDevices.getUserMedia", 61: "navigator.mediaDevices.getUserMediaOnSuccess",
    63: "navigator.mediaDevices.getDisplayMedia", 64: "navigator.mediaDevices.getDisplayMediaOnSuccess",
    65: "navigator.mediaDevices.getUserMediaOnFailure", 66: "navigator.mediaDevices.enumerateDevices",
    67: "navigator.mediaDevices.ondevicechange", 68: "navigator.mediaDevices.getDisplayMediaOnFailure",
    70: "MediaStreamTrack.stop", 71: "MediaStreamTrack.applyConstraints", 72: "MediaStreamTrack.onended",
    73: "MediaStreamTrack.onmute", 74: "MediaStreamTrack.onunmute", 80: "HTMLMediaElement.resize",
  ]
}
