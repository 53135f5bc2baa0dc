import CallModel

/// How an attempt ended, as one log tells it in several lines: a state first, its code or its reason behind it.
///
/// The first of them gives the time. What ends long after it is something else: the media, a connection.
struct EndOfAttempt {
  /// What a log still says of an end so soon after it belongs to it, ms.
  private static let sameEndMs = 1000.0

  private let told: [EventRecord]

  /// - Parameter events: an attempt's, from its first end on.
  init(_ events: ArraySlice<EventRecord>) {
    var first: Double?
    told = events.prefix { event in
      guard let time = event.timeMs else { return true }
      first = first ?? time
      return time - (first ?? time) <= Self.sameEndMs
    }.filter(Self.isEnd)
  }

  static func isEnd(_ event: EventRecord) -> Bool {
    event.event == "call.failed" || event.event == "call.ended"
  }

  /// What a dialect or its codes say of it: the first word that is more than that a call ended as calls do.
  var outcome: Outcome? {
    let said = told.compactMap(\.saidOutcome)
    return said.first { $0 != .completed } ?? said.first
  }

  /// An argument of the first line that has it.
  func argument(_ name: String) -> String? { told.lazy.compactMap { $0.argument(name) }.first }
}

extension EventRecord {
  fileprivate var saidOutcome: Outcome? { argument("outcome").flatMap(Outcome.init(rawValue:)) }
}

/// The word on how a call ended: of its last attempt's ends the last one with a code, else with a reason, that does not contradict
/// what the first ones said. Nil where none has either.
public func wordsOfEnd(_ events: [EventRecord]) -> EventRecord? {
  let attempt = splitAttempts(events).last ?? events
  guard let first = attempt.firstIndex(where: EndOfAttempt.isEnd) else { return nil }
  let said = EndOfAttempt(attempt[first...]).outcome
  let ends = attempt[first...].filter { end in
    guard EndOfAttempt.isEnd(end) else { return false }
    guard let said, said != .completed, let own = end.saidOutcome else { return true }
    return own == said
  }
  return ends.last { $0.argument("code") != nil } ?? ends.last { $0.argument("reason") != nil }
}
