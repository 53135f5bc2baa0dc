import CallModel

/// A time in which a medium that came to an end, or should have, was no use to the person there.
public struct MediaFault: Sendable, Equatable {
  public var startMs: Double
  public var endMs: Double
  public var reason: Verdict.Reason
  /// Whether it is shown that the medium was sent, or meant to be heard or seen. Without that it may be a voicemail that
  /// listens, or a mute key.
  public var isProven: Bool
  /// Whether packets are known to be missing: numbers, sender reports, or the other end's own count say so.
  public var isLossShown: Bool
  /// Whether the numbers of its packets went on afterwards where they had stopped: a pause, as codecs make in silence.
  public var isPause = false

  /// A fault from one moment to another, ms since the Unix epoch.
  public init(
    from startMs: Double, to endMs: Double, reason: Verdict.Reason, isProven: Bool, isLossShown: Bool = false
  ) {
    self.startMs = startMs
    self.endMs = endMs
    self.reason = reason
    self.isProven = isProven
    self.isLossShown = isLossShown
  }

  var lengthMs: Double { endMs - startMs }
}

/// A scored time of one medium at one end.
public struct ScoredTime: Sendable, Equatable {
  public var startMs: Double
  public var endMs: Double
  /// 0–100; 0 where nothing came.
  public var score: Double
  /// Share of it in which a picture stood still, or sound was played slower than it came, 0–1: what is missing then is in no score.
  public var missedShare: Double

  /// A time with its score.
  public init(from startMs: Double, to endMs: Double, score: Double, missedShare: Double = 0) {
    self.startMs = startMs
    self.endMs = endMs
    self.score = score
    self.missedShare = missedShare
  }

  var lengthMs: Double { endMs - startMs }
}

/// A time in which the far end reports packets lost.
public struct ReportedLoss: Sendable, Equatable {
  public var lengthMs: Double
  /// Share of what was sent meanwhile, 0–1.
  public var share: Double

  /// A time and the share lost in it.
  public init(lengthMs: Double, share: Double) {
    self.lengthMs = lengthMs
    self.share = share
  }
}

extension [ScoredTime] {
  /// Their mean score, each as long as it is; nil of none.
  public var mean: Double? {
    isEmpty ? nil : reduce(0) { $0 + $1.score * $1.lengthMs } / Swift.max(1, reduce(0) { $0 + $1.lengthMs })
  }
}

/// All that is known of one medium at one end.
public struct MediumEvidence: Sendable {
  public var medium: MediaKind
  public var scored: [ScoredTime] = []
  /// Mean score of all its windows, also of those in which nobody may have sent: what was heard; nil where that is that of `scored`.
  public var meanScore: Double?
  public var faults: [MediaFault] = []
  /// From when to when the medium was to flow here, ms since the Unix epoch; nil where it was not to.
  public var expected: ClosedRange<Double>?
  /// How much of that was on hold or muted, ms.
  public var heldMs = 0.0
  /// What the far end reports lost of what was sent from here.
  public var lostAtFarEnd: [ReportedLoss] = []
  /// How long it was sent from here, ms.
  public var sentMs = 0.0

  /// Nothing known yet.
  public init(_ medium: MediaKind) { self.medium = medium }
}

/// All that is known of one end.
public struct EndEvidence: Sendable {
  /// Nil for an end that is not on record, of which another one tells.
  public var name: String?
  public var media: [MediumEvidence] = []
  /// Nil where nothing was recorded of media here.
  public var basis: Verdict.Basis?
  /// How much of the call was recorded here, ms.
  public var recordedMs = 0.0
  /// How much of the call no sound was to come here, by hold or by what was agreed, ms.
  public var heldMs = 0.0
  /// Whether somebody hung up at this end.
  public var hungUp = false
  /// An error finding about media that no fault above tells of.
  public var hasOtherError = false

  /// Whether media was measured here.
  var isOnRecord: Bool { basis != nil && basis != .sdkReport }

  /// Nothing known yet.
  public init(_ name: String?) { self.name = name }
}

/// All that a verdict rests on.
public struct CallEvidence: Sendable {
  public var outcome: Outcome
  /// What kept the call from standing, where it failed or dropped.
  public var trouble: Verdict.Reason?
  /// How long the call stood, ms; nil where that is not known.
  public var durationMs: Double?
  public var ends: [EndEvidence] = []
  /// Whether people talk in it by what an attribute says, or a machine listens; nil where nobody says.
  public var isTalk: Bool?

  /// A call of which only the outcome is known.
  public init(outcome: Outcome) { self.outcome = outcome }
}
