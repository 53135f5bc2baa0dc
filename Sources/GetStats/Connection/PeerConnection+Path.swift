import Bytes
import CallModel

extension PeerConnection {
  /// Works out which pair carries the media, and what its ends are.
  func workOutPath() throws {
    let before = path.sample
    path.isTold = presentReports.contains { $0.type.isOfPath }
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
    if let earlier = before.pair, earlier != sample.pair { try tellPairChange(from: before, pair) }
  }

  private func differs(_ before: TransportSample) -> Bool {
    let now = path.sample
    return now.pair != before.pair || now.local != before.local || now.remote != before.remote
      || now.iceState != before.iceState || now.dtlsState != before.dtlsState
      || now.networkType != before.networkType || now.localType != before.localType
  }

  private func address(_ candidate: Report?) -> String? {
    guard let candidate, let address = candidate.text(.address),
      let port = candidate.integer(.port, as: Int.self)
    else { return nil }
    return address.contains(":") && !address.hasPrefix("[") ? "[\(address)]:\(port)" : "\(address):\(port)"
  }

  private func tellPairChange(from before: TransportSample, _ pair: Report) throws {
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
        timeMs: try time(of: pair), event: "ice.pair-changed", raw: "selectedCandidatePairId",
        args: json.string,
        line: line), of: number)
  }

  /// Gives the path: on a change, and at each poll that measured it.
  func givePath() throws {
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
    try context.sink.transport(sample, of: number)
  }
}

/// Canonical words for candidates.
enum CandidateWords {
  /// host, srflx, prflx, relay; goog-* and Edge had longer ones.
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
