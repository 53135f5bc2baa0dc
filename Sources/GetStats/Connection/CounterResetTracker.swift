import CallModel

/// Tracks counters of a stream from report to report: distinguishes resets from stale answers, and continues 32-bit
/// counters that wrapped.
struct CounterResetTracker {
  /// The relation of a report to those before it.
  enum Verdict { case goesOn, old, ranOver }

  /// Counters that cannot fall, the most reliable first, with the value that a reset counter can reach at once, and per
  /// ms.
  private static let counters: [(metric: Metric, least: Double, perMs: Double)] = [
    (.packets, 200, 0.1), (.bytes, 20_000, 10), (.totalSamples, 48_000, 72), (.frames, 60, 0.06),
  ]
  /// Growth since the previous report is at most this many times the largest growth before.
  private static let maxGrowth = 3.0
  /// Up to this many consecutive reports with lower counters are stale answers from a cache; more are a reset.
  private static let maxOld = 2
  private static let full = 4_294_967_296.0

  private var timeMs = -Double.infinity
  /// In the order of `counters`; NaN until reported.
  private var last = SIMD4<Double>(repeating: .nan)
  private var beforeLast = SIMD4<Double>(repeating: .nan)
  /// Largest growth per ms.
  private var peak = SIMD4<Double>()
  /// Added since they wrapped.
  private var beyond = SIMD4<Double>()
  private var old = 0

  /// Processes a report as written in the source.
  mutating func take(_ sample: SampleView) -> Verdict {
    let now = SIMD4(
      sample[.packets] ?? last[0], sample[.bytes] ?? last[1], sample[.totalSamples] ?? last[2],
      sample[.frames] ?? last[3])
    let passedMs = timeMs.isFinite ? sample.timeMs - timeMs : 0
    let falls = now .< last
    var verdict = Verdict.goesOn
    if any(falls) {
      for place in 0..<4 where falls[place] && ranOver(place, to: now[place], passedMs) {
        beyond[place] += Self.full
        last[place] -= Self.full
        verdict = .ranOver
      }
      if any(now .< last), isOld(now, passedMs) {
        old += 1
        return .old
      }
      // Counters that were reset have not wrapped since.
      beyond.replace(with: 0, where: now .< last)
    }
    old = 0
    if passedMs > 0 {
      let growth = (now - last) / passedMs
      peak.replace(with: growth, where: growth .> peak)
    }
    (timeMs, beforeLast, last) = (sample.timeMs, last, now)
    return verdict
  }

  /// Adds the amounts lost by 32-bit counters when they wrapped.
  func restore(_ sample: inout Sample) {
    guard any(beyond .> 0) else { return }
    for (place, counter) in Self.counters.enumerated() where beyond[place] > 0 {
      if let value = sample[counter.metric] { sample.set(counter.metric, value + beyond[place]) }
    }
  }

  /// The largest plausible growth since the previous report.
  private func most(_ place: Int, _ passedMs: Double) -> Double {
    let counter = Self.counters[place]
    return counter.least + max(counter.perMs, Self.maxGrowth * peak[place]) * passedMs
  }

  private func ranOver(_ place: Int, to value: Double, _ passedMs: Double) -> Bool {
    last[place] < Self.full && last[place] >= Self.full / 2
      && value + Self.full - last[place] <= min(Self.full / 4, most(place, passedMs))
  }

  /// No counter grew, and those that fell have earlier values, or values too large for a reset.
  private func isOld(_ now: SIMD4<Double>, _ passedMs: Double) -> Bool {
    guard old < Self.maxOld, !any(now .> last) else { return false }
    let fell = (0..<4).filter { now[$0] < last[$0] }
    let isRepeated = fell.count > 1 && (0..<4).allSatisfy { now[$0] == beforeLast[$0] || now[$0].isNaN }
    return isRepeated || fell.first.map { now[$0] > most($0, passedMs) } ?? false
  }
}
