import CallModel

/// Counters of a stream from report to report: tells what fell because it began anew from what an old answer told again, and
/// goes on where a counter of 32 bits ran over.
struct CounterResetTracker {
  /// What a later report is to those before it.
  enum Verdict { case goesOn, old, ranOver }

  /// What cannot fall, the best witness first: how much a count that began anew can have come to at once, and in each ms.
  private static let counters: [(metric: Metric, least: Double, perMs: Double)] = [
    (.packets, 200, 0.1), (.bytes, 20_000, 10), (.totalSamples, 48_000, 72), (.frames, 60, 0.06),
  ]
  /// Growth since the report before is at most so many times the largest there was.
  private static let maxGrowth = 3.0
  /// So many reports in a row that count less than before are answers out of a cache; more are a count that began anew.
  private static let maxOld = 2
  private static let full = 4_294_967_296.0

  private var timeMs = -Double.infinity
  /// In the order of `counters`; NaN where it was not told yet.
  private var last = SIMD4<Double>(repeating: .nan)
  private var beforeLast = SIMD4<Double>(repeating: .nan)
  /// Largest growth in a ms.
  private var peak = SIMD4<Double>()
  /// What is added since they ran over.
  private var beyond = SIMD4<Double>()
  private var old = 0

  /// Takes a later report as the source tells it.
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
      // What began anew has not run over since.
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

  /// Adds what counters of 32 bits lost when they ran over.
  func restore(_ sample: inout Sample) {
    guard any(beyond .> 0) else { return }
    for (place, counter) in Self.counters.enumerated() where beyond[place] > 0 {
      if let value = sample[counter.metric] { sample.set(counter.metric, value + beyond[place]) }
    }
  }

  /// The most that can have come since the report before.
  private func most(_ place: Int, _ passedMs: Double) -> Double {
    let counter = Self.counters[place]
    return counter.least + max(counter.perMs, Self.maxGrowth * peak[place]) * passedMs
  }

  private func ranOver(_ place: Int, to value: Double, _ passedMs: Double) -> Bool {
    last[place] < Self.full && last[place] >= Self.full / 2
      && value + Self.full - last[place] <= min(Self.full / 4, most(place, passedMs))
  }

  /// Nothing grew, and what fell is what was told before, or is more than can have come anew.
  private func isOld(_ now: SIMD4<Double>, _ passedMs: Double) -> Bool {
    guard old < Self.maxOld, !any(now .> last) else { return false }
    let fell = (0..<4).filter { now[$0] < last[$0] }
    let isRepeated = fell.count > 1 && (0..<4).allSatisfy { now[$0] == beforeLast[$0] || now[$0].isNaN }
    return isRepeated || fell.first.map { now[$0] > most($0, passedMs) } ?? false
  }
}
