/// Whom a gateway dialled for this end: the server takes the call itself, and whether anybody answers behind it only the roster tells.
struct PexipGateway {
  private var isGateway = false
  private var hasAnswered = false
  /// Those who were dialled and have not answered, and how many of them have left.
  private var waiting: Set<String> = []
  private var left = 0

  /// Most of them told apart: a gateway dials one.
  private static let limit = 100

  /// Takes note of what an event says of a participant, or of the service.
  mutating func note(_ members: PexipMembers) {
    isGateway = isGateway || members.serviceType == "gateway"
    guard let uuid = members.uuid, members.callDirection == "out" || waiting.contains(uuid) else { return }
    let hasMedia = members.flags[.hasMedia]
    if members.serviceType == "connecting" || hasMedia == false {
      if waiting.count < Self.limit { waiting.insert(uuid) }
    } else if hasMedia == true || !waiting.contains(uuid) {
      // Of one who never was said to be without media nobody knows.
      hasAnswered = true
    }
  }

  /// Takes note of a participant who has left.
  mutating func noteLeft(_ uuid: String) {
    if waiting.contains(uuid) { left += 1 }
  }

  /// What the end of this end's call says where nobody has answered; who of both has given up is told by who left first.
  var wordsOfEnd: [(name: String, value: String)] {
    guard isGateway, !hasAnswered, !waiting.isEmpty else { return [] }
    return [("answered", "false")] + (left >= waiting.count ? [("by", "remote")] : [])
  }
}
