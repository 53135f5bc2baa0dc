/// Members of the reports about codecs and the path: W3C names, and what earlier browsers called them.
enum PathMembers {
  static let codec: [(String, Action)] = [
    ("mimeType", .text(.mimeType)), ("codec", .text(.mimeType)), ("payloadType", .number(.payloadType)),
    ("clockRate", .number(.clockRate)), ("channels", .number(.channels)), ("sdpFmtpLine", .text(.fmtp)),
    ("transportId", .ignored), ("codecType", .ignored), ("implementation", .ignored),
  ]

  static let transport: [(String, Action)] = [
    ("selectedCandidatePairId", .text(.selectedPair)), ("iceState", .text(.iceState)),
    ("dtlsState", .text(.dtlsState)), ("localCertificateId", .text(.localCertificate)),
    ("remoteCertificateId", .text(.remoteCertificate)), ("iceLocalUsernameFragment", .text(.localUfrag)),
    ("bytesSent", .number(.bytesSent)), ("bytesReceived", .number(.bytesReceived)), ("packetsSent", .ignored),
    ("packetsReceived", .ignored), ("dtlsCipher", .ignored), ("dtlsRole", .ignored), ("tlsVersion", .ignored),
    ("srtpCipher", .ignored), ("iceRole", .ignored), ("selectedCandidatePairChanges", .ignored),
    ("rtcpTransportStatsId", .ignored), ("activeConnection", .ignored), ("tlsGroup", .ignored),
    ("ccfbMessagesSent", .ignored), ("ccfbMessagesReceived", .ignored),
  ]

  static let pair: [(String, Action)] = [
    ("localCandidateId", .text(.localCandidate)), ("remoteCandidateId", .text(.remoteCandidate)),
    ("state", .text(.pairState)), ("nominated", .number(.nominated)), ("selected", .number(.selected)),
    // `roundTripTime` is the name of early drafts, in milliseconds.
    ("currentRoundTripTime", .number(.roundTripMs, 1000)), ("roundTripTime", .number(.roundTripMs)),
    ("availableOutgoingBitrate", .number(.availableOutgoing)),
    ("availableIncomingBitrate", .number(.availableIncoming)), ("bytesSent", .number(.bytesSent)),
    ("bytesReceived", .number(.bytesReceived)), ("transportId", .text(.transportId)),
    ("priority", .ignored), ("readable", .ignored), ("writable", .ignored), ("packetsSent", .ignored),
    ("packetsReceived", .ignored),
    ("totalRoundTripTime", .ignored), ("requestsReceived", .number(.requestsReceived)),
    ("requestsSent", .number(.requestsSent)), ("responsesReceived", .number(.responsesReceived)),
    ("responsesSent", .ignored), ("consentRequestsSent", .ignored),
    ("consentRequestsReceived", .ignored), ("consentResponsesSent", .ignored),
    ("consentResponsesReceived", .ignored), ("retransmissionsReceived", .ignored),
    ("retransmissionsSent", .ignored), ("lastPacketReceivedTimestamp", .number(.lastPacketMs)),
    ("lastPacketSentTimestamp", .ignored), ("firstRequestTimestamp", .ignored),
    ("lastRequestTimestamp", .ignored), ("lastResponseTimestamp", .ignored),
    ("consentExpiredTimestamp", .ignored), ("packetsDiscardedOnSend", .ignored),
    ("bytesDiscardedOnSend", .ignored), ("componentId", .ignored), ("circuitBreakerTriggerCount", .ignored),
  ]

  /// Local and remote candidates.
  static let candidate: [(String, Action)] = [
    ("address", .text(.address)), ("ip", .text(.address)), ("ipAddress", .text(.address)),
    ("port", .number(.port)), ("portNumber", .number(.port)), ("protocol", .text(.networkProtocol)),
    ("transport", .text(.networkProtocol)), ("candidateType", .text(.candidateType)),
    ("relayProtocol", .text(.relayProtocol)), ("mozLocalTransport", .text(.relayProtocol)),
    ("networkType", .text(.networkType)), ("usernameFragment", .text(.ufrag)), ("priority", .ignored),
    ("foundation", .ignored), ("url", .ignored), ("isRemote", .ignored), ("relatedAddress", .ignored),
    ("relatedPort", .ignored), ("tcpType", .ignored), ("transportId", .ignored), ("deleted", .ignored),
    ("networkAdapterType", .ignored), ("vpn", .ignored), ("addressSourceUrl", .ignored),
    ("componentId", .ignored),
    ("stunKeepaliveRequestsSent", .ignored), ("stunKeepaliveResponsesReceived", .ignored),
    ("stunKeepaliveRttTotal", .ignored), ("stunKeepaliveRttSquaredTotal", .ignored), ("proxied", .ignored),
  ]

  static let certificate: [(String, Action)] = [
    ("fingerprint", .text(.fingerprint)), ("fingerprintAlgorithm", .ignored), ("base64Certificate", .ignored),
    ("issuerCertificateId", .ignored), ("googFingerprint", .text(.fingerprint)),
    ("googFingerprintAlgorithm", .ignored), ("googDerBase64", .ignored), ("googIssuerId", .ignored),
  ]
}
