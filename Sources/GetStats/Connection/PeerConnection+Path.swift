import Bytes
import CallModel

extension PeerConnection {
  /// Determines the pair that carries the media, and its addresses.
  func workOutPath() throws {
    let before = path.sample
    path.isReported = presentReports.contains { $0.type.isOfPath }
    path.bandwidth = presentReports.first { $0.type == .googBandwidth }
    path.transport = carryingTransport()
    path.nominated = []
    guard let pair = selectedPair() else {
      path.pair = nil
      path.sample = TransportSample(timeMs: 0)
      path.sample.iceState = path.transport?.text(.iceState)
      path.sample.dtlsState = path.transport?.text(.dtlsState)
      path.isChanged = path.transport != nil && differs(before)
      return
    }
    path.pair = pair
    let local = present(pair.bytes(.localCandidate))
    let remote = present(pair.bytes(.remoteCandidate))
    var sample = TransportSample(timeMs: 0)
    sample.pair = String(decoding: pair.id, as: UTF8.self)
    sample.local = address(local) ?? pair.text(.localAddress)
    sample.remote = address(remote) ?? pair.text(.remoteAddress)
    sample.localType = (local?.text(.candidateType) ?? pair.text(.localType)).map(CandidateWords.type)
    sample.remoteType = (remote?.text(.candidateType) ?? pair.text(.remoteType)).map(CandidateWords.type)
    sample.networkProtocol =
      (local?.text(.networkProtocol) ?? remote?.text(.networkProtocol) ?? pair.text(.networkProtocol))?
      .lowercased()
    sample.relayProtocol = local?.text(.relayProtocol)?.lowercased()
    sample.networkType = local?.text(.networkType).map(CandidateWords.network)
    sample.iceState = path.transport?.text(.iceState)
    sample.dtlsState = path.transport?.text(.dtlsState)
    if sample.isOnPath(of: before) { sample.takePath(of: before) }
    path.sample = sample
    if differs(before) { path.isChanged = true }
    if let earlier = before.pair, earlier != sample.pair { try emitPairChange(from: before, pair) }
  }

  private func differs(_ before: TransportSample) -> Bool {
    let now = path.sample
    return now.pair != before.pair || now.local != before.local || now.remote != before.remote
      || now.iceState != before.iceState || now.dtlsState != before.dtlsState
      || now.networkType != before.networkType || now.localType != before.localType
  }

  func address(_ candidate: Report?) -> String? {
    guard let candidate, let address = candidate.text(.address),
      let port = candidate.integer(.port, as: Int.self)
    else { return nil }
    return address.contains(":") && !address.hasPrefix("[") ? "[\(address)]:\(port)" : "\(address):\(port)"
  }

  private func emitPairChange(from before: TransportSample, _ pair: Report) throws {
    var json = ByteWriter()
    json.append("{")
    let args = [
      ("from", before.pair), ("to", path.sample.pair), ("local_type", path.sample.localType),
      ("remote_type", path.sample.remoteType), ("network_type", path.sample.networkType),
    ]
    for (key, value) in args {
      guard let value else { continue }
      if json.bytes.count > 1 { json.append(",") }
      json.append("\"\(key)\":")
      json.append(json: value)
    }
    json.append("}")
    try context.sink.event(
      EventRecord(
        timeMs: try time(of: pair), event: .icePairChanged, raw: "selectedCandidatePairId",
        args: json.string,
        line: line), of: number)
  }

  /// Emits the path if it changed, and at each poll with its figures.
  func emitPath() throws {
    guard let source = path.pair ?? path.transport, source.snapshot == snapshot || path.isChanged else {
      return
    }
    let roundTrip = path.pair?.number(.roundTripMs)
    let outgoing = path.pair?.number(.availableOutgoing) ?? path.bandwidth?.number(.availableOutgoing)
    let incoming = path.pair?.number(.availableIncoming) ?? path.bandwidth?.number(.availableIncoming)
    guard path.isChanged || roundTrip != nil || outgoing != nil || incoming != nil else { return }
    guard let timeMs = try time(of: source), timeMs != path.lastTimeMs else { return }
    path.isChanged = false
    path.lastTimeMs = timeMs
    var sample = path.sample
    sample.timeMs = timeMs
    sample.rttMs = roundTrip
    sample.availableOutgoingBps = outgoing
    sample.availableIncomingBps = incoming
    sample.bytesSent = source.number(.bytesSent)
    sample.bytesReceived = source.number(.bytesReceived)
    sample.lastPacketMs = path.pair?.number(.lastPacketMs)
    sample.requestsSent = path.pair?.number(.requestsSent)
    sample.responsesReceived = path.pair?.number(.responsesReceived)
    sample.requestsReceived = path.pair?.number(.requestsReceived)
    sample.responsesSent = path.pair?.number(.responsesSent)
    sample.totalRttMs = path.pair?.number(.totalRoundTripMs)
    sample.pairChanges = path.transport?.number(.pairChanges)
    let pair = path.pair.map { ObjectIdentifier($0) }
    if pair != path.emittedPair { (path.reported, path.emittedPair) = (ReportedMembers(), pair) }
    let json = context.extraText
    json.removeAll()
    for report in [path.pair, path.transport] {
      guard let report, report.snapshot == snapshot else { continue }
      path.reported.addChanges(of: report, at: sample.timeMs, to: json)
    }
    sample.extra = json.text
    try context.sink.transport(sample, of: number)
  }
}

/// Canonical candidate types.
enum CandidateWords {
  /// host, srflx, prflx, relay; goog-* and Edge had longer names.
  static func type(_ word: String) -> String {
    switch word {
    case "local", "host": "host"
    case "stun", "serverreflexive", "srflx": "srflx"
    case "peerreflexive", "prflx": "prflx"
    case "relayed", "relay": "relay"
    default: word
    }
  }

  /// wifi, cellular, ethernet, vpn …
  static func network(_ word: String) -> String {
    switch word {
    case "wlan": "wifi"
    case "lan": "ethernet"
    case "wwan": "cellular"
    default: word
    }
  }
}

/// Detects a clock that is set back during a call, or is frozen, by means of counters.
extension PeerConnection {
  /// If a report's time does not change for this long by the poll's clock, it is frozen, ms; for less, times may just
  /// be cut to seconds.
  private static let frozenMs = 1500.0

  /// Detects a clock that was set back or is frozen since the previous snapshot. Call it before anything of a snapshot
  /// is emitted, as that has the corrected time.
  func followClock() throws {
    if doubtsOwnTimes { forgetFrozenTimes() }
    var steppedBy: Double?
    var balance = 0
    for report in presentReports {
      guard let stream = report.stream, let timeMs = try time(of: report) else { continue }
      let progress = stream.progress
      if timeMs > progress.timeMs {
        // Nearly always the first stream decides.
        if shiftMs != 0 { endShift(timeMs, after: progress) }
        return
      }
      switch progress.order(of: report.view) {
      case .behind: balance -= 1
      case .equal: continue
      case .ahead:
        if timeMs == progress.timeMs {
          return try isFrozen(report, progress) ? followClock() : ()
        }
        guard progress.canFollow(report.view) else { return }
        balance += 1
        steppedBy = steppedBy ?? progress.timeMs + passedMs(since: progress) - timeMs
      }
    }
    guard balance > 0, let steppedBy else { return }
    shiftMs += steppedBy
    try context.sink.note(Self.setBack)
  }

  /// The note about a clock that was set back.
  static let setBack =
    "the clock was set back while the call went on: later reports are placed after the earlier ones, as their counters go on"

  /// How long after the latest sample a report was made if its own clock is unusable: by the poll's clock, if that went
  /// on.
  private func passedMs(since progress: StreamProgress) -> Double {
    let polled = pollMs - progress.pollMs
    return polled > 0 && ReportTime.isEpoch(pollMs) ? polled : progress.intervalMs
  }

  /// Ends the correction if the clock fits without it: it was set right again.
  private func endShift(_ timeMs: Double, after progress: StreamProgress) {
    let plain = timeMs - shiftMs
    if plain > progress.timeMs, plain <= progress.timeMs + 2 * progress.intervalMs { shiftMs = 0 }
  }

  /// Whether the own time of a report with growing counters is frozen, while the poll's is not.
  private func isFrozen(_ report: Report, _ progress: StreamProgress) throws -> Bool {
    let polled = pollMs - progress.pollMs
    guard ReportTime.isEpoch(pollMs), polled != 0, !report.timeMs.isNaN else {
      try context.sink.note(
        "reports whose figures change while their timestamp does not, without another time beside it: the first of each timestamp is taken"
      )
      return false
    }
    guard !doubtsOwnTimes, report.timeMs == progress.ownMs, !(abs(polled) < Self.frozenMs) else {
      return false
    }
    try context.sink.note(
      "reports whose figures change while their timestamp does not: placed by the time logged beside them"
    )
    doubtsOwnTimes = true
    for other in presentReports { other.frozenMs = other.timeMs }
    return true
  }

  /// Uses the poll's time for all reports except remote ones whose time changed.
  private func forgetFrozenTimes() {
    for report in presentReports where !report.timeMs.isNaN {
      let isNew = report.isOfFarEnd && report.timeMs != report.frozenMs
      report.frozenMs = report.timeMs
      if !isNew { report.timeMs = .nan }
    }
  }
}

extension PeerConnection {
  /// Emits further identities of this end: certificates, ICE credentials, SSRCs, addresses.
  func emitIdentities() throws {
    var found: Set<Identity> = []
    let hasOtherCertificates = presentReports.contains {
      $0.isChanged && ($0.type == .certificate || $0.type == .googCertificate)
    }
    for report in presentReports where report.isChanged || hasOtherCertificates {
      switch report.role {
      case .inbound, .googReceive:
        add(&found, .ssrcIn, report.integer(.ssrc, as: UInt32.self).map(String.init))
      case .outbound, .googSend:
        add(&found, .ssrcOut, report.integer(.ssrc, as: UInt32.self).map(String.init))
      case .transport, .googComponent:
        add(&found, .ufragLocal, report.text(.localUfrag))
        add(&found, .fingerprintLocal, fingerprint(report.bytes(.localCertificate)))
        add(&found, .fingerprintRemote, fingerprint(report.bytes(.remoteCertificate)))
      case .localCandidate: add(&found, .ufragLocal, report.text(.ufrag))
      case .remoteCandidate: add(&found, .ufragRemote, report.text(.ufrag))
      default: break
      }
    }
    if !path.sample.isOnPath(of: emittedPath) {
      emittedPath = path.sample
      add(&found, .addressLocal, path.sample.local)
      add(&found, .addressRemote, path.sample.remote)
    }
    if !found.isEmpty { try emitNew(found) }
  }

  /// The most identities emitted for one connection: a few dozen are usual.
  private static let maxIdentities = Limit.identities.value

  /// Emits new identities.
  func emitNew(_ found: Set<Identity>) throws {
    let new = found.filter { !emittedIdentities.contains($0) }
    guard !new.isEmpty else { return }
    let room = max(0, Self.maxIdentities - emittedIdentities.count)
    if new.count > room {
      try context.sink.reject(
        .beyond(Self.maxIdentities, "identities of one connection", count: new.count - room))
    }
    var more = ConnectionFacts()
    more.identities = Identity.first(room, of: Set(new))
    guard !more.identities.isEmpty else { return }
    emittedIdentities.formUnion(more.identities)
    try context.sink.connection(number, more)
  }

  private func fingerprint(_ certificateId: [UInt8]) -> String? {
    present(certificateId)?.text(.fingerprint)?.uppercased()
  }

  private func add(_ found: inout Set<Identity>, _ kind: IdentityKind, _ value: String?) {
    if let value, !value.isEmpty, value != "0" { found.insert(Identity(kind, value)) }
  }
}
