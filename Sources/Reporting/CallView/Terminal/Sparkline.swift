import CallModel

/// The score of one end over the call, a character a window, or a character for the worst of several windows.
struct Sparkline {
  /// The heights, and under them the letter of the cause that took most.
  let heights: String
  let letters: String
  /// Windows behind one character.
  let windowsPerColumn: Int

  private static let bars = Array("▁▂▃▄▅▆▇█")

  /// A line of at most so many columns over one span of time, so that the lines of both ends stand under each other.
  init(_ windows: [Window], fromMs: Double, toMs: Double, columns: Int) {
    let longest = windows.map { $0.endMs - $0.startMs }.max() ?? 5000
    let exact = (toMs - fromMs) / max(longest, 1) - 0.05
    let needed = max(1, Int(exact.rounded(.up).clamped(to: 1...1_000_000)))
    let count = min(max(columns, 1), needed)
    windowsPerColumn = (needed + count - 1) / count
    let step = max(1, (toMs - fromMs) / Double(count))
    var buckets = [[Window]](repeating: [], count: count)
    for window in windows {
      let middle = (window.startMs + window.endMs) / 2
      let index = ((middle - fromMs) / step).rounded(.down).clamped(to: 0...Double(count - 1))
      buckets[Int(index)].append(window)
    }
    heights = String(buckets.map(Self.height))
    letters = buckets.map(Self.letter).joined()
  }

  private static func worst(_ windows: [Window]) -> Window? {
    windows.filter { $0.score != nil }.min { ($0.score ?? 0) < ($1.score ?? 0) }
  }

  private static func height(_ windows: [Window]) -> Character {
    if let worst = worst(windows), let score = worst.score {
      return worst.state == .stalled ? "×" : bars[min(7, max(0, score * 8 / 101))]
    }
    if windows.contains(where: { $0.state == .unscored }) { return "?" }
    return windows.isEmpty ? " " : "·"
  }

  private static func letter(_ windows: [Window]) -> String {
    guard let points = worst(windows)?.pointsLost else { return " " }
    let most = Cause.allCases.max { (points[$0] ?? 0) < (points[$1] ?? 0) }
    guard let most, (points[most] ?? 0) >= 5 else { return " " }
    return most.letter
  }
}

extension Double {
  /// The value moved into a range; not-a-number becomes its lower end.
  func clamped(to range: ClosedRange<Double>) -> Double {
    isNaN ? range.lowerBound : Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
  }
}
