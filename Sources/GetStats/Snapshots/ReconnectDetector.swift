import CallModel

/// Tells, where snapshots of one name come again after a long silence, whether they are of the connection that they were of before.
///
/// A connection keeps its certificate, and its senders their SSRCs; whatever its streams and its path do, the path's counters
/// go on. Counters of streams alone say nothing: they begin anew where a receiver stops and comes back.
struct ReconnectDetector {
  /// Without a path that tells, streams alone are believed where the silence was longer, ms.
  private static let longMs = 600_000.0

  /// The time of the last snapshot that had one.
  private(set) var lastMs: Double?
  /// How long the silence was of which is not known yet what it means.
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

  /// Takes note of a snapshot that was closed.
  mutating func note(_ connection: PeerConnection) {
    if let nowMs = connection.snapshotMs { lastMs = max(lastMs ?? nowMs, nowMs) }
    guard openMs == 0 else { return }
    if connection.path.pair != nil { hadPath = true }
    guard let transport = connection.path.transport else { return }
    pathBytes = Self.bytes(transport) ?? pathBytes
    // One that a connection has it keeps.
    if certificate.isEmpty { certificate = transport.bytes(.localCertificate) }
  }

  /// The certificate that the open snapshot has, where it is of another connection than those before, without any silence: one
  /// keeps its own, and of what it had nothing is there any more.
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

  /// Nil where the snapshot does not tell.
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
    // Of a connection that slept nobody remembers its path.
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

/// Which ways streams go.
private struct StreamDirections {
  private(set) var hasInbound = false
  private(set) var hasOutbound = false

  var isEmpty: Bool { !hasInbound && !hasOutbound }

  mutating func insert(_ isInbound: Bool) {
    if isInbound { hasInbound = true } else { hasOutbound = true }
  }
}

extension ReportType {
  /// Whether no two connections share one of its reports.
  var isOfOnePath: Bool { self == .pair || self == .localCandidate || self == .remoteCandidate }
}

extension PeerConnection {
  /// When the open snapshot was taken, by the poll's clock or that of its first report.
  var snapshotMs: Double? {
    if !pollMs.isNaN { return pollMs }
    let own = presentReports.first { !$0.isOfFarEnd && ReportTime.isEpoch($0.timeMs) }
    return own?.timeMs
  }

  /// Whether there was any stream before the open snapshot.
  var hasStreams: Bool { !streamsBySSRC.isEmpty || !streamsById.isEmpty }

  /// Whether a report of the open snapshot tells of a stream that was there before.
  func knowsStream(_ report: Report) -> Bool {
    guard let ssrc = report.integer(.ssrc, as: UInt32.self) else { return streamsById[report.id] != nil }
    return streamsBySSRC[Self.key(ssrc, isInbound: report.role.isInbound)] != nil
  }
}
