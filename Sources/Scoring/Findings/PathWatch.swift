import CallModel

/// The way packets take: through a relay all the time, or changing under a call.
struct PathWatch {
  /// Changes closer together than this are one, ms.
  static let sameChangeMs = 5000.0
  /// Most changes that are kept.
  static let mostKept = 200

  private var last: TransportSample?
  private var relayed = 0
  private var direct = 0
  private var relayProtocol: String?
  private var firstMs: Double?
  private var changes: [(time: Double, from: String, to: String)] = []

  mutating func see(_ sample: TransportSample) {
    guard sample.local != nil || sample.localType != nil || sample.networkType != nil else { return }
    defer { last = sample }
    firstMs = firstMs ?? sample.timeMs
    if sample.localType == "relay" || sample.remoteType == "relay" {
      relayed += 1
      relayProtocol = sample.relayProtocol ?? relayProtocol
    } else if sample.localType != nil {
      direct += 1
    }
    guard let last, changes.count < Self.mostKept else { return }
    // A new port, or a name for the same address, is not another network.
    if last.local != sample.local, let before = Self.host(last.local), let now = Self.host(sample.local),
      before != now,
      last.localType != "relay", sample.localType != "relay"
    {
      changes.append((sample.timeMs, before, now))
    } else if let before = last.networkType, let now = sample.networkType, before != now {
      changes.append((sample.timeMs, before, now))
    }
  }

  /// The address without its port.
  private static func host(_ address: String?) -> String? {
    guard let address, let colon = address.lastIndex(of: ":") else { return address }
    return String(address[..<colon])
  }

  mutating func findings(_ context: FindingContext) -> [Finding] {
    var findings: [Finding] = []
    if relayed > 0, direct == 0, let first = firstMs, let end = last?.timeMs {
      findings.append(
        Finding(
          "relay-only", .info, from: first, to: end,
          Evidence().with("reports", Double(relayed)).with("relay_protocol", relayProtocol),
          "All media went through a relay" + (relayProtocol.map { " over \($0)." } ?? ".")))
    }
    var told = changes.map { (time: $0.time, from: Optional($0.from), to: Optional($0.to)) }
    for event in context.events where event.event == "network.changed" {
      if let time = event.timeMs { told.append((time, nil, nil)) }
    }
    var lastTold = -Double.infinity
    for change in told.sorted(by: { $0.time < $1.time }) where change.time - lastTold > Self.sameChangeMs {
      lastTold = change.time
      findings.append(
        Finding(
          "network-changed", .warning, from: change.time, to: change.time,
          Evidence().with("from", change.from).with("to", change.to),
          "This end changed its network in the call."))
    }
    return findings
  }
}
