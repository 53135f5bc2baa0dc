/// What is known of ICE (RFC 8445) between the ends: the connectivity checks, and the candidates of each end.
public struct ConnectivityFigures: Sendable, Equatable {
  /// The event by which statistics report the checks of a connection that did not come up.
  public static let event = EventName.mediaPathChecks

  /// Candidate pairs checked, requests sent, and how many of those were answered.
  public var pairs: Int?
  public var sent: Int?
  public var answered: Int?
  /// Checks received from the far end.
  public var received: Int?
  /// Candidates of this end and of the far end by type (host, srflx, prflx, relay).
  public var local: [String: Int] = [:]
  public var remote: [String: Int] = [:]
  /// Whether all addresses of the far end's candidates are private; nil if none of them can be classified.
  public var isRemotePrivate: Bool?
  /// Why no pair of candidates could be formed; nil if one could, or if it is not known.
  public internal(set) var noPair: NoPair?

  /// Nothing known.
  public init() {}

  /// `none of 10 checks was answered`; nil if the checks are unknown.
  public var checks: String? {
    guard let sent else { return nil }
    if sent == 0 { return "no check was sent" + farEndChecks }
    guard let answered else { return nil }
    let checks = Plural.of(sent, "check")
    return (answered == 0 ? "none of \(checks) was answered" : "\(answered) of \(checks) were answered")
      + farEndChecks
  }

  private var farEndChecks: String {
    guard let received, answered ?? 0 == 0, received > 0 else { return "" }
    return ", though \(received) of the far end's came"
  }

  /// A sentence if the far end has private addresses only, which no other network reaches; nil if it has
  /// others or they are unknown.
  public var farEnd: String? {
    guard isRemotePrivate == true, Set(remote.keys).isSubset(of: ["host"]) else { return nil }
    return "the far end named only private addresses"
  }

  /// `2 host, 1 relay`, in the order of candidate preference; nil if empty.
  public static func list(_ kinds: [String: Int]) -> String? {
    let order = ["host", "srflx", "prflx", "relay"]
    func rank(_ kind: String) -> Int { order.firstIndex(of: kind) ?? order.count }
    let sorted = kinds.sorted { (rank($0.key), $0.key) < (rank($1.key), $1.key) }
    return sorted.isEmpty ? nil : sorted.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
  }
}

extension Sequence<EventRecord> {
  /// The connectivity figures from the events of one end.
  public var connectivity: ConnectivityFigures {
    var figures = ConnectivityFigures()
    var addresses = RemoteAddresses()
    var candidates = BothCandidates()
    for event in self {
      candidates.take(event)
      switch event.event {
      case .iceCandidate:
        if let type = event[.candidateType] { figures.local[type, default: 0] += 1 }
      case .iceRemoteCandidate:
        if let type = event[.candidateType] { figures.remote[type, default: 0] += 1 }
        addresses.add(event.args)
      case .sdpOfferReceived, .sdpAnswerReceived, .sdpProvisionalAnswerReceived, .sdpRemoteSetting:
        addresses.add(event.args)
      case ConnectivityFigures.event: figures.take(event, &addresses)
      default: break
      }
    }
    figures.isRemotePrivate = addresses.isPrivate
    figures.noPair = candidates.noPair(pairs: figures.pairs)
    return figures
  }
}

extension ConnectivityFigures {
  /// Adds what statistics counted; the connections of an end add up.
  fileprivate mutating func take(_ event: EventRecord, _ addresses: inout RemoteAddresses) {
    func add(_ figure: WritableKeyPath<Self, Int?>, _ argument: EventArgument<Int>) {
      guard let value = event[argument], value >= 0 else { return }
      let sum = (self[keyPath: figure] ?? 0).addingReportingOverflow(value)
      self[keyPath: figure] = sum.overflow ? .max : sum.partialValue
    }
    add(\.pairs, .pairs)
    add(\.sent, .requestsSent)
    add(\.answered, .responsesReceived)
    add(\.received, .requestsReceived)
    if let isPrivate = event[.remotePrivate] { addresses.add(isPrivate: isPrivate) }
  }
}

/// The addresses in the candidates of the far end.
private struct RemoteAddresses {
  private(set) var isPrivate: Bool?

  mutating func add(isPrivate other: Bool) { isPrivate = (isPrivate ?? true) && other }

  /// Adds those of the candidates in a text.
  mutating func add(_ text: String) {
    for candidate in CandidateText.all(in: text) {
      if let known = PrivateAddress.isPrivate(candidate.address) { add(isPrivate: known) }
    }
  }
}

/// Addresses that are not reachable from other networks.
public enum PrivateAddress {
  /// Private, loopback, link-local, shared and unique-local ranges (RFC 1918, 6598, 4193).
  private static let ranges = [
    "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "127.0.0.0/8", "169.254.0.0/16", "100.64.0.0/10",
    "fc00::/7", "fe80::/10", "::1/128",
  ].compactMap { Subnet($0) }

  /// Whether a text is an address in one of these ranges; nil if it is not an address, such as an mDNS name.
  public static func isPrivate(_ text: String) -> Bool? {
    guard Subnet(around: text, prefix: 128) != nil else { return nil }
    return ranges.contains { $0 == Subnet(around: text, prefix: $0.prefix) }
  }
}
