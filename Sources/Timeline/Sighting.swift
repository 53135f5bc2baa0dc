import CallModel

/// What one witness says of a medium on its way to a listener, in a period.
public struct Sighting: Sendable, Equatable {
  /// What was seen.
  public enum Saw: Sendable, Equatable, CaseIterable {
    /// Media of the medium came.
    case carried
    /// Hold, a mute, or a description that allowed nothing.
    case held
    /// Nothing came.
    case nothing
    /// Nothing came, and it is proven that it was sent.
    case lost
    /// Nothing came, and a server had it.
    case keptBack
    /// Nothing was sent, by the sender's own record or by whole numbers.
    case notSent
    /// Nothing, or next to nothing, was sent, though the source was heard or the ends had agreed on it.
    case notSentThoughDue
    /// A codec that pauses in silence sent nothing.
    case paused
    /// Only silence came, and nobody is known to have been heard at its source.
    case silence
    /// Only silence came, and somebody was heard at its source.
    case silencedSpeech
    /// Packets came, and none of them left the buffer.
    case undecodable
    /// Packets came, and nothing was played.
    case notPlayed
  }

  public var saw: Saw
  /// First and last time, ms since the Unix epoch on the listener's clock.
  public var startMs: Double
  public var endMs: Double
  public var proof: MediaSpan.Proof
  /// Who saw it: `media`, `events`, or the cause that was found.
  public var witness: String

  public init(
    _ saw: Saw, from startMs: Double, to endMs: Double, proof: MediaSpan.Proof = .none, by witness: String
  ) {
    (self.saw, self.startMs, self.endMs, self.proof, self.witness) = (saw, startMs, endMs, proof, witness)
  }
}
