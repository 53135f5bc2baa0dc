import CallModel

/// A window that an end's statistics and its packets both gave a score.
struct ScoredTwice {
  var stats: Window
  var capture: Window

  /// By how many points the packets' score is above that of the statistics.
  var difference: Int { (capture.score ?? 0) - (stats.score ?? 0) }

  /// The mean score of windows; 0 of none.
  static func mean(_ windows: [Window]) -> Double {
    let scores = windows.compactMap(\.score)
    return scores.isEmpty ? 0 : Double(scores.reduce(0, +)) / Double(scores.count)
  }
}

/// Neighbouring windows whose two scores are far apart, the same in each of them, for the same causes.
struct TwiceStretch {
  let pairs: [ScoredTwice]
  /// How many points each cause took by packets, less those by statistics: means, rounded.
  private let differences: ByCause<Int>

  init(_ pairs: [ScoredTwice]) {
    self.pairs = pairs
    var differences: ByCause<Int> = [:]
    for cause in Cause.allCases {
      let sum = pairs.reduce(0) {
        $0 + ($1.capture.pointsLost?[cause] ?? 0) - ($1.stats.pointsLost?[cause] ?? 0)
      }
      differences[cause] = Int((Double(sum) / Double(max(1, pairs.count))).rounded())
    }
    self.differences = differences
  }

  var startMs: Double { pairs.first?.stats.startMs ?? 0 }
  var endMs: Double { pairs.last?.stats.endMs ?? 0 }
  /// Whether the packets' scores are the lower ones.
  var isLower: Bool { (pairs.first?.difference ?? 0) < 0 }
  /// How far the furthest of its windows is off.
  var distance: Int { pairs.map { abs($0.difference) }.max() ?? 0 }

  /// Whether a window has the scores that these have.
  func isAlike(_ pair: ScoredTwice) -> Bool {
    pairs.allSatisfy { $0.stats.score == pair.stats.score && $0.capture.score == pair.capture.score }
  }

  func points(_ cause: Cause) -> Int { differences[cause] ?? 0 }

  /// The causes behind it, the greatest first.
  func causes(atLeast least: Int) -> [Cause] {
    Cause.allCases.filter { (points($0) > 0) == isLower && abs(points($0)) >= least }
      .sorted { abs(points($0)) > abs(points($1)) }
  }
}
