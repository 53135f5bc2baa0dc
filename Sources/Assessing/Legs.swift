import CallModel

extension [StoredEvent] {
  /// The events of one end without those that end one of its connections while the call goes on over another: a leg over
  /// a server beside one between the ends, or a connection that took over from one that failed.
  func withoutEndsOfLegs() -> [StoredEvent] {
    let legs = Legs(self)
    return legs.areSeveral ? filter { !legs.goesOn(after: $0) } : self
  }
}

/// When each connection of an end stood.
private struct Legs {
  private struct Leg {
    var establishedMs: Double?
    var overMs: Double?
    var lastMs: Double
  }

  private var legs: [Int64: Leg] = [:]

  private static let ends: Set<EventName> = [.callEnded, .callFailed]
  private static let breaks: Set<EventName> = [
    .callEnded, .callFailed, .networkLost, .iceDisconnected, .iceFailed, .iceClosed, .dtlsFailed, .dtlsClosed,
  ]
  /// All connections of a call that ends are closed within this time, ms.
  private static let hangUpMs = 3000.0

  var areSeveral: Bool { legs.values.count { $0.establishedMs != nil } > 0 && legs.count > 1 }

  init(_ events: [StoredEvent]) {
    for event in events {
      // What is said of the whole call is of no connection.
      guard event.endpoint != nil, Self.isOfConnection(event.record), let timeMs = event.record.ownTimeMs
      else { continue }
      var leg = legs[event.connection] ?? Leg(lastMs: timeMs)
      leg.lastMs = Swift.max(leg.lastMs, timeMs)
      if event.record.event == .callEstablished { leg.establishedMs = leg.establishedMs ?? timeMs }
      if Self.ends.contains(event.record.event) { leg.overMs = leg.overMs ?? timeMs }
      legs[event.connection] = leg
    }
  }

  /// Whether an event ends a connection, and another of the end stands then, or takes over.
  func goesOn(after event: StoredEvent) -> Bool {
    guard event.endpoint != nil, Self.isOfConnection(event.record), Self.breaks.contains(event.record.event),
      let timeMs = event.record.ownTimeMs
    else { return false }
    return legs.contains { key, other in
      guard key != event.connection, let establishedMs = other.establishedMs else { return false }
      if establishedMs <= timeMs { return (other.overMs ?? other.lastMs) > timeMs + Self.hangUpMs }
      return Self.ends.contains(event.record.event)
        && establishedMs <= timeMs + Succession.reconnectMs
    }
  }

  /// Whether an event is of a PeerConnection alone: an SDK that ends a call ends all of it.
  private static func isOfConnection(_ event: EventRecord) -> Bool {
    !event.isOfCapture && (event.sdk == nil || event.sdk == "w3c")
  }
}
