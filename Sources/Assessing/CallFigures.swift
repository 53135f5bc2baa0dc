import CallModel
import CallStore
import Scoring
import SetupTime

/// The row of a call: how it ended, how good it was at its worse end, how long its setup took.
struct CallFigures {
  let summary: CallSummary

  init(call: StoredCall, ends: [EndpointAssessment], events: [StoredEvent], model: ScoreModel) {
    let attempt = SetupAttempt.leading(ends.map(\.attempts))
    var summary = CallSummary(outcome: Self.outcome(ends))
    summary.setupMs = attempt?.setupMs
    summary.ringingMs = attempt?.phases.first { $0.name == .ringing }?.durationMs
    // Ends with clocks of their own are read on that of the call.
    let byKey = Dictionary(ends.map { ($0.endpoint.key, $0) }) { first, _ in first }
    let onCallClock = { (event: StoredEvent) -> EventRecord in
      let offset = event.endpoint.flatMap { byKey[$0] }?.skew
      return offset?.aligned(event.record) ?? event.record
    }
    let isOfMedia = ends.contains { $0.media != nil }
    let covered = ends.flatMap { end in
      (isOfMedia ? end.media : end.pathSpan).map {
        [$0.lowerBound, $0.upperBound].map(end.onCallClock)
      } ?? []
    }
    let times = spanOfCall(events.map(onCallClock), media: covered)
    summary.startedMs = times?.lowerBound
    summary.durationMs = Self.duration(ends, times)
    if let end = Self.endWords(ends) {
      summary.endCode = end.argument("code")
      summary.endReason = end.argument("words") ?? end.argument("reason")
    }
    summary.logged = Self.logged(ends)
    summary.outcomeWhy = OutcomeEvidence.why(
      summary.outcome, ends: ends.map { ($0.endpoint.name, $0.account) })
    if let worse = ends.filter({ $0.statistics.mean != nil }).min(by: {
      ($0.statistics.mean ?? 0) < ($1.statistics.mean ?? 0)
    }) {
      let figures = worse.statistics
      summary.scoreEndpoint = worse.endpoint.name
      summary.scoreMean = figures.mean
      summary.scoreP10 = figures.p10
      summary.scoreMin = figures.min
      summary.poorShare = figures.poorShare
      summary.unscoredShare = figures.unscoredShare
      summary.pointsLost = figures.pointsLost
      summary.topCause = figures.topCause
      let opinion = worse.opinion
      summary.mos = opinion?.value
      summary.mosScale = opinion?.scale.rawValue
    } else {
      summary.unscoredShare = ends.compactMap(\.statistics.unscoredShare).max()
    }
    summary.model = model.name
    self.summary = summary
  }

  /// What the ends' logs tell by themselves: of the end that rated what it heard worst, else of the first that tells.
  private static func logged(_ ends: [EndpointAssessment]) -> LoggedFigures {
    let told = ends.map { LoggedFigures($0.account) }
    var all = LoggedFigures()
    all.reported = told.compactMap(\.reported).min { $0.mean < $1.mean }
    let holder = told.first { $0.heldLocalMs != nil || $0.heldRemoteMs != nil }
    (all.heldLocalMs, all.heldRemoteMs) = (holder?.heldLocalMs, holder?.heldRemoteMs)
    all.networkOutMs = told.compactMap(\.networkOutMs).max()
    all.hasAudio = told.compactMap(\.hasAudio).max { !$0 && $1 }
    all.hasVideo = told.compactMap(\.hasVideo).max { !$0 && $1 }
    all.isUpgraded = told.compactMap(\.isUpgraded).max { !$0 && $1 }
    for stream in ends.flatMap(\.choice.judges) where stream.totals.packets ?? 0 > 0 {
      if stream.facts.kind == .audio { all.hasAudio = true }
      if stream.facts.kind == .video { all.hasVideo = true }
    }
    return all
  }

  /// What the ends say, the graver first: a call that one end calls dropped was dropped.
  private static func outcome(_ ends: [EndpointAssessment]) -> Outcome {
    // A connection that was tried in vain, beside or after one that carried the call, is not the call (peer to peer beside a
    // bridge).
    let stood = ends.filter(\.hasReceived).compactMap { end in
      end.attempts.last { [.completed, .dropped].contains($0.outcome) }?.outcome
    }
    let said = Set(stood.isEmpty ? ends.compactMap { $0.attempts.last?.outcome } : stood)
    let order: [Outcome] = [.failed, .dropped, .busy, .rejected, .noAnswer, .cancelled, .completed]
    let gravest = order.first(where: said.contains) ?? .unknown
    // The callee knows only that the ringing ended; whether the caller gave up is the caller's to say.
    let caller = ends.first { $0.attempts.last?.direction == .outgoing }?.attempts.last?.outcome
    return gravest == .noAnswer && caller == .cancelled ? .cancelled : gravest
  }

  /// From established to the end by the clock of one end, the longest if several say so: two clocks need not agree. What they
  /// call the end, with two windows and more of media after it, was the end of something else. Else the span of media; else of
  /// all that is the call's own.
  private static func duration(_ ends: [EndpointAssessment], _ times: ClosedRange<Double>?) -> Double? {
    if let told = (ends.compactMap(\.lastedMs) + ends.compactMap { $0.handedOverMs(by: ends) }).max() {
      let heard = ends.compactMap(\.heardMs).max() ?? told
      return max(0, heard > told + 2 * WindowCut.lengthMs ? heard : told)
    }
    let media = ends.compactMap { end in
      end.media.map { end.onCallClock($0.lowerBound)...end.onCallClock($0.upperBound) }
    }
    if let first = media.map(\.lowerBound).min(), let last = media.map(\.upperBound).max(), last > first {
      return last - first
    }
    // One moment is no duration.
    guard let times, times.upperBound > times.lowerBound else { return nil }
    return times.upperBound - times.lowerBound
  }

  /// The word on the end by the first end that has one: of two ends each tells the same end in its own words.
  private static func endWords(_ ends: [EndpointAssessment]) -> EventRecord? {
    ends.lazy.compactMap { wordsOfEnd($0.account) }.first
  }
}

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
