import CallModel

/// Decides, after a gap in the snapshots of one name, whether they are still of the same connection.
///
/// A connection keeps its certificate, and its senders their SSRCs; the path's counters go on whatever its streams do.
/// Counters of streams alone are not evidence, as they are reset when a receiver stops and restarts.
struct ReconnectDetector {
  /// Without path counters, streams alone are evidence only after a gap longer than this, ms.
  private static let longMs = 600_000.0

  /// The time of the last snapshot with a time.
  private(set) var lastMs: Double?
  /// The length of a gap that could not be interpreted yet, ms.
  private var openMs = 0.0
  private(set) var certificate: [UInt8] = []
  private var pathBytes: Double?
  private var hadPath = false

  /// Whether the open snapshot is of another connection than those before.
  mutating func isBroken(by connection: PeerConnection) -> Bool {
    let nowMs = connection.snapshotMs
    if let lastMs, let nowMs, nowMs - lastMs > LoggedEnd.silenceMs { openMs = nowMs - lastMs }
    guard openMs > 0, let isAnother = isAnother(connection) else { return false }
    openMs = 0
    return isAnother
  }

  /// Records a closed snapshot.
  mutating func note(_ connection: PeerConnection) {
    if let nowMs = connection.snapshotMs { lastMs = max(lastMs ?? nowMs, nowMs) }
    guard openMs == 0 else { return }
    if connection.path.pair != nil { hadPath = true }
    guard let transport = connection.path.transport else { return }
    pathBytes = Self.bytes(transport) ?? pathBytes
    // A connection keeps its certificate.
    if certificate.isEmpty { certificate = transport.bytes(.localCertificate) }
  }

  /// The certificate of the open snapshot if it is of another connection than those before, even without a gap: a
  /// connection keeps its certificate, and nothing of the previous snapshot is left.
  func otherCertificate(of connection: PeerConnection) -> [UInt8]? {
    guard !certificate.isEmpty, connection.differsFromLast else { return nil }
    var other: [UInt8]?
    for report in connection.presentReports where report.type == .transport || report.type == .googComponent {
      let own = report.bytes(.localCertificate)
      if own == certificate { return nil }
      if !own.isEmpty { other = own }
    }
    guard other != nil, !connection.hasKnownReport(where: { $0.type.isOfOnePath }),
      !connection.presentReports.contains(where: { $0.role.isStream && connection.knowsStream($0) })
    else { return nil }
    return other
  }

  /// Nil if the snapshot is inconclusive.
  private func isAnother(_ connection: PeerConnection) -> Bool? {
    var (known, new) = (StreamDirections(), StreamDirections())
    var (hasPath, isOtherCertificate) = (false, false)
    var nowBytes: Double?
    for report in connection.presentReports {
      switch report.role {
      case .transport, .googComponent:
        let own = report.bytes(.localCertificate)
        if !own.isEmpty, !certificate.isEmpty, own != certificate { isOtherCertificate = true }
        if let bytes = Self.bytes(report) { nowBytes = max(nowBytes ?? 0, bytes) }
      case .pair, .localCandidate, .remoteCandidate: hasPath = true
      case let role where role.isStream:
        let isKnown = connection.knowsStream(report)
        if isKnown { known.insert(role.isInbound) } else { new.insert(role.isInbound) }
      default: break
      }
    }
    if isOtherCertificate { return true }
    if !known.isEmpty { return false }
    let hadStreams = connection.hasStreams
    let isPathKnown = connection.hasKnownReport { $0.type.isOfOnePath }
    if hasPath, isPathKnown { return false }
    // The path of a sleeping connection is not remembered.
    let isOtherPath = hasPath && hadPath && connection.knownBefore > 0
    if isOtherPath, hadStreams, new.hasOutbound { return true }
    if let nowBytes, let pathBytes, pathBytes > 0 { return nowBytes < pathBytes }
    if isOtherPath { return true }
    guard hadStreams, !new.isEmpty else { return nil }
    return openMs > Self.longMs
  }

  private static func bytes(_ carrier: Report) -> Double? {
    guard let sent = carrier.number(.bytesSent), let received = carrier.number(.bytesReceived) else {
      return nil
    }
    return sent + received
  }
}

/// Directions of streams.
private struct StreamDirections {
  private(set) var hasInbound = false
  private(set) var hasOutbound = false

  var isEmpty: Bool { !hasInbound && !hasOutbound }

  mutating func insert(_ isInbound: Bool) {
    if isInbound { hasInbound = true } else { hasOutbound = true }
  }
}

extension ReportType {
  /// Whether two connections never share such a report.
  var isOfOnePath: Bool { self == .pair || self == .localCandidate || self == .remoteCandidate }
}

extension PeerConnection {
  /// Time of the open snapshot, by the poll's clock or that of its first report.
  var snapshotMs: Double? {
    if !pollMs.isNaN { return pollMs }
    let own = presentReports.first { !$0.isOfFarEnd && ReportTime.isEpoch($0.timeMs) }
    return own?.timeMs
  }

  /// Whether there was any stream before the open snapshot.
  var hasStreams: Bool { !streamsBySSRC.isEmpty || !streamsById.isEmpty }

  /// Whether the open snapshot has a stream that existed before.
  func knowsStream(_ report: Report) -> Bool {
    guard let ssrc = report.integer(.ssrc, as: UInt32.self) else { return streamsById[report.id] != nil }
    return streamsBySSRC[Self.key(ssrc, isInbound: report.role.isInbound)] != nil
  }
}
