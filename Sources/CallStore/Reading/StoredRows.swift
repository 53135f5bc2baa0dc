import CallModel

/// The columns of a call needed for judging; `query` returns everything else.
public struct StoredCall: Sendable {
  public var key: Int64
  public var id: String
  public var run: String?
  public var scenario: String?
  public var sdk: String?
  public var startedMs: Double?
  /// Whether a manifest expects the call.
  public var isExpected: Bool
  public var expectedOutcome: Outcome?
  public var minScore: Double?
  public var maxSetupMs: Double?
  /// The references for its quality, as a JSON object.
  public var references: String?
}

/// One end of a call.
public struct StoredEndpoint: Sendable {
  public var key: Int64
  public var call: Int64
  public var name: String
  public var direction: CallDirection?
  public var person: String?
  public var sdk: String?
}

/// A stream with its facts and the figures of the whole stream.
public struct StoredStream: Sendable {
  public var key: Int64
  public var connection: Int64
  public var endpoint: Int64?
  /// Key of its source.
  public var source: Int64
  public var chosen: Bool
  public var facts: StreamFacts
  public var totals: StreamTotals
  /// Number of rows in table `samples`.
  public var samples: Int
  /// First and last time in its source.
  public var sourceSpan: ClosedRange<Double>?
  /// Digest of its source's bytes; empty if unknown. Orders sources of equal quality independently of the order of
  /// import.
  public var sourceDigest = ""

  /// Breaks ties between streams of equal quality: by the digest of their sources, then by their index there.
  public static func isBefore(_ a: StoredStream, _ b: StoredStream) -> Bool {
    (a.sourceDigest, a.key) < (b.sourceDigest, b.key)
  }
}
