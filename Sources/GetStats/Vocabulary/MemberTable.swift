import Glibc

/// Looks up a member by its name and report type, in a few nanoseconds.
///
/// Names are compared as two 8-byte words (the first and the last eight bytes) and a length, which is exact for names
/// of up to 16 bytes; longer ones are compared in full. Immutable.
final class MemberTable: @unchecked Sendable {
  /// The members of all dialects, also under rtcstats' numbers.
  static let all = MemberTable()

  private struct Slot {
    var head: UInt64 = 0
    var tail: UInt64 = 0
    var name: UnsafeBufferPointer<UInt8> = .init(start: nil, count: 0)
    /// Index of the name; -1 if the slot is free.
    var index = -1
  }

  private static let slotCount = 2048
  /// Longer names are in no table.
  private static let maxBytes = 64
  private let slots: UnsafeMutablePointer<Slot>
  private let actions: UnsafeMutablePointer<MemberMapping>
  private let nameCount: Int
  private let names: UnsafeMutablePointer<UInt8>

  private static let rows: [(ReportType, [(String, MemberMapping)])] = [
    (.inbound, StreamMembers.inbound), (.outbound, StreamMembers.outbound),
    (.remoteInbound, StreamMembers.remoteInbound), (.remoteOutbound, StreamMembers.remoteOutbound),
    (.playout, StreamMembers.playout), (.source, StreamMembers.source), (.track, StreamMembers.track),
    (.codec, PathMembers.codec),
    (.transport, PathMembers.transport), (.pair, GoogMembers.pair),
    (.localCandidate, PathMembers.candidate), (.remoteCandidate, PathMembers.candidate),
    (.certificate, PathMembers.certificate), (.googCertificate, PathMembers.certificate),
    (.googReceive, GoogMembers.receive), (.googSend, GoogMembers.send), (.googPair, GoogMembers.pair),
    (.googComponent, GoogMembers.component), (.googBandwidth, GoogMembers.bandwidth),
  ]
  /// Native SDKs nest the members of a report in one of its members, and use microseconds for its time.
  private static let everywhere: [(String, MemberMapping)] = [
    ("id", MemberMapping(kind: .id)), ("type", MemberMapping(kind: .type)),
    ("timestamp", MemberMapping(kind: .timestamp)),
    ("timestamp_us", MemberMapping(kind: .timestamp)), ("timestampUs", MemberMapping(kind: .timestamp)),
    ("t", MemberMapping(kind: .timestamp)),
    ("stats", MemberMapping(kind: .nested)), ("values", MemberMapping(kind: .nested)),
    ("members", MemberMapping(kind: .nested)),
  ]

  /// The same members under rtcstats' numbers.
  private static func numbered(_ members: [(String, MemberMapping)]) -> [(String, MemberMapping)] {
    let known = Dictionary(members, uniquingKeysWith: { $1 })
    return RtcstatsNumbers.members.enumerated().compactMap { number, name in
      known[name].map { ("\(number)", $0) }
    }
  }

  private init() {
    let rows = Self.rows.map { ($0.0, $0.1 + Self.numbered($0.1)) }
    var indices: [String: Int] = [:]
    for (name, _) in Self.everywhere + rows.flatMap(\.1) where indices[name] == nil {
      indices[name] = indices.count
    }
    nameCount = indices.count
    slots = .allocate(capacity: Self.slotCount)
    slots.initialize(repeating: Slot(), count: Self.slotCount)
    actions = .allocate(capacity: nameCount * ReportType.allCases.count)
    actions.initialize(repeating: MemberMapping(kind: .unknown), count: nameCount * ReportType.allCases.count)
    names = .allocate(capacity: indices.keys.reduce(0) { $0 + $1.utf8.count })
    for type in ReportType.allCases where type.isPassedOver {
      for index in 0..<nameCount { actions[Int(type.rawValue) * nameCount + index] = .ignored }
    }
    var used = 0
    for (name, index) in indices {
      let start = names + used
      for byte in name.utf8 {
        names[used] = byte
        used += 1
      }
      insert(UnsafeBufferPointer(start: start, count: name.utf8.count), index)
    }
    for (type, members) in rows {
      for (name, action) in members { set(action, type, indices[name]) }
    }
    for type in ReportType.allCases {
      for (name, action) in Self.everywhere { set(action, type, indices[name]) }
    }
  }

  deinit {
    slots.deallocate()
    actions.deallocate()
    names.deallocate()
  }

  private func set(_ action: MemberMapping, _ type: ReportType, _ index: Int?) {
    if let index { actions[Int(type.rawValue) * nameCount + index] = action }
  }

  private func insert(_ name: UnsafeBufferPointer<UInt8>, _ index: Int) {
    let (head, tail) = Self.words(name)
    var place = Self.place(head, tail, name.count)
    while slots[place].index >= 0 { place = (place + 1) & (Self.slotCount - 1) }
    slots[place] = Slot(head: head, tail: tail, name: name, index: index)
  }

  /// How to handle a member of a report of a type.
  @inline(__always)
  func action(_ name: UnsafeBufferPointer<UInt8>, _ type: ReportType) -> MemberMapping {
    let (head, tail) = Self.words(name)
    var place = Self.place(head, tail, name.count)
    while true {
      let slot = slots + place
      if slot.pointee.index < 0 { return unlisted(name, type) }
      if slot.pointee.head == head, slot.pointee.tail == tail, slot.pointee.name.count == name.count,
        name.count <= 16 || equal(slot.pointee.name, name)
      {
        return actions[Int(type.rawValue) &* nameCount &+ slot.pointee.index]
      }
      place = (place &+ 1) & (Self.slotCount &- 1)
    }
  }

  /// How to handle a member whose name is in no table: GStreamer writes `packets-received` for `packetsReceived`.
  @inline(never)
  private func unlisted(_ name: UnsafeBufferPointer<UInt8>, _ type: ReportType) -> MemberMapping {
    if type.isPassedOver { return .ignored }
    // Chrome marks members that no standard has: `freezeCount*`.
    if name.last == UInt8(ascii: "*") { return action(UnsafeBufferPointer(rebasing: name.dropLast()), type) }
    let hyphen = UInt8(ascii: "-")
    guard name.count <= Self.maxBytes, name.contains(hyphen) else { return MemberMapping(kind: .unknown) }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.maxBytes) { camel in
      var count = 0
      var isCapital = false
      for byte in name where byte != hyphen || !isCapital {
        if byte != hyphen {
          camel.initializeElement(at: count, to: isCapital && byte.isASCIISmall ? byte & 0xDF : byte)
          count += 1
        }
        isCapital = byte == hyphen
      }
      return action(UnsafeBufferPointer(rebasing: camel[..<count]), type)
    }
  }

  @inline(__always)
  private static func place(_ head: UInt64, _ tail: UInt64, _ count: Int) -> Int {
    let mixed = (head ^ (tail &* 0x9E37_79B9_7F4A_7C15) ^ UInt64(count)) &* 0xD6E8_FEB8_6659_FD93
    return Int(truncatingIfNeeded: mixed >> 53)
  }

  /// The first and the last eight bytes; for a shorter name all bytes, twice.
  @inline(__always)
  private static func words(_ name: UnsafeBufferPointer<UInt8>) -> (UInt64, UInt64) {
    let count = name.count
    let raw = UnsafeRawBufferPointer(name)
    if count >= 8 {
      return (
        raw.loadUnaligned(fromByteOffset: 0, as: UInt64.self),
        raw.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
      )
    }
    var word: UInt64 = 0
    for byte in name { word = word &<< 8 | UInt64(byte) }
    return (word, word)
  }
}

/// Whether two runs of bytes are equal.
@inline(__always)
func equal(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Bool {
  guard a.count == b.count else { return false }
  guard let first = a.baseAddress, let second = b.baseAddress else { return true }
  return memcmp(first, second, a.count) == 0
}

/// Whether an array has exactly these bytes.
@inline(__always)
func equal(_ a: [UInt8], _ b: UnsafeBufferPointer<UInt8>) -> Bool {
  a.withUnsafeBufferPointer { equal($0, b) }
}

/// Members of Chrome's pre-standard statistics (callback `getStats`, until M117), whose values are strings. Source:
/// developer.chrome.com/blog/getstats-migration, and WebRTC's `api/legacy_stats_types.cc`.
enum GoogMembers {
  private static let both: [(String, MemberMapping)] = [
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

  /// `ssrc_N_recv`. Concealment is reported as calls of 10 ms and as recent rates, the jitter buffer as a gauge.
  static let receive: [(String, MemberMapping)] =
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

  /// `ssrc_N_send`: of the sender, and figures of the far end.
  static let send: [(String, MemberMapping)] =
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
  static let pair: [(String, MemberMapping)] =
    PathMembers.pair + [
      ("googActiveConnection", .number(.selected)), ("googRtt", .number(.roundTripMs)),
      ("googLocalAddress", .text(.localAddress)), ("googRemoteAddress", .text(.remoteAddress)),
      ("googLocalCandidateType", .text(.localType)), ("googRemoteCandidateType", .text(.remoteType)),
      ("googTransportType", .text(.networkProtocol)), ("googChannelId", .ignored), ("googReadable", .ignored),
      ("googWritable", .ignored),
    ]

  /// `googComponent`.
  static let component: [(String, MemberMapping)] = PathMembers.transport + [("googComponent", .ignored)]

  /// `VideoBwe`.
  static let bandwidth: [(String, MemberMapping)] = [
    ("googAvailableSendBandwidth", .number(.availableOutgoing)),
    ("googAvailableReceiveBandwidth", .number(.availableIncoming)),
    ("availableOutgoingBitrate", .number(.availableOutgoing)),
    ("availableIncomingBitrate", .number(.availableIncoming)), ("googTargetEncBitrate", .number(.targetBps)),
    ("googActualEncBitrate", .ignored), ("googTransmitBitrate", .ignored),
    ("googRetransmitBitrate", .ignored),
    ("googBucketDelay", .ignored),
  ]
}

/// Members of codec and path reports: W3C names, and those of earlier browsers.
enum PathMembers {
  static let codec: [(String, MemberMapping)] = [
    ("mimeType", .text(.mimeType)), ("codec", .text(.mimeType)), ("payloadType", .number(.payloadType)),
    ("clockRate", .number(.clockRate)), ("channels", .number(.channels)), ("sdpFmtpLine", .text(.fmtp)),
    ("transportId", .ignored), ("codecType", .ignored), ("implementation", .ignored),
  ]

  static let transport: [(String, MemberMapping)] = [
    ("selectedCandidatePairId", .text(.selectedPair)), ("iceState", .text(.iceState)),
    ("dtlsState", .text(.dtlsState)), ("localCertificateId", .text(.localCertificate)),
    ("remoteCertificateId", .text(.remoteCertificate)), ("iceLocalUsernameFragment", .text(.localUfrag)),
    ("bytesSent", .number(.bytesSent)), ("bytesReceived", .number(.bytesReceived)), ("packetsSent", .extra),
    ("packetsReceived", .extra), ("dtlsCipher", .extra), ("dtlsRole", .extra), ("tlsVersion", .extra),
    ("srtpCipher", .extra), ("iceRole", .extra), ("selectedCandidatePairChanges", .number(.pairChanges)),
    ("rtcpTransportStatsId", .ignored), ("activeConnection", .ignored), ("tlsGroup", .extra),
    ("ccfbMessagesSent", .extra), ("ccfbMessagesReceived", .extra),
  ]

  static let pair: [(String, MemberMapping)] = [
    ("localCandidateId", .text(.localCandidate)), ("remoteCandidateId", .text(.remoteCandidate)),
    ("state", .text(.pairState)), ("nominated", .number(.nominated)), ("selected", .number(.selected)),
    // `roundTripTime` is the name in early drafts, in milliseconds.
    ("currentRoundTripTime", .number(.roundTripMs, 1000)), ("roundTripTime", .number(.roundTripMs)),
    ("availableOutgoingBitrate", .number(.availableOutgoing)),
    ("availableIncomingBitrate", .number(.availableIncoming)), ("bytesSent", .number(.bytesSent)),
    ("bytesReceived", .number(.bytesReceived)), ("transportId", .text(.transportId)),
    ("priority", .ignored), ("readable", .ignored), ("writable", .ignored), ("packetsSent", .extra),
    ("packetsReceived", .extra),
    ("totalRoundTripTime", .number(.totalRoundTripMs, 1000)),
    ("requestsReceived", .number(.requestsReceived)),
    ("requestsSent", .number(.requestsSent)), ("responsesReceived", .number(.responsesReceived)),
    ("responsesSent", .number(.responsesSent)), ("consentRequestsSent", .extra),
    ("consentRequestsReceived", .extra), ("consentResponsesSent", .extra),
    ("consentResponsesReceived", .extra), ("retransmissionsReceived", .extra),
    ("retransmissionsSent", .extra), ("lastPacketReceivedTimestamp", .number(.lastPacketMs)),
    ("lastPacketSentTimestamp", .ignored), ("firstRequestTimestamp", .ignored),
    ("lastRequestTimestamp", .ignored), ("lastResponseTimestamp", .ignored),
    ("consentExpiredTimestamp", .ignored), ("packetsDiscardedOnSend", .extra),
    ("bytesDiscardedOnSend", .extra), ("componentId", .ignored), ("circuitBreakerTriggerCount", .extra),
  ]

  /// Local and remote candidates.
  static let candidate: [(String, MemberMapping)] = [
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

  static let certificate: [(String, MemberMapping)] = [
    ("fingerprint", .text(.fingerprint)), ("fingerprintAlgorithm", .ignored), ("base64Certificate", .ignored),
    ("issuerCertificateId", .ignored), ("googFingerprint", .text(.fingerprint)),
    ("googFingerprintAlgorithm", .ignored), ("googDerBase64", .ignored), ("googIssuerId", .ignored),
  ]
}
