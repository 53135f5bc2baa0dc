/// The rules for what became of a medium in a period, in their order: the first that holds decides. The table in
/// `docs/verdict.md` is generated from them.
public enum FateRule: String, Sendable, CaseIterable {
  case held
  case undecodable
  case notPlayed = "not-played"
  case silencedSpeech = "silenced-speech"
  case notForwarded = "not-forwarded"
  case lost
  case notSentThoughDue = "not-sent-though-due"
  case paused
  case silentToEnd = "silent-to-end"
  case silent
  case notSent = "not-sent"
  case arrived
  case nothingKnown = "nothing-known"

  /// What became of the medium.
  public var what: Fate.What {
    switch self {
    case .held, .silent: .notDue
    case .undecodable: .undecodable
    case .notPlayed: .notPlayed
    case .silencedSpeech: .silentSource
    case .notForwarded: .notForwarded
    case .lost: .lost
    case .paused: .paused
    case .silentToEnd, .notSent, .notSentThoughDue: .notSent
    case .arrived: .arrived
    case .nothingKnown: .unknown
    }
  }

  /// When it holds.
  public var condition: String {
    switch self {
    case .held: "The call was on hold, the medium muted, or not agreed."
    case .undecodable: "Packets came, and nothing of them left the buffer."
    case .notPlayed: "Packets came, and nothing was played."
    case .silencedSpeech: "What came was silence, and somebody was heard at its source meanwhile."
    case .notForwarded: "A server had it, it had flowed before, and nothing else was forwarded in its place."
    case .lost: "Nothing came, and it is proven that it was sent."
    case .notSentThoughDue:
      """
      Next to nothing was sent, though its source was heard, or the ends had agreed on it again, or its \
      sender stood still.
      """
    case .paused: "Nothing came from a codec that pauses in silence."
    case .silentToEnd:
      "What came was silence for the whole call, or to its end, and nothing proves it a fault."
    case .silent: "What came was silence that ended again, and nothing proves it a fault."
    case .notSent:
      "Nothing came, by the sender's own record, by whole numbers, or because nothing shows that it was sent."
    case .arrived: "Something that was due came."
    case .nothingKnown: "No record tells."
    }
  }

  /// What must have been seen; nil where nothing is needed.
  private var saw: Set<Sighting.Saw>? {
    switch self {
    case .held: [.held]
    case .undecodable: [.undecodable]
    case .notPlayed: [.notPlayed]
    case .silencedSpeech: [.silencedSpeech]
    case .notForwarded: [.keptBack]
    case .lost: [.lost]
    case .notSentThoughDue: [.notSentThoughDue]
    case .paused: [.paused]
    case .silentToEnd, .silent: [.silence]
    case .notSent: [.notSent, .nothing]
    case .arrived: [.carried]
    case .nothingKnown: nil
    }
  }

  /// The sightings among those of a slice by which the rule holds; nil if it does not.
  func holds(for sightings: [Sighting], within call: ClosedRange<Double>) -> [Sighting]? {
    guard let saw else { return [] }
    let own = sightings.filter {
      saw.contains($0.saw) && (self != .silentToEnd || $0.lasts(to: call.upperBound))
    }
    return own.isEmpty ? nil : own
  }
}

extension Sighting {
  /// Media stops slightly before a hang-up.
  private static let endSlackMs = 3000.0

  fileprivate func lasts(to endMs: Double) -> Bool { self.endMs >= endMs - Self.endSlackMs }
}
