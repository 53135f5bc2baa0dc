import CallModel

/// A period in which a medium that was, or should have been, received at an end was of no use to the person there.
public struct MediaFault: Sendable, Equatable {
  public var startMs: Double
  public var endMs: Double
  public var reason: Verdict.Reason
  /// Whether it is shown that the medium was sent, or meant to be heard or seen. Otherwise the other end may be a
  /// voicemail that listens, or muted.
  public var isProven: Bool
  /// Whether packets are known to be missing from sequence numbers, sender reports, or the other end's own count.
  public var isLossShown: Bool
  /// Whether sequence numbers continued without a break afterwards: a pause, as codecs make in silence.
  public var isPause = false
  /// How much of it was on hold or muted, ms.
  public var heldMs = 0.0
  /// What shows that it was sent, or not.
  public var proof = MediaSpan.Proof.none

  /// A fault from one time to another, ms since the Unix epoch.
  public init(
    from startMs: Double, to endMs: Double, reason: Verdict.Reason, isProven: Bool, isLossShown: Bool = false
  ) {
    self.startMs = startMs
    self.endMs = endMs
    self.reason = reason
    self.isProven = isProven
    self.isLossShown = isLossShown
  }

  /// Its length without hold and mutes, ms.
  var lengthMs: Double { max(0, endMs - startMs - heldMs) }
}

/// A scored period of one medium at one end.
public struct ScoredTime: Sendable, Equatable {
  public var startMs: Double
  public var endMs: Double
  /// 0–100; 0 if nothing was received.
  public var score: Double
  /// Share of the period in which video was frozen, or audio was played slower than it arrived, 0–1: no score includes
  /// what is then missing.
  public var missedShare: Double
  /// Whether a stream began in it or shortly before, or one of several paused in it: that says nothing of the rest.
  public var isTransition = false

  /// A period with its score.
  public init(from startMs: Double, to endMs: Double, score: Double, missedShare: Double = 0) {
    self.startMs = startMs
    self.endMs = endMs
    self.score = score
    self.missedShare = missedShare
  }

  var lengthMs: Double { endMs - startMs }
}

/// A period in which the far end reports packet loss.
public struct ReportedLoss: Sendable, Equatable {
  public var lengthMs: Double
  /// Share lost of what was sent meanwhile, 0–1.
  public var share: Double

  /// A period and the share lost in it.
  public init(lengthMs: Double, share: Double) {
    self.lengthMs = lengthMs
    self.share = share
  }
}

/// Loss known only as means over long times: how much of the time was bad lies between two bounds.
public struct SummedLoss: Sendable, Equatable {
  /// How long it was talked, ms.
  public private(set) var talkMs = 0.0
  /// The least time in which the share lost was that of bad time, ms: as if all was lost in it.
  public private(set) var leastBadMs = 0.0
  /// Whether loss, concealment and discards are under half a per cent throughout, packets came all the time, and nothing
  /// else is known that would cost a window points.
  public var isClean = true
  /// Whether it is of what a switch received from this end, so that whoever was to hear it suffers.
  public var isAtSwitch = false

  private static let cleanShare = 0.005

  /// Of no time yet.
  public init() {}

  /// Adds a time with its mean share lost, 0-1.
  public mutating func add(share: Double, lengthMs: Double) {
    let bar = Threshold.lossAtFarEnd
    talkMs += lengthMs
    leastBadMs += max(0, (share - bar) / (1 - bar)) * lengthMs
    if share >= Self.cleanShare { isClean = false }
  }

  /// The rule that holds whatever the distribution was; nil if none does.
  var rule: VerdictRule? {
    if talkMs >= Threshold.minScoredMs, CallEvidence.isMuch(leastBadMs, of: talkMs) { return .lossInFigures }
    if leastBadMs >= Window.lengthMs, leastBadMs >= Threshold.fairShare * talkMs { return .someLossInFigures }
    return isClean && talkMs >= Threshold.minScoredMs ? .cleanFigures : nil
  }
}

extension [ScoredTime] {
  /// Mean score weighted by duration; nil if there are none.
  public var mean: Double? {
    isEmpty ? nil : reduce(0) { $0 + $1.score * $1.lengthMs } / Swift.max(1, reduce(0) { $0 + $1.lengthMs })
  }
}

/// Everything known of one medium at one end.
public struct MediumEvidence: Sendable {
  public var medium: MediaKind
  public var scored: [ScoredTime] = []
  /// Mean score of all windows including those in which nothing may have been sent, that is, of what was heard; nil if
  /// equal to that of `scored`.
  public var meanScore: Double?
  public var faults: [MediaFault] = []
  /// When the medium was to flow here, ms since the Unix epoch; nil if it was not to.
  public var expected: ClosedRange<Double>?
  /// How much of that time it was on hold or muted, ms.
  public var heldMs = 0.0
  /// When it was on hold or muted, ms since the Unix epoch.
  public var held: [ClosedRange<Double>] = []
  /// Loss that the far end reports of what was sent from here.
  public var lostAtFarEnd: [ReportedLoss] = []
  /// How long it was sent from here, ms.
  public var sentMs = 0.0
  /// What sums over long times say, where nothing better is known.
  public var summed: SummedLoss?

  /// Creates evidence of nothing.
  public init(_ medium: MediaKind) { self.medium = medium }
}

/// Everything known of one end.
public struct EndEvidence: Sendable {
  /// Nil for an end that is not on record and known only from the other one.
  public var name: String?
  public var media: [MediumEvidence] = []
  /// Nil if no media was recorded here.
  public var basis: Verdict.Basis?
  /// How much of the call was recorded here, ms.
  public var recordedMs = 0.0
  /// How much of the call no audio was to be received here, because of hold or negotiation, ms.
  public var heldMs = 0.0
  /// Whether somebody hung up at this end.
  public var hungUp = false
  /// Whether no audio came in a call so short that nothing shows whether any was sent.
  public var lacksSound = false
  /// Whether statistics do not show what was heard of the sound that came: the page says that it played it another way.
  public var isSoundUnseen = false
  /// The medium and the cause of the first error finding about media, which some fault may cover.
  public var error: (medium: MediaKind, reason: Verdict.Reason)?
  /// Why it never connected, although others did; nil if it connected, left before it could, or only rang.
  public var failure: Verdict.Reason?

  /// Whether media was measured here.
  var isOnRecord: Bool { basis != nil && basis != .sdkReport }

  /// Creates evidence of nothing.
  public init(_ name: String?) { self.name = name }
}

/// Everything a verdict is based on.
public struct CallEvidence: Sendable {
  public var outcome: Outcome
  /// Why the call was not established, or why it dropped.
  public var trouble: Verdict.Reason?
  /// Duration of the call, ms; nil if unknown.
  public var durationMs: Double?
  public var ends: [EndEvidence] = []
  /// Whether people talk in this call or a machine listens, according to an attribute; nil if there is none.
  public var isTalk: Bool?

  /// A call of which only the outcome is known.
  public init(outcome: Outcome) { self.outcome = outcome }
}
