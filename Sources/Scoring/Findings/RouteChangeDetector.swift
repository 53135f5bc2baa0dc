import CallModel

/// Finds connections that always used a relay, and changes of network during a call.
struct RouteChangeDetector {
  /// Changes closer together than this count as one, ms.
  static let sameChangeMs = 5000.0

  private var relayed = 0
  private var direct = 0
  private var relayProtocol: String?
  private var firstMs: Double?
  private var lastMs: Double?

  mutating func see(_ sample: TransportSample) {
    guard sample.local != nil || sample.localType != nil || sample.networkType != nil else { return }
    firstMs = firstMs ?? sample.timeMs
    lastMs = sample.timeMs
    if sample.localType == "relay" || sample.remoteType == "relay" {
      relayed += 1
      relayProtocol = sample.relayProtocol ?? relayProtocol
    } else if sample.localType != nil {
      direct += 1
    }
  }

  /// - Parameter paths: all network paths that packets took, in time order.
  func findings(_ context: FindingContext, _ paths: [PathHistory.Step]) -> [Finding] {
    var findings: [Finding] = []
    if relayed > 0, direct == 0, let first = firstMs, let end = lastMs {
      findings.append(
        Finding(
          "relay-only", .info, from: first, to: end,
          Evidence().with("reports", Double(relayed)).with("relay_protocol", relayProtocol),
          "All media went through a relay" + (relayProtocol.map { " over \($0)." } ?? ".")))
    }
    var changes = Self.changes(paths)
    // The address that a NAT shows for this end stays the same when the end behind it moves.
    let knowsOwnAddress = paths.contains { $0.sample.localType == "host" && $0.sample.local != nil }
    if changes.isEmpty, !knowsOwnAddress { changes = Self.changes(context.pathsSeenElsewhere) }
    // Some SDKs report the start and the end of a change: these are one change.
    var hasBegun = false
    for event in context.events where event.event == "network.changed" {
      let state = event.argument("state")
      if let time = event.timeMs, state != "ended" || !hasBegun { changes.append((time, nil, nil)) }
      hasBegun = state == "started"
    }
    var lastChangeMs = -Double.infinity
    for change in changes.sorted(by: { $0.time < $1.time })
    where change.time - lastChangeMs > Self.sameChangeMs {
      lastChangeMs = change.time
      findings.append(
        Finding(
          "network-changed", .warning, from: change.time, to: change.time,
          Evidence().with("from", change.from).with("to", change.to),
          "This end changed its network in the call."))
    }
    return findings
  }

  private static func changes(_ paths: [PathHistory.Step]) -> [(time: Double, from: String?, to: String?)] {
    paths.compactMap { path in
      path.before?.networkChange(to: path.sample).map { (path.sample.timeMs, $0.from, $0.to) }
    }
  }
}
