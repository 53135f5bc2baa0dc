import CallModel
import Rendering

extension Comparison {
  /// Calls that never came, or of which nothing is known, beyond this share of an SDK's calls leave a passing gate undecided:
  /// nobody knows how they went.
  static let toleratedMissing = 0.02

  func judged(_ gate: Gate, _ sdk: String) -> GateResult {
    var result = GateResult(gate: gate, sdk: sdk, verdict: .inconclusive, reason: "")
    result.candidate = Self.value(gate.figure, candidate, sdk: sdk)
    result.baseline = Self.value(gate.figure, baseline, sdk: sdk)
    if gate.isRelative, !gate.figure.isCount {
      // The figures beside a verdict are those that it was found by.
      let compared = compared(gate.figure, sdk: sdk)
      if compared.candidate != nil, compared.baseline != nil {
        (result.candidate, result.baseline) = (compared.candidate, compared.baseline)
      }
    }
    if let unfinished = unfinished(sdk, with: gate.isRelative ? baseline : nil) {
      result.reason = unfinished
      return result
    }
    if gate.isRelative, gate.figure.restsOnVerdict, let otherRules {
      result.reason = otherRules
      return result
    }
    if gate.isRelative, baseline?.calls[sdk] == nil {
      result.reason = "there is nothing to compare with yet"
      return result
    }
    return gate.figure.isCount ? counted(result) : estimated(result)
  }

  /// A gate for an SDK that neither run has: its calls are missing, or its name is mistyped.
  func unmet(_ gate: Gate, _ sdk: String) -> GateResult {
    let near = Spelling.nearest(to: sdk, among: sdks).map { "; did you mean '\($0)'?" }
    let has = sdks.isEmpty ? "" : "; they have \(sdks.prefix(8).joined(separator: ", "))"
    return GateResult(
      gate: gate, sdk: sdk, verdict: .inconclusive,
      reason: "neither run has a call of '\(sdk)'" + (near ?? has))
  }

  private func counted(_ result: GateResult) -> GateResult {
    var result = result
    let (gate, value) = (result.gate, result.candidate ?? 0)
    let limit = gate.factor * (result.baseline ?? 0) + gate.offset
    let margin = value - gate.factor * (result.baseline ?? 0)
    result.contrast = Interval(margin, margin, margin, .counted)
    result.verdict = gate.relation.holds(value, limit) ? .pass : .fail
    result.reason = "\(Int(value)) \(gate.figure)"
    if result.verdict == .pass, !candidate.sdks.contains(result.sdk) {
      // Nothing is missing or put aside of what nobody announced.
      result.verdict = .inconclusive
      result.reason = "no call of this \(kind) came, and none was announced"
    }
    return result
  }

  private func estimated(_ result: GateResult) -> GateResult {
    var result = result
    let gate = result.gate
    guard let interval = contrast(gate.figure, result.sdk, factor: gate.factor) else {
      result.reason =
        result.candidate == nil
        ? "no call of this run says anything about it" : "the baseline has no call to compare with"
      return result
    }
    result.contrast = interval
    guard let low = interval.low, let high = interval.high else {
      result.reason = "too few calls for an interval"
      return result
    }
    let (worse, better) = gate.relation.wantsMore ? (low, high) : (high, low)
    if gate.relation.holds(worse, gate.offset) {
      result.verdict = .pass
      result.reason = "the whole interval is inside the margin"
    } else if !gate.relation.holds(better, gate.offset) {
      result.verdict = .fail
      result.reason = "the whole interval is outside the margin"
    } else {
      result.moreCalls = moreCalls(interval, low, high, gate, result.sdk)
      result.reason =
        "too close to the limit to call"
        + (result.moreCalls.map { "; about \(Plural.of($0, "more call")) would decide" }
          ?? "; there is no estimate of how many more calls are needed")
    }
    return missingConsidered(result)
  }

  /// A pass rests on the calls that came whole; where too many did not, it is none.
  private func missingConsidered(_ result: GateResult) -> GateResult {
    let missing = candidate.missing[result.sdk] ?? 0
    let cut = candidate.cut(of: result.sdk)
    let all = missing + (candidate.calls[result.sdk]?.count ?? 0)
    guard result.verdict == .pass, Double(missing + cut) > Self.toleratedMissing * Double(all) else {
      return result
    }
    var result = result
    result.verdict = .inconclusive
    let never = missing > 0 ? "\(missing) of \(Plural.of(all, "call")) never came" : nil
    let unknown =
      cut > 0
      ? "of \(cut) of \(Plural.of(all, "call")) nothing is known, for their files were taken in part" : nil
    let without = [never, unknown].compactMap { $0 }.joined(separator: " and ")
    result.reason = "\(without); of the others \(result.reason)"
    return result
  }

  /// Two figures that matter, rounded up: more would promise too much.
  private static func roughly(_ calls: Int) -> Int {
    var step = 1
    while calls / step >= 100 { step *= 10 }
    return (calls + step - 1) / step * step
  }

  /// Intervals shrink with the square root of the calls, so this many more bring the nearer end to the limit.
  private func moreCalls(_ interval: Interval, _ low: Double, _ high: Double, _ gate: Gate, _ sdk: String)
    -> Int?
  {
    let distance = abs(interval.estimate - gate.offset)
    let half = interval.estimate > gate.offset ? interval.estimate - low : high - interval.estimate
    let calls = Double(candidate.calls[sdk]?.count ?? 0)
    guard distance > 0, half > distance, half / distance < 30 else { return nil }
    return Self.roughly(Int((calls * (half * half / (distance * distance) - 1)).rounded(.up)))
  }
}

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
