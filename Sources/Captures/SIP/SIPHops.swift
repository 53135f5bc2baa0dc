/// Which messages of a call were met, and between whom: a proxy that was captured shows each of them twice.
struct SIPHops {
  /// What a message is beside those before it.
  enum Sighting: Equatable {
    case new
    /// The same on its way through a proxy: between other addresses, or in another transaction.
    case passedOn
    /// The same between the same addresses again, met so many times by now.
    case again(Int)
  }

  private var onHop: [String: Int] = [:]
  private var messages: Set<String> = []
  /// Messages remembered of a call.
  private static let most = 512

  /// Takes a message that went between two addresses.
  mutating func meet(
    _ message: SIPMessage, from source: Endpoint, to destination: Endpoint
  ) -> Sighting {
    let identity =
      "\(message.status ?? 0) \(message.sequence) \(message.method) \(message.fromTag) \(message.toTag)"
    let hop = "\(identity) \(message.branch) \(source.text) \(destination.text)"
    if let times = onHop[hop] {
      onHop[hop] = times + 1
      return .again(times + 1)
    }
    guard onHop.count < Self.most else { return .new }
    onHop[hop] = 1
    return messages.insert(identity).inserted ? .new : .passedOn
  }
}
