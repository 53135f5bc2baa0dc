import CallModel
import CallStore
import Scoring
import SetupTime

/// The row of a call: its outcome, the quality at its worse end, its setup time.
struct CallFigures {
  private(set) var summary: CallSummary

  init(call: StoredCall, ends: [EndpointAssessment], events: [StoredEvent], model: ScoreModel) {
    let deciding = Self.deciding(ends)
    let attempt = SetupAttempt.leading(deciding.map(\.attempts))
    let decided = Self.outcome(deciding)
    var summary = CallSummary(outcome: decided?.attempt.outcome ?? .unknown)
    summary.setupMs = attempt?.setupMs
    summary.ringingMs = attempt?.phases.first { $0.name == .ringing }?.durationMs
    // Ends with clocks of their own are converted to the call's clock.
    let byKey = Dictionary(ends.map { ($0.endpoint.key, $0) }) { first, _ in first }
    let onCallClock = { (event: StoredEvent) -> EventRecord in
      let offset = event.endpoint.flatMap { byKey[$0] }?.eventSkew
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
    if let end = Self.endWords(deciding, of: summary.outcome) {
      summary.endCode = end[.code]
      summary.endReason = end[.words] ?? end[.reason]
    }
    summary.logged = Self.logged(ends)
    let why = decided.map(\.attempt.reason) ?? OutcomeReason.unknown
    summary.outcomeWhy = why?.words(at: ends.count > 1 ? decided?.end.endpoint.name : nil)
    summary.model = model.name
    self.summary = summary
  }

  /// Takes the scores of the worse end.
  mutating func take(scoresOf ends: [EndpointAssessment], _ verdict: Verdict) {
    // What was heard before an answer that never came is no conversation.
    guard ends.contains(where: \.wasUp) || !summary.outcome.isWithoutTalk else { return }
    // A verdict on the media of no end on record is on the other end of the only one, which has no score.
    let isOfFarEnd = ends.count == 1 && verdict.value.isAlarm && verdict.medium != nil && verdict.end == nil
    // The end of which most is unknown may be the worse one.
    let isKnown = !isOfFarEnd && !ends.contains(where: \.isMostlyUnknown)
    if isKnown,
      let worse = ends.filter({ $0.statistics.mean != nil }).min(by: {
        ($0.statistics.mean ?? 0) < ($1.statistics.mean ?? 0)
      })
    {
      let figures = worse.statistics
      summary.scoreEndpoint = worse.endpoint.name
      summary.scoreMean = figures.mean
      summary.scoreP10 = figures.p10
      summary.scoreMin = figures.min
      summary.poorShare = figures.poorShare
      summary.unscoredShare = figures.unscoredShare
      summary.pointsLost = figures.pointsLost
      summary.topCause = figures.topCause
      let mos = worse.mos
      summary.mos = mos?.value
      summary.mosScale = mos?.scale.rawValue
    } else {
      summary.unscoredShare = ends.compactMap(\.statistics.unscoredShare).max()
    }
  }

  /// Figures that the ends' logs contain: from the end that rated its quality worst, otherwise from the first that has
  /// any.
  private static func logged(_ ends: [EndpointAssessment]) -> LoggedFigures {
    let logged = ends.map { LoggedFigures($0.ownEvents) }
    var all = LoggedFigures()
    all.reported = logged.compactMap(\.reported).min { $0.mean < $1.mean }
    let ofStreams = ends.flatMap(\.choice.judges).compactMap(\.reportedMos).filter(
      LoggedFigures.mosRange.contains)
    all.reportedMos = (logged.compactMap(\.reportedMos) + ofStreams).min()
    let holder = logged.first { $0.heldLocalMs != nil || $0.heldRemoteMs != nil }
    (all.heldLocalMs, all.heldRemoteMs) = (holder?.heldLocalMs, holder?.heldRemoteMs)
    all.networkOutMs = logged.compactMap(\.networkOutMs).max()
    all.hasAudio = logged.compactMap(\.hasAudio).max { !$0 && $1 }
    all.hasVideo = logged.compactMap(\.hasVideo).max { !$0 && $1 }
    all.isUpgraded = logged.compactMap(\.isUpgraded).max { !$0 && $1 }
    for stream in ends.flatMap(\.choice.judges) where stream.totals.hasMedia {
      if stream.facts.kind == .audio { all.hasAudio = true }
      if stream.facts.kind == .video { all.hasVideo = true }
    }
    return all
  }

  /// The ends that decide the outcome. A device whose ringing ended because another one answered is ignored if another
  /// end knows how the call went.
  private static func deciding(_ ends: [EndpointAssessment]) -> [EndpointAssessment] {
    let others = ends.filter { !$0.isAnsweredElsewhere }
    return others.contains(where: \.knowsOutcome) ? others : ends
  }

  /// The attempt that decides the outcome: the worst of what the ends report, so a call is dropped if one end says so.
  /// Nil if no end attempted anything.
  private static func outcome(_ ends: [EndpointAssessment]) -> (
    end: EndpointAssessment, attempt: SetupAttempt
  )? {
    // A failed connection besides or after the one that carried the call is not the call (such as peer to peer besides
    // a bridge).
    let connected = ends.filter(\.hasReceived).compactMap { end in
      end.attempts.last { [.completed, .dropped].contains($0.outcome) }.map { (end: end, attempt: $0) }
    }
    let last = ends.compactMap { end in end.attempts.last.map { (end: end, attempt: $0) } }
    let candidates = connected.isEmpty ? last : connected
    let order: [Outcome] = [
      .failed, .dropped, .busy, .rejected, .noAnswer, .cancelled, .completed, .unknown,
    ]
    let rank = { (attempt: SetupAttempt) in order.firstIndex(of: attempt.outcome) ?? order.count }
    let worst = candidates.min { rank($0.attempt) < rank($1.attempt) }
    // The callee only knows that the ringing ended; the caller knows whether it cancelled.
    let caller = last.first { $0.attempt.direction == .outgoing }
    return worst?.attempt.outcome == .noAnswer && caller?.attempt.outcome == .cancelled ? caller : worst
  }

  /// From established to ended on the clock of one end, because two clocks may differ; the longest if several ends have
  /// both. If media continues for more than two windows after that end, something else ended and media counts. Without
  /// these events the duration is that of media, otherwise that of everything that belongs to the call.
  private static func duration(_ ends: [EndpointAssessment], _ times: ClosedRange<Double>?) -> Double? {
    if let loggedMs = (ends.compactMap(\.lastedMs) + ends.compactMap { $0.handedOverMs(by: ends) }).max() {
      let activeMs = ends.compactMap(\.activeMs).max() ?? loggedMs
      return max(0, activeMs > loggedMs + 2 * WindowCut.lengthMs ? activeMs : loggedMs)
    }
    let media = ends.compactMap { end in
      end.media.map { end.onCallClock($0.lowerBound)...end.onCallClock($0.upperBound) }
    }
    if let first = media.map(\.lowerBound).min(), let last = media.map(\.upperBound).max(), last > first {
      return last - first
    }
    // A single time is no duration.
    guard let times, times.upperBound > times.lowerBound else { return nil }
    return times.upperBound - times.lowerBound
  }

  /// The event that describes the end, from the first end that has one: both ends describe the same end of the call.
  ///
  /// A branch of a forked call that lost was cancelled while the call went on.
  private static func endWords(_ ends: [EndpointAssessment], of outcome: Outcome) -> EventRecord? {
    ends.lazy.compactMap { end in
      endingEvent(of: end.ownEvents).flatMap { event in
        let hasLost =
          outcome == .completed && event[.outcome].map { $0 != .completed } ?? false
          && !end.ownEvents.contains { $0.event == .callEstablished }
        return hasLost ? nil : event
      }
    }.first
  }
}

/// Summary of the windows of one end, as in `calls`: means over active and stalled windows, percentiles by nearest
/// rank.
public struct ScoreStatistics: Sendable, Equatable {
  public var mean: Double?
  public var p10: Double?
  public var min: Double?
  /// Share of active and stalled windows that were poor (`QualityBand.poorBelow`).
  public var poorShare: Double?
  /// Share of scored windows in which nothing arrived.
  public var stalledShare: Double?
  /// Share of all windows that have no score and were not silent on purpose.
  public var unscoredShare: Double?
  /// Mean points lost per scored window, by cause.
  public var pointsLost: ByCause<Double> = [:]
  /// The cause with most points lost; nil if none lost any.
  public var topCause: Cause?

  /// The statistics of the given windows; every figure is nil without a scored one.
  public init(of windows: some Sequence<Window>) {
    var all = 0
    var unscored = 0
    var poor = 0
    var stalled = 0
    var scores: [Double] = []
    var points: ByCause<Int> = [:]
    for window in windows {
      all += 1
      if window.state == .unscored { unscored += 1 }
      guard let score = window.score else { continue }
      scores.append(Double(score))
      if window.state == .stalled { stalled += 1 }
      if Double(score) < QualityBand.poorBelow { poor += 1 }
      for (cause, lost) in window.pointsLost ?? [:] { points[cause, default: 0] += lost }
    }
    if all > 0 { unscoredShare = Double(unscored) / Double(all) }
    guard !scores.isEmpty else { return }
    poorShare = Double(poor) / Double(scores.count)
    stalledShare = Double(stalled) / Double(scores.count)
    scores.sort()
    let count = Double(scores.count)
    mean = scores.reduce(0, +) / count
    p10 = nearestRank(scores, 0.1)
    min = scores.first
    for cause in Cause.inOrder { pointsLost[cause] = Double(points[cause] ?? 0) / count }
    topCause = Cause.inOrder.reduce(nil) { best, cause in
      (pointsLost[cause] ?? 0) > (best.flatMap { pointsLost[$0] } ?? 0) ? cause : best
    }
  }
}

/// The nearest-rank percentile of values in ascending order; nil if there are none.
public func nearestRank(_ sorted: [Double], _ share: Double) -> Double? {
  guard !sorted.isEmpty else { return nil }
  let rank = (share * Double(sorted.count)).rounded(.up)
  return sorted[Swift.min(sorted.count - 1, Swift.max(0, Int(rank) - 1))]
}
