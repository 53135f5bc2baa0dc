import CallModel

/// Requests for camera and microphone, which a page logs without a connection: they belong to the connection that they
/// lead to, or else to the one before, while it is open.
struct PageRequests {
  private var held: [RawEvent] = []
  private var budget = BufferBudget(limit: Limit.preludesOfLog.value, maxBytes: Limit.openEventBytes.value)
  private var known: Set<String> = []
  private var latest: RawEvent?

  /// The events that can be given on now, in order, each with its connection.
  mutating func settled(_ event: RawEvent) -> [RawEvent] {
    guard let connection = event.pc else {
      guard Self.isRequest(event), known.count < Self.most else { return released(to: nil) + [event] }
      held.append(event)
      budget.hold(event.size)
      return budget.isOver ? released(to: latest) : []
    }
    defer { if latest?.pc != event.pc || latest?.closesConnection != true { latest = event } }
    guard known.count < Self.most, known.insert(connection).inserted, !held.isEmpty else { return [event] }
    return settled(leadingTo: event) + [event]
  }

  /// What is left at the end of the log.
  mutating func finish() -> [RawEvent] { released(to: latest) }

  private static let answerMs = 30_000.0
  private static let most = Limit.connectionsOfCall.value

  private static func isRequest(_ event: RawEvent) -> Bool {
    event.sdk == nil && (event.raw.hasPrefix("getUserMedia") || event.raw.hasPrefix("getDisplayMedia"))
  }

  /// Those shortly before the first event of a connection lead to it. The others are of the one before, or of none if
  /// that is closed: of a preview in the lobby.
  private mutating func settled(leadingTo next: RawEvent) -> [RawEvent] {
    var leading: [RawEvent] = []
    var (nextMs, leadMs) = (next.timeMs, deviceLeadMs)
    while let event = held.last {
      if let timeMs = event.timeMs, let next = nextMs, next - timeMs > leadMs { break }
      // A person may take a while to answer the browser's question.
      (nextMs, leadMs) = (event.timeMs ?? nextMs, Self.answerMs)
      leading.insert(event.attributed(to: next), at: 0)
      held.removeLast()
      budget.release(event.size)
    }
    return released(to: latest?.closesConnection == true ? nil : latest) + leading
  }

  private mutating func released(to owner: RawEvent?) -> [RawEvent] {
    defer { held = [] }
    for event in held { budget.release(event.size) }
    return owner.map { owner in held.map { $0.attributed(to: owner) } } ?? held
  }
}

extension RawEvent {
  /// Whether its connection is closed with it.
  var closesConnection: Bool {
    raw == "close" || raw.hasSuffix("onnectionstatechange") && arguments.text("value") == "closed"
  }

  /// The event as one of another's connection. The call that its line names may be the one before.
  fileprivate func attributed(to owner: RawEvent) -> RawEvent {
    var event = self
    event.pc = owner.pc
    event.endpoint = owner.endpoint ?? endpoint
    event.call = nil
    return event
  }
}
