/// An estimate with the interval that holds the truth at the asked level, and how it was made.
public struct Interval: Sendable, Equatable {
  /// How the interval was made.
  public enum Method: String, Sendable {
    /// Scenarios that both runs have, drawn again.
    case pairedScenarios = "paired, bootstrap over scenarios"
    /// Student's t over the differences of fewer than ten scenarios.
    case pairedStudent = "paired, Student's t over scenarios"
    /// Calls drawn again within each scenario that both runs have.
    case pairedCalls = "paired, bootstrap over calls within their scenarios"
    /// The two runs share no scenario: calls of each run drawn again.
    case unpaired = "unpaired, bootstrap over calls"
    /// The same for fewer than ten calls.
    case unpairedStudent = "unpaired, Welch's t"
    /// Wilson's interval for shares, combined by Newcombe's method.
    case shares = "shares, Wilson and Newcombe"
    /// The same for shares that are put together of the scenarios which both runs have.
    case pairedShares = "paired shares, Wilson and Newcombe"
    /// Nothing was estimated.
    case counted = "counted"
  }

  public var estimate: Double
  /// Nil where there are too few calls for an interval.
  public var low: Double?
  public var high: Double?
  public var method: Method

  /// An estimate, with or without its interval.
  public init(_ estimate: Double, _ low: Double?, _ high: Double?, _ method: Method) {
    self.estimate = estimate
    self.low = low
    self.high = high
    self.method = method
  }

  /// The same, with ends that go no further than the truth can lie.
  func within(_ bounds: ClosedRange<Double>) -> Interval {
    func held(_ end: Double) -> Double { min(bounds.upperBound, max(bounds.lowerBound, end)) }
    return Interval(estimate, low.map(held), high.map(held), method)
  }
}
