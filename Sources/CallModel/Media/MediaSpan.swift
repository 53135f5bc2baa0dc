/// A time in which a medium was missing at an end, was not meant to come, or was not recorded. Scoring finds them, the store
/// keeps them, and reports only read them.
public struct MediaSpan: Sendable, Equatable {
  public enum Kind: String, Sendable, CaseIterable {
    /// Sent, or meant to be heard or seen, and nothing came.
    case outage
    /// Nothing came, and nobody sent anything as far as anyone knows.
    case notSent = "not-sent"
    /// On hold, or muted as an event says.
    case hold
    /// The picture stood still.
    case freeze
    /// No report of this end came: what happened meanwhile is known only by the counters around it.
    case gap
  }

  /// What shows that a medium was sent, or not.
  public enum Proof: String, Sendable, CaseIterable {
    case sequenceNumbers = "sequence numbers"
    case senderReports = "sender reports"
    /// Statistics or a capture of the other end.
    case otherEnd = "other end"
    /// SDP had given the direction back, as after a hold.
    case signalling
    case none
  }

  public var kind: Kind
  /// The medium; nil for all of them.
  public var medium: MediaKind?
  public var startMs: Double
  public var endMs: Double
  public var proof: Proof
  /// What the receiver made up meanwhile, samples, where nobody had sent any.
  public var concealedSamples: Double?

  /// A span of one kind.
  public init(
    _ kind: Kind, _ medium: MediaKind?, from startMs: Double, to endMs: Double, proof: Proof = .none
  ) {
    self.kind = kind
    self.medium = medium
    self.startMs = startMs
    self.endMs = endMs
    self.proof = proof
  }

  /// Length, ms.
  public var lengthMs: Double { endMs - startMs }
}
