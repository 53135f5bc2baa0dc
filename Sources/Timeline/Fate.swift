import CallModel

/// What became of a medium for its listener in a period of the call.
public struct Fate: Sendable, Equatable {
  /// One word a period; the raw value is `fates.what` in SQL and JSON.
  public enum What: String, Sendable, CaseIterable {
    /// Nothing was to come: on hold, muted, not agreed, or a pause that nothing proves to be a fault.
    case notDue = "not-due"
    /// Nothing says what was sent.
    case unknown
    /// The far end sent nothing.
    case notSent = "not-sent"
    /// The codec paused, as in silence.
    case paused
    /// What came was silence, though somebody was heard at its source.
    case silentSource = "silent-source"
    /// It was sent, and did not come.
    case lost
    /// A server had it, and did not pass it on.
    case notForwarded = "not-forwarded"
    /// It came, and nothing of it could be decoded.
    case undecodable
    /// It came, and was not played.
    case notPlayed = "not-played"
    /// Something that was due came.
    case arrived
  }

  /// First and last time, ms since the Unix epoch on the listener's clock.
  public var startMs: Double
  public var endMs: Double
  /// The rule that decided.
  public var rule: FateRule
  /// The evidence that it was sent, or not.
  public var proof: MediaSpan.Proof
  /// What says so, in order: `media` that came, `events` of hold and mute, or the cause that was found.
  public var witnesses: [String]
  /// Where the fault was; nil if that is not known, nothing is wrong, or it cost little.
  public var place: Place?

  /// A period in which a rule held.
  public init(
    _ rule: FateRule, from startMs: Double, to endMs: Double, proof: MediaSpan.Proof = .none,
    witnesses: [String] = []
  ) {
    (self.startMs, self.endMs) = (startMs, endMs)
    (self.rule, self.proof, self.witnesses) = (rule, proof, witnesses)
  }

  /// What became of the medium.
  public var what: What { rule.what }

  /// Length, ms.
  public var lengthMs: Double { endMs - startMs }
}

extension Fate {
  /// The witnesses as a JSON list, as stored and shown; they are words without quotes.
  public var witnessList: String { "[" + witnesses.map { "\"\($0)\"" }.joined(separator: ",") + "]" }

  /// The words of such a list.
  public static func witnesses(in list: String) -> [String] {
    list.split { "[],\"".contains($0) }.map(String.init)
  }

  /// Whether the listener missed what was meant for them.
  public var isMissed: Bool {
    switch what {
    case .silentSource, .lost, .notForwarded, .undecodable, .notPlayed: true
    case .notSent: rule == .notSentThoughDue
    case .notDue, .unknown, .paused, .arrived: false
    }
  }

  /// Whether the period is not scored: nobody knows what it would have been.
  public var isUnscored: Bool { what == .unknown || what == .notSent && !isMissed }

  /// The cause that is charged with the points of a window in which the medium was missed; nil where nothing was missed.
  public func cause(of medium: MediaKind) -> Cause? {
    guard isMissed else { return nil }
    return switch what {
    case .lost: .loss
    case .notPlayed: .playout
    default: medium == .audio ? .silence : .freeze
    }
  }
}
