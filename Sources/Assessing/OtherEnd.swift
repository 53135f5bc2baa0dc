import CallModel

/// The other end of a two-party call, as seen from one of them.
struct OtherEnd {
  /// Its events, on its own clock.
  let ownEvents: [EventRecord]
  private let keys: (this: Int64, other: Int64)
  private let events: [StoredEvent]

  init?(of endpoint: Int64, events: [StoredEvent]) {
    guard let other = Self.only(otherThan: endpoint, in: events) else { return nil }
    ownEvents = events.filter { $0.endpoint == other }.map(\.record)
    keys = (endpoint, other)
    self.events = events
  }

  /// The only other end that has events; nil if there is none or more than one. It is called for each of thousands of
  /// ends.
  private static func only(otherThan endpoint: Int64, in events: [StoredEvent]) -> Int64? {
    var other: Int64?
    var hasOwn = false
    for event in events {
      guard let end = event.endpoint else { continue }
      if end == endpoint {
        hasOwn = true
      } else if other == nil {
        other = end
      } else if end != other {
        return nil
      }
    }
    return hasOwn ? other : nil
  }

  /// The value to add to its times to convert them to this end's clock, ms; nil if the clocks contradict each other.
  ///
  /// Compares all events of the call each time, so use it only if a time is needed.
  var behindMs: Double? {
    let clocks = endClocks(of: events)
    let (this, other) = (clocks[keys.this], clocks[keys.other])
    guard this?.apartMs == nil, other?.apartMs == nil else { return nil }
    return (other?.skew?.offsetMs ?? 0) - (this?.skew?.offsetMs ?? 0)
  }
}

/// When the far end received this end's answers, according to its own log, on this end's clock; nil if unknown.
func answersReceived(from endpoint: Int64, events: [StoredEvent]) -> [Double]? {
  guard let other = OtherEnd(of: endpoint, events: events) else { return nil }
  let received = other.ownEvents.filter { $0.event == "sdp.answer-received" }.compactMap(\.timeMs)
  guard !received.isEmpty, let behindMs = other.behindMs else { return nil }
  return received.map { $0 + behindMs }
}
