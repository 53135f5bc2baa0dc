/// Legs of one call: a back-to-back user agent carries it on under a Call-ID of its own.
///
/// Known by the caller's own address for media, where the agent leaves media to the ends; by names that both legs bear; or by one
/// SSRC that goes in on one leg and out on the other. Where nothing of that shows, legs stay calls apart.
struct SIPLegs {
  /// The Call-ID under which a call began, by that of a later leg.
  private var first: [String: String] = [:]
  /// The call that bore a name last.
  private var named: [String: String] = [:]
  private static let most = 20_000

  /// The Call-ID under which the call of a message began.
  func call(of message: SIPMessage) -> String { first[message.callID] ?? message.callID }

  /// Notes that an INVITE begins another leg of a call that it carries on.
  mutating func join(_ callID: String, to call: String) -> Bool {
    guard first.count < Self.most else { return false }
    first[callID] = first[call] ?? call
    return true
  }

  /// A proxy that hides who is behind it changes the Call-ID and leaves the caller's tag, which is random.
  private static let shortestTag = 8

  private func tagged(_ message: SIPMessage) -> String? {
    message.fromTag.utf8.count >= Self.shortestTag ? "tag \(message.fromTag) \(message.sequence)" : nil
  }

  /// The Call-ID of the call that bore the caller's tag and number of an INVITE before.
  func call(taggedAs message: SIPMessage) -> String? {
    tagged(message).flatMap { named[$0] }.map { first[$0] ?? $0 }
  }

  /// Notes the names that a call bears from its first INVITE on.
  mutating func begin(_ message: SIPMessage) {
    for name in message.correlation.names + [tagged(message)].compactMap({ $0 })
    where named.count < Self.most || named[name] != nil {
      named[name] = message.callID
    }
  }

  /// Call-IDs of calls that an INVITE names as the one that it carries on.
  func calls(namedBy message: SIPMessage) -> [String] {
    let known = message.correlation.names.compactMap { named[$0] } + message.correlation.values
    return known.map { first[$0] ?? $0 }.filter { $0 != message.callID }
  }
}
