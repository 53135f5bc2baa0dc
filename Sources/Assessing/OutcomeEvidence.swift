import CallModel
import SetupTime

/// What an outcome rests on: one row a kind of evidence, who says it, and for which outcomes; the stronger stand before the weaker.
///
/// The attempts of each end decide (`SetupAttempt.outcome`) in this order; of two ends the graver word holds (`CallVerdict`).
struct OutcomeEvidence: Sendable {
  /// Who says it.
  enum Teller: String, Sendable {
    case server = "the server"
    case sdk = "the SDK"
    case connection = "the connection"
    case end = "the end itself"
  }

  let what: String
  let teller: Teller
  let outcomes: Set<Outcome>
  /// The event that is it, of what happened at one end in the order of time.
  private let find: @Sendable (_ events: [EventRecord], _ outcome: Outcome) -> EventRecord?

  static let table: [OutcomeEvidence] = [
    row("the code of its end says so", .sdk, Set(Outcome.allCases)) { events, outcome in
      events.first { isEnd($0) && $0.argument("outcome") == outcome.rawValue }
    },
    row("it stood, and the code of its end says that something failed", .sdk, [.dropped]) { events, _ in
      stood(events).flatMap { up in
        events[up...].first { isEnd($0) && $0.argument("outcome") == Outcome.failed.rawValue }
      }
    },
    row("the server refused to let it in", .server, [.failed, .rejected]) { events, _ in
      events.last { $0.event == "token.failed" && $0.argument("code") != nil }
    },
    row("camera or microphone could not be had", .sdk, [.failed]) { events, _ in
      events.contains { $0.event == "call.established" }
        ? nil : events.last { $0.event == "media.local-failed" }
    },
    row("ICE failed before it was ever connected", .connection, [.failed]) { events, _ in
      events.contains { $0.event == "ice.connected" || $0.event == "dtls.connected" }
        ? nil : events.first { $0.event == "ice.failed" }
    },
    row("the push that was to wake it came too late", .server, [.noAnswer]) { events, _ in
      events.first { $0.event == "push.expired" }
    },
    row("the SDK gave its connection up", .sdk, [.dropped]) { events, _ in
      events.last { $0.event == "network.lost" && $0.argument("outcome") != nil }
    },
    row("it failed when it stood", .sdk, [.dropped]) { events, _ in
      stood(events).flatMap { up in events[up...].first { $0.event == "call.failed" } }
    },
    row("it ended while its connection was down", .connection, [.dropped]) { events, _ in
      events.last {
        ["ice.failed", "ice.disconnected", "dtls.failed", "network.lost", "session.failed"].contains($0.event)
      }
    },
    row("it stood, and ended as calls do", .end, [.completed]) { events, _ in
      stood(events).flatMap { up in events[up...].first { $0.event == "call.ended" } }
    },
    row("this end ended it before it stood", .end, [.cancelled, .rejected]) { events, _ in
      events.first { isEnd($0) && $0.argument("by") == "local" }
    },
    row("the far end ended it before it stood", .sdk, [.rejected, .noAnswer]) { events, _ in
      events.first { isEnd($0) && $0.argument("by") == "remote" }
    },
    row("it failed before it stood", .sdk, [.failed]) { events, _ in
      events.first { $0.event == "call.failed" }
    },
    row("it ended before media could flow", .end, [.failed, .cancelled, .noAnswer, .rejected, .completed]) {
      events, _ in events.first(where: isEnd)
    },
  ]

  /// Why a call is said to have ended so: the first row that has its event at one of its ends; nil where the ends tell nothing of it.
  static func why(_ outcome: Outcome, ends: [(name: String, events: [EventRecord])]) -> String? {
    guard outcome != .unknown else { return "no event says how it ended" }
    for row in table where row.outcomes.contains(outcome) {
      for end in ends {
        guard let event = row.find(end.events, outcome) else { continue }
        return row.words(event, at: ends.count > 1 ? end.name : nil)
      }
    }
    return nil
  }

  private func words(_ event: EventRecord, at end: String?) -> String {
    let code = event.argument("code").map { " \($0.prefix(40))" } ?? ""
    let place = [event.line.map { "line \($0)" }, end].compactMap { $0 }.joined(separator: " of ")
    return "\(what) (\(teller.rawValue): \(event.raw.prefix(60))\(code)\(place.isEmpty ? "" : ", \(place)"))"
  }

  private static func row(
    _ what: String, _ teller: Teller, _ outcomes: Set<Outcome>,
    _ find: @escaping @Sendable ([EventRecord], Outcome) -> EventRecord?
  ) -> OutcomeEvidence {
    OutcomeEvidence(what: what, teller: teller, outcomes: outcomes, find: find)
  }

  private static func isEnd(_ event: EventRecord) -> Bool {
    event.event == "call.ended" || event.event == "call.failed"
  }

  private static func stood(_ events: [EventRecord]) -> Int? {
    events.firstIndex { ["call.established", "call.handed-over", "dtls.connected"].contains($0.event) }
  }
}
