/// A time in which a medium was missing at an end, was not meant to be sent, or was not recorded. Found by
/// scoring and stored; reports only read it.
public struct MediaSpan: Sendable, Equatable {
  public enum Kind: String, Sendable, CaseIterable {
    /// Sent, or meant to be heard or seen, but nothing was received.
    case outage
    /// Nothing was received, and nothing is known to have been sent.
    case notSent = "not-sent"
    /// On hold, or muted according to an event.
    case hold
    /// The video was frozen.
    case freeze
    /// No report of this end: only the counters before and after are known.
    case gap
  }

  /// The evidence that a medium was sent, or not.
  public enum Proof: String, Sendable, CaseIterable {
    case sequenceNumbers = "sequence numbers"
    case senderReports = "sender reports"
    /// Statistics or a capture of the other end.
    case otherEnd = "other end"
    /// SDP had restored the direction, as after a hold.
    case signalling
    case none
  }

  public var kind: Kind
  /// The medium; nil for all of them.
  public var medium: MediaKind?
  public var startMs: Double
  public var endMs: Double
  public var proof: Proof
  /// Audio samples that the receiver concealed meanwhile, if nothing was sent.
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
