import CallModel

/// The windows of a simulated call: five minutes of five seconds each, some of them poor, whose mean is the call's score.
struct SimulatedWindows {
  static let count = 60
  /// Scores in the order of time.
  let scores: [Int]

  /// A score that so many whole scores can have as their mean.
  static func possible(_ score: Double) -> Double {
    (max(0, min(100, score)) * Double(count)).rounded() / Double(count)
  }

  /// Windows under 60: none of a call at 80 and above, all of one at 40 and below.
  static func poor(_ score: Double) -> Int {
    Int((Double(count) * max(0, min(1, (80 - score) / 40))).rounded())
  }

  /// Windows with this mean; the poor ones follow each other, as a bad spell does, from `place` on.
  init(mean: Double, place: Int) {
    let (total, poor) = (Int((mean * Double(Self.count)).rounded()), Self.poor(mean))
    // What good windows at 80 leave to the poor ones, which stay under 60.
    let spell = poor == Self.count ? total : max(0, min(59 * poor, total - 80 * (Self.count - poor)))
    let start = place % (Self.count - poor + 1)
    let good = Self.shared(total - spell, among: Self.count - poor)
    scores = Array(good[..<start]) + Self.shared(spell, among: poor) + Array(good[start...])
  }

  var lowest: Int { scores.min() ?? 0 }

  /// The tenth percentile by nearest rank.
  var p10: Int { scores.sorted()[Self.count / 10 - 1] }

  private static func shared(_ total: Int, among count: Int) -> [Int] {
    (0..<count).map { total * ($0 + 1) / count - total * $0 / count }
  }
}
