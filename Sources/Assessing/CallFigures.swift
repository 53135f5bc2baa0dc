import CallModel
import CallStore
import Scoring
import SetupTime

/// The row of a call: how it ended, how good it was at its worse end, how long its setup took.
struct CallFigures {
  let summary: CallSummary

  init(call: StoredCall, ends: [EndpointAssessment], events: [StoredEvent], model: ScoreModel) {
    let deciding = Self.deciding(ends)
    let attempt = SetupAttempt.leading(deciding.map(\.attempts))
    let decided = Self.outcome(deciding)
    var summary = CallSummary(outcome: decided?.attempt.outcome ?? .unknown)
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
    if let end = Self.endWords(deciding) {
      summary.endCode = end.argument("code")
      summary.endReason = end.argument("words") ?? end.argument("reason")
    }
    summary.logged = Self.logged(ends)
    let why = decided.map(\.attempt.reason) ?? OutcomeReason.unknown
    summary.outcomeWhy = why?.words(at: ends.count > 1 ? decided?.end.endpoint.name : nil)
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
    let heard = ends.flatMap(\.choice.judges).compactMap(\.reportedMos).filter(
      LoggedFigures.opinions.contains)
    all.reportedMos = (told.compactMap(\.reportedMos) + heard).min()
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

  /// Those that tell how the call went: a device whose end was that another one answered knows nothing of it where another one
  /// does.
  private static func deciding(_ ends: [EndpointAssessment]) -> [EndpointAssessment] {
    let others = ends.filter { !$0.isAnsweredElsewhere }
    return others.contains(where: \.tellsHowItWent) ? others : ends
  }

  /// The attempt that decides the call's outcome: of what the ends say the graver, so that a call that one end calls dropped was
  /// dropped; nil where no end tried anything.
  private static func outcome(_ ends: [EndpointAssessment]) -> (
    end: EndpointAssessment, attempt: SetupAttempt
  )? {
    // A connection that was tried in vain, beside or after one that carried the call, is not the call (peer to peer beside a
    // bridge).
    let stood = ends.filter(\.hasReceived).compactMap { end in
      end.attempts.last { [.completed, .dropped].contains($0.outcome) }.map { (end: end, attempt: $0) }
    }
    let last = ends.compactMap { end in end.attempts.last.map { (end: end, attempt: $0) } }
    let said = stood.isEmpty ? last : stood
    let order: [Outcome] = [
      .failed, .dropped, .busy, .rejected, .noAnswer, .cancelled, .completed, .unknown,
    ]
    let rank = { (attempt: SetupAttempt) in order.firstIndex(of: attempt.outcome) ?? order.count }
    let gravest = said.min { rank($0.attempt) < rank($1.attempt) }
    // The callee knows only that the ringing ended; whether the caller gave up is the caller's to say.
    let caller = last.first { $0.attempt.direction == .outgoing }
    return gravest?.attempt.outcome == .noAnswer && caller?.attempt.outcome == .cancelled ? caller : gravest
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
