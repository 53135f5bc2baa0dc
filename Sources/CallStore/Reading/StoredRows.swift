import CallModel

/// A call as far as judging it needs to know; `query` gives everything else.
public struct StoredCall: Sendable {
  public var key: Int64
  public var id: String
  public var run: String?
  public var scenario: String?
  public var sdk: String?
  public var startedMs: Double?
  /// What the manifest expects, where there is one.
  public var isExpected: Bool
  public var expectedOutcome: Outcome?
  public var minScore: Double?
  public var maxSetupMs: Double?
  /// What its quality is held against, as a JSON object.
  public var references: String?
}

/// One side of a call.
public struct StoredEndpoint: Sendable {
  public var key: Int64
  public var call: Int64
  public var name: String
  public var direction: CallDirection?
  public var person: String?
  public var sdk: String?
}

/// A stream with its facts and the figures of its whole life.
public struct StoredStream: Sendable {
  public var key: Int64
  public var connection: Int64
  public var endpoint: Int64?
  /// Key of the source it came from.
  public var source: Int64
  public var chosen: Bool
  public var facts: StreamFacts
  public var totals: StreamTotals
  /// Rows it has in table `samples`.
  public var samples: Int
  /// First and last instant that its source speaks of.
  public var sourceSpan: ClosedRange<Double>?
  /// Digest of that source's bytes; empty where it has none. It orders sources of which none is better, whichever came first.
  public var sourceDigest = ""

  /// Whether it stands before another of which nothing makes it better: by what its source holds, then by its place there.
  public static func isBefore(_ a: StoredStream, _ b: StoredStream) -> Bool {
    (a.sourceDigest, a.key) < (b.sourceDigest, b.key)
  }
}
