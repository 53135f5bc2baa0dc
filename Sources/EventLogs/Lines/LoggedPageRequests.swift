import CallModel

/// Gives the requests for camera and microphone that a run log has without a connection to the connections they are of.
struct LoggedPageRequests {
  private var requests = PageRequests<RawEvent>()
  private var budget = BufferBudget(limit: Limit.preludesOfLog.value, maxBytes: Limit.openEventBytes.value)
  private var known: Set<String> = []
  /// The latest event of a connection, or the one that closed the latest connection.
  private var latest: RawEvent?

  private static let most = Limit.connectionsOfCall.value

  /// The events that can be given on now, in order, each with its connection.
  mutating func settled(_ event: RawEvent) -> [RawEvent] {
    guard let connection = event.pc else {
      guard Self.isRequest(event), known.count < Self.most else {
        return given(requests.takeAll(), to: nil) + [event]
      }
      requests.hold(event, timeMs: event.timeMs)
      budget.hold(event.size)
      return budget.isOver ? finish() : []
    }
    defer { if latest?.pc != event.pc || latest?.closesConnection != true { latest = event } }
    guard known.count < Self.most, known.insert(connection).inserted else { return [event] }
    let (earlier, leading) = requests.take(leadingTo: event.timeMs)
    let before = latest?.closesConnection == true ? nil : latest
    return given(earlier, to: before) + given(leading, to: event) + [event]
  }

  /// What is left at the end of the log.
  mutating func finish() -> [RawEvent] { given(requests.takeAll(), to: latest) }

  private static func isRequest(_ event: RawEvent) -> Bool {
    event.sdk == nil && (event.raw.hasPrefix("getUserMedia") || event.raw.hasPrefix("getDisplayMedia"))
  }

  private mutating func given(_ events: [RawEvent], to owner: RawEvent?) -> [RawEvent] {
    for event in events { budget.release(event.size) }
    return owner.map { owner in events.map { $0.attributed(to: owner) } } ?? events
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
