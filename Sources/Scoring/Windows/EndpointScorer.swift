import CallModel

/// Scores what one endpoint received, as seen by one kind of source: samples in, windows out.
///
/// Give it the samples of all streams of the endpoint, outbound ones too (their reports hold the round trip), merged
/// in time order. Memory grows with the windows, never with the samples.
public struct EndpointScorer {
  /// A scorer for the given streams; `add` names them by their place in `streams`.
  public init(
    streams: [StreamFacts], model: ScoreModel = .standard, references: References = .none,
    cut: WindowCut = .fromFirstMedia, clientScores: [ClientScore] = [], quiet: [QuietSpan] = []
  ) {
  }

  /// Takes one instant of a stream; times must not run backwards within a stream.
  public mutating func add(_ sample: borrowing Sample, of stream: Int) {
  }

  /// Takes one instant of the path: its round trip, and whether anything at all still arrives.
  public mutating func addTransport(_ transport: TransportSample) {
  }

  /// All windows in order; the scorer is spent afterwards.
  public mutating func finish() -> [Window] { [] }
}
