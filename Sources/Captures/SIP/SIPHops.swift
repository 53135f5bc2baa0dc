import Packets
import Signalling

/// The hosts that were sent the INVITEs of a call that nobody had answered yet, and which of them never sent anything.
struct AskedHosts {
  struct Host {
    var endpoint: Endpoint
    var by: Endpoint
    var firstNs: Int64
    /// When its host said that it listens to nothing there, or that it cannot be reached.
    var returned: (error: ICMPError, timeNs: Int64)?
    var isHeard = false
  }

  private(set) var hosts: [Host] = []
  private static let most = 16

  mutating func invite(_ endpoint: Endpoint, by source: Endpoint, at timeNs: Int64) {
    guard hosts.count < Self.most, !hosts.contains(where: { $0.endpoint == endpoint }) else { return }
    hosts.append(Host(endpoint: endpoint, by: source, firstNs: timeNs))
  }

  /// Takes that a message came from an address. It may come from another port.
  mutating func heard(_ source: Endpoint) {
    for i in hosts.indices where hosts[i].endpoint.address == source.address { hosts[i].isHeard = true }
  }

  /// Takes an ICMP error about a packet to an address; returns whether an INVITE went there.
  mutating func returned(_ error: ICMPError, from destination: Endpoint, at timeNs: Int64) -> Bool {
    guard let i = hosts.firstIndex(where: { $0.endpoint == destination }) else { return false }
    if hosts[i].returned == nil { hosts[i].returned = (error, timeNs) }
    return true
  }

  /// When the sender of an INVITE that was never answered tried another host; nil if it did not.
  func nextNs(after host: Host) -> Int64? {
    hosts.first { $0.by == host.by && $0.firstNs > host.firstNs }?.firstNs
  }
}

/// The messages of a call that were seen, and between which hosts. If a proxy was captured, each message
/// appears twice.
struct SIPHops {
  /// How a message relates to earlier ones.
  enum Sighting: Equatable {
    case new
    /// Forwarded by a proxy: the same between other addresses, or in another transaction.
    case passedOn
    /// A retransmission between the same addresses, with the number of transmissions so far.
    case again(Int)
    /// An immediate repetition, captured at two places, for example by a capture agent.
    case copied
  }

  private var onHop: [String: (times: Int, lastNs: Int64)] = [:]
  private var messages: Set<String> = []
  /// The maximum number of messages remembered per call.
  private static let most = 512
  /// Retransmissions come later than this (T1 is 500 ms, RFC 3261 section 17.1.1.1), ns.
  private static let soonNs: UInt64 = 50_000_000

  /// Takes a message sent between two addresses.
  mutating func meet(
    _ message: SIPMessage, from source: Endpoint, to destination: Endpoint, at timeNs: Int64
  ) -> Sighting {
    let identity =
      "\(message.status ?? 0) \(message.sequence) \(message.method) \(message.fromTag) \(message.toTag)"
    let hop = "\(identity) \(message.branch) \(source.text) \(destination.text)"
    if let (times, lastNs) = onHop[hop] {
      if (timeNs &- lastNs).magnitude < Self.soonNs { return .copied }
      onHop[hop] = (times + 1, timeNs)
      return .again(times + 1)
    }
    guard onHop.count < Self.most else { return .new }
    onHop[hop] = (1, timeNs)
    return messages.insert(identity).inserted ? .new : .passedOn
  }
}
