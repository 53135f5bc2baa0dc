import Glibc

extension Contrast {
  /// Share of the candidate minus `factor` times that of the baseline, both with the candidate's mix of scenarios.
  ///
  /// Wilson's interval of each share, put together by Newcombe's method 10 (1998) with the baseline's side scaled by the
  /// factor. Calls drawn again would be certain of a run in which nothing broke.
  func shares() -> Interval {
    let method: Interval.Method = sampled.isPaired ? .pairedShares : .shares
    let z = Distributions.normalQuantile(1 - error)
    let mix = ScenarioMix(sampled)
    let candidate = MixedShare(sampled.cells.map(\.candidate), mix, z)
    guard factor != 0 else { return Interval(candidate.share, candidate.low, candidate.high, method) }
    let baseline = MixedShare(sampled.cells.map(\.baseline), mix, z)
    let change = candidate.share - factor * baseline.share
    let down = hypot(candidate.share - candidate.low, factor * (baseline.high - baseline.share))
    let up = hypot(candidate.high - candidate.share, factor * (baseline.share - baseline.low))
    return Interval(change, change - down, change + up, method)
  }
}

/// How often a call of each scenario counts.
struct ScenarioMix {
  /// The part of each cell in the whole: that which it has of the candidate's calls.
  let weights: [Double]
  /// Cells whose calls count about alike in the baseline: powers of two are told apart. With one mix in both runs that is all.
  let groups: [[Int]]

  /// The mix of the candidate; no cell of it is empty.
  init(_ sampled: Sampled) {
    let (own, other) = (Double(sampled.candidateCount), Double(sampled.baselineCount))
    weights = sampled.cells.map { Double($0.candidate.count) / own }
    let logarithms = zip(weights, sampled.cells).map { weight, cell in
      cell.baseline.isEmpty ? 0 : log2(weight * other / Double(cell.baseline.count)).rounded()
    }
    groups = Dictionary(grouping: logarithms.indices) { logarithms[$0] }.values.map { $0.sorted() }
      .sorted { $0[0] < $1[0] }
  }
}

/// A share of calls in cells of given weights, with its interval.
///
/// Cells whose calls count alike are one: Wilson's interval of their share, for as many calls as their weights leave
/// (Kish's effective sample size). Those intervals are put together as Newcombe does it for two shares, each end by the
/// squares of its distances (Zou and Donner 2008). Where all cells count alike it is Wilson's interval of all calls.
struct MixedShare {
  private(set) var share = 0.0
  private(set) var low = 0.0
  private(set) var high = 0.0

  /// Values are 0 or 1, and no cell is empty.
  init(_ values: [[Double]], _ mix: ScenarioMix, _ z: Double) {
    var (down, up) = (0.0, 0.0)
    for group in mix.groups {
      var (weight, hits, squares) = (0.0, 0.0, 0.0)
      for index in group {
        let calls = Double(values[index].count)
        let part = mix.weights[index]
        weight += part
        hits += part * values[index].reduce(0, +) / calls
        squares += part * part / calls
      }
      let own = Self.wilson(hits / weight, calls: weight * weight / squares, z)
      share += hits
      down += weight * weight * own.down * own.down
      up += weight * weight * own.up * own.up
    }
    low = max(0, share - down.squareRoot())
    high = min(1, share + up.squareRoot())
  }

  /// How far Wilson's interval of a share reaches down and up.
  private static func wilson(_ share: Double, calls: Double, _ z: Double) -> (down: Double, up: Double) {
    let centre = (share + z * z / (2 * calls)) / (1 + z * z / calls)
    let half =
      z / (1 + z * z / calls) * (share * (1 - share) / calls + z * z / (4 * calls * calls)).squareRoot()
    return (share - max(0, min(share, centre - half)), min(1, max(share, centre + half)) - share)
  }
}
