/// All SDKs taken together: what fell a little in each of them, and is clear in none, may be clear in the whole.
extension Comparison {
  /// The calls of all SDKs that both runs have as those of one; the SDK is a trait. Nil where there are not two such SDKs.
  func whole() -> Comparison? {
    guard let baseline else { return nil }
    let both = Set(candidate.calls.keys).intersection(baseline.calls.keys)
    guard both.count > 1 else { return nil }
    var whole = self
    whole.candidate = candidate.together(both, as: wholeName(of: both.count), trait: kind)
    whole.baseline = baseline.together(both, as: wholeName(of: both.count), trait: kind)
    return whole
  }

  private func wholeName(of number: Int) -> String {
    number == 2 ? "both \(kind)s" : "all \(number) \(kind)s"
  }
}

extension RunFigures {
  /// Calls of some SDKs under one name, each in a scenario of its own SDK: what SDKs differ in is no change.
  fileprivate func together(_ sdks: Set<String>, as name: String, trait: String) -> RunFigures {
    var all = RunFigures(run: run)
    all.isRun = isRun
    all.verdictVersions = verdictVersions
    all.dimensions = dimensions + [trait]
    all.calls[name] = sdks.sorted().flatMap { sdk in
      (calls[sdk] ?? []).map { call in
        var call = call
        call.scenario = "\(sdk)\u{1F}\(call.scenario ?? "")"
        let missing = max(0, dimensions.count - call.traits.count)
        call.traits = call.traits.prefix(dimensions.count) + Array(repeating: nil, count: missing) + [sdk]
        return call
      }
    }
    return all
  }
}

/// A figure that moved in all SDKs together, and not in one of them alone.
struct WholeChange: Sendable {
  let figure: Figure
  /// `all 5 SDKs`: the name of the group in `comparison`.
  let name: String
  let comparison: Comparison
  let change: Double
  let low: Double
  let high: Double
  var isWorse: Bool { figure == .scoreMean ? change < 0 : change > 0 }
  /// The figure now; what it was before is this less the change.
  let value: Double
  let search: PlaceSearch

  /// Figures that are looked at in the whole.
  static let figures: [Figure] = [.scoreMean, .setupMean, .brokenShare]

  /// Nil unless the change is beyond chance (as far from nothing as a place must be), large enough to matter, and also there
  /// without any one of the SDKs: what is one SDK's alone is told of that SDK.
  init?(_ figure: Figure, in whole: Comparison) {
    guard let name = whole.candidate.calls.keys.first, !figure.restsOnVerdict || whole.otherRules == nil
    else { return nil }
    let (now, before) = whole.comparedCalls(name, figure)
    let levels = ScenarioLevels(before, figure)
    guard let change = MeanChange(levels.above(now), levels.above(before), figure),
      abs(change.change) > Comparison.concentrationErrors * max(change.error, figure.leastError),
      min(change.calls, before.count) >= Self.fewestCalls,
      let value = now.compactMap({ figure.value(of: $0) }).mean,
      abs(change.change) >= Self.least(figure, before: value - change.change)
    else { return nil }
    // The SDK is the last trait.
    let trait = whole.candidate.dimensions.count - 1
    let (own, other) = (Split(now, trait: trait, levels), Split(before, trait: trait, levels))
    for sdk in own.values.keys {
      guard let rest = MeanChange(own.without(sdk), other.without(sdk), figure),
        rest.change / change.change > 0.5, abs(rest.change) > Self.restErrors * rest.error
      else { return nil }
    }
    let search = whole.place(sdk: name, of: figure)
    guard search.found?.dimension != whole.kind else { return nil }
    let half = Distributions.normalQuantile(1 - whole.questionError / 2) * change.error
    (self.figure, self.name, comparison, self.value, self.search) = (figure, name, whole, value, search)
    (self.change, low, high) = (change.change, change.change - half, change.change + half)
  }

  /// Fewest calls of a run that the error of a normal distribution is taken of.
  private static let fewestCalls = 40
  /// Standard errors that the others must have moved by too, whichever SDK is left out.
  private static let restErrors = 2.5

  /// The least change worth a sentence: a point, a tenth of the setup time, half a per cent of the calls.
  private static func least(_ figure: Figure, before: Double) -> Double {
    figure == .scoreMean ? 1 : figure.isShare ? 0.005 : max(20, abs(before) * 0.1)
  }
}
