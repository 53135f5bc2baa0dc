import CallModel
import Rendering

extension Comparison {
  /// Largest share of an SDK's calls, 0–1, that may be missing or unreadable for a gate still to pass. Above it a
  /// passing gate becomes inconclusive, because the quality of those calls is unknown.
  static let toleratedMissing = 0.02
  /// As many missing calls are always tolerated: with five SDKs of 80 calls each, two of one go missing every fifth night.
  static let toleratedCalls = 2

  func judged(_ gate: Gate, _ sdk: String) -> GateResult {
    var result = GateResult(gate: gate, sdk: sdk, verdict: .inconclusive, reason: "")
    result.candidate = Self.value(gate.figure, candidate, sdk: sdk)
    result.baseline = Self.value(gate.figure, baseline, sdk: sdk)
    if gate.isRelative, !gate.figure.isCount {
      // Show the figures that the verdict is based on.
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

  /// The result of a gate for an SDK that neither run has: its calls are missing, or its name is misspelled.
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
    if gate.figure == .calls { decideVolume(&result, limit) }
    if result.verdict == .pass, !candidate.sdks.contains(result.sdk) {
      // No calls were announced for this SDK, so none can be missing or excluded.
      result.verdict = .inconclusive
      result.reason = "no call of this \(kind) came, and none was announced"
    }
    return result
  }

  /// Takes back that a number of calls is too small where none came at all, which is told by itself, where calls were made
  /// and put aside, and where chance explains it.
  private func decideVolume(_ result: inout GateResult, _ limit: Double) {
    let aside = candidate.excluded[result.sdk] ?? 0
    let made = (result.candidate ?? 0) + Double(aside)
    if candidate.ran == 0 {
      (result.verdict, result.reason) = (.inconclusive, "no call came")
    } else if result.verdict != .fail || !result.gate.isRelative {
      return
    } else if result.gate.relation.holds(made, limit) {
      result.verdict = .inconclusive
      result.reason += ", and \(aside) put aside"
    } else if !isFewer(made, result) {
      result.verdict = .pass
      result.reason += ", not fewer beyond chance"
    }
  }

  /// Whether a number of calls is below the baseline's beyond chance: given both together, each call is as likely of the
  /// one as of the other.
  private func isFewer(_ now: Double, _ result: GateResult) -> Bool {
    let before = result.baseline ?? 0
    let error = questionError / Double(max(1, sdks.count))
    return before - now > Distributions.normalQuantile(1 - error) * (before + now).squareRoot()
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
    let limit = decidable(gate, interval, worse, result.baseline)
    if gate.relation.holds(worse, gate.offset) {
      result.verdict = .pass
      result.reason = "the whole interval is inside the margin"
    } else if !gate.relation.holds(better, gate.offset) {
      result.verdict = .fail
      result.reason = "the whole interval is outside the margin"
    } else if gate.relation.holds(worse, limit) {
      result.verdict = .pass
      let moves = ValueText.moves([worse, limit], of: gate.figure.description)
      let unit = ValueText.unit(of: gate.figure.description)
      result.reason =
        "not clearly worse: at most \(moves[0])\(unit), and of so few calls up to \(moves[1])\(unit) may be chance"
    } else {
      result.moreCalls = moreCalls(interval, low, high, gate, result.sdk)
      result.reason =
        "too close to the limit to call"
        + (result.moreCalls.map { "; about \(Plural.of($0, "more call")) would decide" }
          ?? "; there is no estimate of how many more calls are needed")
    }
    return missingConsidered(result)
  }

  /// How far from no change, in half widths of the interval, its far end may lie for a group that is too small for the
  /// gate's own limit. Unchanged groups then stay undecided in 1 of 500 tests: in fewer than one night of ten with five
  /// SDKs and ten gates.
  private static let decidableWidths = 2.25

  /// The limit for a group of this size: the gate's own or, where its interval is too wide for that, what a group that
  /// did not change stays within. Limits without a baseline hold as they are.
  private func decidable(_ gate: Gate, _ interval: Interval, _ worse: Double, _ baseline: Double?) -> Double {
    guard gate.isRelative, let baseline else { return gate.offset }
    let unchanged = (1 - gate.factor) * baseline
    let limit = unchanged + Self.decidableWidths * (worse - interval.estimate)
    return gate.relation.wantsMore ? min(gate.offset, limit) : max(gate.offset, limit)
  }

  /// Turns a pass into inconclusive if too many calls are missing or were only partly imported.
  private func missingConsidered(_ result: GateResult) -> GateResult {
    let missing = candidate.missing[result.sdk] ?? 0
    let cut = candidate.cut(of: result.sdk)
    let all = missing + (candidate.calls[result.sdk]?.count ?? 0)
    guard result.verdict == .pass, missing + cut > Self.toleratedCalls,
      Double(missing + cut) > Self.toleratedMissing * Double(all)
    else {
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

  /// Rounds up to two significant digits; more would suggest a precision that the estimate does not have.
  private static func roughly(_ calls: Int) -> Int {
    var step = 1
    while calls / step >= 100 { step *= 10 }
    return (calls + step - 1) / step * step
  }

  /// How many more calls would probably decide the gate: the width of an interval shrinks with the square root of the
  /// number of calls. Nil if that cannot be estimated.
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

/// An estimate with its confidence interval at the requested level, and the method used.
public struct Interval: Sendable, Equatable {
  /// How the interval was computed.
  public enum Method: String, Sendable {
    /// Bootstrap over the scenarios that both runs have.
    case pairedScenarios = "paired, bootstrap over scenarios"
    /// Student's t over the differences of fewer than ten scenarios.
    case pairedStudent = "paired, Student's t over scenarios"
    /// Bootstrap over calls within each scenario that both runs have.
    case pairedCalls = "paired, bootstrap over calls within their scenarios"
    /// Bootstrap over the calls of each run; the runs share no scenario.
    case unpaired = "unpaired, bootstrap over calls"
    /// Welch's t, for fewer than ten calls; the runs share no scenario.
    case unpairedStudent = "unpaired, Welch's t"
    /// Wilson's interval for shares, combined by Newcombe's method.
    case shares = "shares, Wilson and Newcombe"
    /// Wilson and Newcombe for shares combined over the scenarios that both runs have.
    case pairedShares = "paired shares, Wilson and Newcombe"
    /// An exact count; nothing was estimated.
    case counted = "counted"
  }

  public var estimate: Double
  /// Ends of the interval; nil if there are too few calls for one.
  public var low: Double?
  public var high: Double?
  public var method: Method

  /// An estimate, with or without an interval.
  public init(_ estimate: Double, _ low: Double?, _ high: Double?, _ method: Method) {
    self.estimate = estimate
    self.low = low
    self.high = high
    self.method = method
  }

  /// A copy whose ends are clamped to the values that are possible.
  func within(_ bounds: ClosedRange<Double>) -> Interval {
    func held(_ end: Double) -> Double { min(bounds.upperBound, max(bounds.lowerBound, end)) }
    return Interval(estimate, low.map(held), high.map(held), method)
  }
}
