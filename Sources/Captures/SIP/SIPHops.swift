/// Which messages of a call were met, and between whom: a proxy that was captured shows each of them twice.
struct SIPHops {
  /// What a message is beside those before it.
  enum Sighting: Equatable {
    case new
    /// The same on its way through a proxy: between other addresses, or in another transaction.
    case passedOn
    /// The same between the same addresses again, met so many times by now.
    case again(Int)
    /// The same at once: captured at another place as well, as where a capture agent copies it.
    case copied
  }

  private var onHop: [String: (times: Int, lastNs: Int64)] = [:]
  private var messages: Set<String> = []
  /// Messages remembered of a call.
  private static let most = 512
  /// Nobody sends again so soon (T1 is half a second, RFC 3261 section 17.1.1.1), ns.
  private static let soonNs: UInt64 = 50_000_000

  /// Takes a message that went between two addresses.
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
