import CallModel

extension PeerConnection {
  /// Recomputes which reports belong together, the facts of streams, and the identities of this end.
  func workOutFacts() throws {
    var remoteByLocalId: [[UInt8]: Report] = [:]
    var remoteBySSRC: [UInt64: Report] = [:]
    var playout: Report?
    var hasOtherCodecs = false
    for report in presentReports {
      let role = report.role
      if report.isChanged, role == .codec { hasOtherCodecs = true }
      if role == .remoteInbound || role == .remoteOutbound {
        let local = report.bytes(.localId)
        if !local.isEmpty { remoteByLocalId[local] = report }
        if let ssrc = report.integer(.ssrc, as: UInt32.self) {
          remoteBySSRC[Self.key(ssrc, isInbound: role == .remoteOutbound)] = report
        }
      }
      if role == .playout { playout = report }
    }
    try workOutPath()
    for report in presentReports {
      let role = report.role
      guard role.isStream, !isDouble(report), try !isOfRepeats(report), let stream = try stream(of: report)
      else {
        report.stream = nil
        continue
      }
      report.stream = stream
      report.hasClockUnits = report.isAiortc || report.isMediasoup
      report.remote =
        present(report.bytes(.remoteId)) ?? remoteByLocalId[report.id] ?? aiortcRemote(of: report)
        ?? report.integer(.ssrc, as: UInt32.self).flatMap {
          remoteBySSRC[Self.key($0, isInbound: role.isInbound)]
        }
      report.track = present(report.bytes(.trackId))
      report.device = nil
      if report.kind == .audio || role == .outbound {
        report.device = present(report.bytes(.deviceId)) ?? (role == .inbound ? playout : nil)
      }
      let isReported = stream.owner == ObjectIdentifier(report) && path.sample.isOnPath(of: stream.path)
      if hasOtherCodecs || report.isChanged || !isReported { try emitStream(stream, report) }
    }
    try emitIdentities()
  }

  /// Whether a report was derived from a goog-* report beside it (`rtpstream_ssrc_1_send`), as a shim of 2016 did.
  private func isDouble(_ report: Report) -> Bool {
    let mark = Array("rtpstream_".utf8)
    return report.id.starts(with: mark) && present(Array(report.id.dropFirst(mark.count))) != nil
  }

  /// Whether an aiortc report is of retransmissions (RTX): media and RTX share an id there, so that once there are
  /// retransmissions only theirs is reported, while the remote report beside it is of the media.
  private func isOfRepeats(_ report: Report) throws -> Bool {
    guard report.role == .inbound, let media = aiortcRemote(of: report)?.integer(.ssrc, as: UInt32.self),
      let ssrc = report.integer(.ssrc, as: UInt32.self), ssrc != media
    else { return false }
    try context.sink.note(SourceNote.repeatsOnly)
    return true
  }

  /// The stream of a report: the same one as before if direction and SSRC are the same, whatever the report's id.
  private func stream(of report: Report) throws -> StreamState? {
    let isInbound = report.role.isInbound
    var known: StreamState?
    let ssrc = report.integer(.ssrc, as: UInt32.self)
    if let ssrc { known = streamsBySSRC[Self.key(ssrc, isInbound: isInbound)] }
    if let stream = known, stream.snapshot == snapshot, stream.report != ObjectIdentifier(report) {
      known = nil  // Two reports of one SSRC at a time: two streams.
    } else if known != nil {
      known?.snapshot = snapshot
      known?.report = ObjectIdentifier(report)
      return known
    }
    if let stream = streamsById[report.id],
      ssrc == nil || stream.facts.ssrc == nil || stream.facts.ssrc == ssrc
    {
      stream.snapshot = snapshot
      return stream
    }
    guard let number = try context.newStream() else { return nil }
    let stream = StreamState(number: number, isInbound: isInbound)
    stream.snapshot = snapshot
    stream.report = ObjectIdentifier(report)
    if let ssrc, streamsBySSRC[Self.key(ssrc, isInbound: isInbound)] == nil {
      streamsBySSRC[Self.key(ssrc, isInbound: isInbound)] = stream
    } else {
      streamsById[report.id] = stream
    }
    return stream
  }

  static func key(_ ssrc: UInt32, isInbound: Bool) -> UInt64 {
    UInt64(ssrc) << 1 | (isInbound ? 1 : 0)
  }

  /// Emits the facts of a stream if they changed.
  private func emitStream(_ stream: StreamState, _ report: Report) throws {
    stream.owner = ObjectIdentifier(report)
    stream.path = path.sample
    var facts = stream.facts
    facts.direction = stream.isInbound ? .inbound : .outbound
    facts.kind = report.kind ?? facts.kind
    facts.ssrc = report.integer(.ssrc, as: UInt32.self) ?? facts.ssrc
    facts.rtxSsrc = report.integer(.rtxSsrc, as: UInt32.self) ?? facts.rtxSsrc
    facts.mid = report.text(.mid) ?? facts.mid
    facts.rid = report.text(.rid) ?? facts.rid
    // Of what is sent, the report of its source has it; of before 2021, that of its track.
    facts.trackIdentifier =
      [report, report.device, report.track].lazy.compactMap { $0?.text(.trackIdentifier) }.first
      ?? facts.trackIdentifier
    if let before = stream.facts.trackIdentifier, before != facts.trackIdentifier,
      let changedMs = try time(of: report)
    {
      stream.slot.changedMs = changedMs
    }
    facts.encodingIndex = report.integer(.encodingIndex, as: Int.self) ?? facts.encodingIndex
    facts.scalabilityMode = report.text(.scalabilityMode) ?? facts.scalabilityMode
    facts.implementation = report.text(.implementation) ?? facts.implementation
    if let content = report.text(.contentType) { facts.screen = content.hasPrefix("screen") }
    var codec = present(report.bytes(.codecId)) ?? report
    // If an id has been reused by a codec of the other kind, it says nothing of this stream.
    if let kind = codec.text(.mimeType).flatMap(CodecName.kind), kind != facts.kind ?? kind { codec = report }
    let codecName = codec.text(.mimeType) ?? report.text(.codecName) ?? report.text(.mimeType)
    if let name = codecName.map(CodecName.canonical) {
      // Facts of another codec do not apply to this one.
      if let before = facts.codec, before != name {
        (facts.fmtp, facts.payloadType, facts.channels) = (nil, nil, nil)
        (facts.clockRate, facts.clockRateGuessed) = (nil, nil)
      }
      facts.codec = name
    }
    facts.fmtp = codec.text(.fmtp) ?? facts.fmtp
    facts.payloadType = codec.integer(.payloadType, as: Int.self) ?? facts.payloadType
    facts.clockRate = codec.integer(.clockRate, as: Int.self) ?? facts.clockRate
    facts.channels = codec.integer(.channels, as: Int.self) ?? facts.channels
    if facts.kind == nil { facts.kind = codec.text(.mimeType).flatMap(CodecName.kind) }
    if report.hasClockUnits, facts.clockRate == nil {
      facts.clockRate = CodecName.usualClockRate(facts.codec, facts.kind)
      facts.clockRateGuessed = true
      try context.sink.note(
        report.isMediasoup
          ? "mediasoup reports jitter in RTP units and no clock rate: that usual for the codec is assumed"
          : "aiortc reports jitter in RTP units and no codec: 48000 Hz assumed for audio, 90000 Hz for video")
    }
    facts.local = path.sample.local ?? facts.local
    facts.remote = path.sample.remote ?? facts.remote
    if stream.isReported, stream.mayHaveCarried, facts.codec != stream.facts.codec,
      let before = stream.facts.codec
    {
      try event(
        .mediaCodecChanged, "codecId", stream, report, [("from", before), ("to", facts.codec ?? "")])
    }
    if stream.isReported, let before = stream.facts.implementation, let now = facts.implementation,
      before != now,
      before != "unknown"
    {
      try event(
        .mediaImplementationChanged, "implementation", stream, report, [("from", before), ("to", now)])
    }
    if stream.isReported, facts == stream.facts { return }
    stream.facts = facts
    stream.isReported = true
    try context.sink.stream(stream.number, of: number, facts)
  }

  /// aiortc gives the reports of one sender or receiver the same number, and no references.
  private func aiortcRemote(of report: Report) -> Report? {
    guard report.isAiortc else { return nil }
    let suffix = report.id.drop { $0 != UInt8(ascii: "_") }
    let prefix = report.role.isInbound ? "remote-outbound-rtp" : "remote-inbound-rtp"
    return present(Array(prefix.utf8) + suffix)
  }
}

extension Report {
  /// The type of report with corrections: Firefox before 66 marked remote reports with `isRemote`.
  var role: ReportType {
    guard number(.isRemote) == 1 else { return type }
    return type == .inbound ? .remoteInbound : type == .outbound ? .remoteOutbound : type
  }

  /// Whether the report is mediasoup's: it has the codec's name, as wrappers do, and mediasoup's counter names.
  var isMediasoup: Bool {
    (type == .inbound || type == .outbound) && hasMediasoupNames && text(.mimeType) != nil
  }

  /// Whether the report is aiortc's: its ids are the type's name, `_` and a number.
  var isAiortc: Bool {
    guard type.isStream || type == .remoteInbound, id.count > typeName.count + 1 else { return false }
    return id.starts(with: typeName.bytes) && id[typeName.count] == UInt8(ascii: "_")
      && id[(typeName.count + 1)...].allSatisfy(\.isASCIIDigit)
  }
}

/// Codec names as in the IANA registry of RTP media types, in any case.
enum CodecName {
  private static let known: [String: String] = {
    let names = [
      "opus", "VP8", "VP9", "AV1", "H264", "H265", "PCMU", "PCMA", "G722", "G729", "iLBC", "iSAC", "SILK",
      "CN",
      "telephone-event", "red", "rtx", "ulpfec", "flexfec-03", "L16", "AMR", "AMR-WB", "EVS", "MP4A-LATM",
      "speex",
    ]
    return Dictionary(uniqueKeysWithValues: names.map { ($0.lowercased(), $0) })
  }()

  /// `audio/opus`, `OPUS`, `VP8/90000` → the registered spelling without kind and rate; unknown names are unchanged.
  static func canonical(_ name: String) -> String {
    var word = name[...]
    for kind in ["audio/", "video/"] where word.lowercased().hasPrefix(kind) {
      word = word.dropFirst(kind.count)
    }
    word = word.prefix { $0 != "/" && $0 != ";" }
    return known[word.lowercased()] ?? String(word)
  }

  /// The usual RTP clock rate of a codec (RFC 3551, RFC 7587).
  static func usualClockRate(_ codec: String?, _ kind: MediaKind?) -> Int {
    switch codec {
    case "PCMU", "PCMA", "G722", "G729", "iLBC", "CN", "telephone-event": 8000
    default: kind == .video ? 90_000 : 48_000
    }
  }

  /// Audio or video by the kind before the slash.
  static func kind(_ mimeType: String) -> MediaKind? {
    MediaKind(rawValue: mimeType.prefix { $0 != "/" }.lowercased())
  }
}
