import CallModel

/// The verdict of a call: what its row in table `calls` says beyond who it was.
public struct CallSummary: Sendable, Equatable {
  public var startedMs: Double?
  public var durationMs: Double?
  public var outcome: Outcome
  public var endCode: String?
  public var endReason: String?
  public var setupMs: Double?
  public var ringingMs: Double?
  /// Name of the worse end, whose scores these are.
  public var scoreEndpoint: String?
  /// Over active and stalled windows; percentiles by nearest rank.
  public var scoreMean: Double?
  public var scoreP10: Double?
  public var scoreMin: Double?
  public var mos: Double?
  public var mosScale: String?
  public var poorShare: Double?
  public var unscoredShare: Double?
  /// Mean points a scored window lost, by cause; nil where nothing was scored.
  public var pointsLost: ByCause<Double>?
  public var topCause: Cause?
  /// What the SDK's log tells by itself, at the end where it is worst.
  public var logged = LoggedFigures()
  /// Why the outcome is what it is: what was heard first, from whom.
  public var outcomeWhy: String?
  /// Name and version of the score model.
  public var model: String?
  /// What the call was like, in one word.
  public var verdict: Verdict?

  /// A verdict that knows only how the call ended.
  public init(outcome: Outcome) { self.outcome = outcome }
}
