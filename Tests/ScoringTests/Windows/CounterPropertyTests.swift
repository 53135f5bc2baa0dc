import CallModel
import Scoring
import Testing

/// What must hold from the counters on, however reports and windows lie to one another.
@Suite("Properties of windows")
struct CounterPropertyTests {
  static let traces = 300

  /// A call of 21 s with random loss and loudness, its reports somewhere between windows; `worse` makes up 5 ms more in one.
  private func trace(seed: UInt64, worse: Bool) -> Trace {
    var dice = Dice(seed: seed)
    var trace = Trace()
    let every = 0.4 + 1.8 * dice.roll()
    let worst = 2 + Int(dice.roll() * 6)
    var lost = 0.0
    var concealed = 0.0
    var energy = 0.0
    var report = 0
    trace.cleanAudio(trace.stream(.audio), until: 21, every: every) { time, values in
      report += 1
      lost += (dice.roll() * 3).rounded(.down)
      concealed += dice.roll() < 0.5 ? 0 : dice.roll() * 4000
      if worse, report == worst { concealed += 240 }
      energy += dice.roll() < 0.3 ? 0 : 0.1 * dice.roll()
      values[.lost] = lost
      values[.concealedSamples] = concealed
      values[.totalAudioEnergy] = energy
      values[.totalSamplesDurationMs] = time * 1000
    }
    return trace
  }

  @Test("More that is concealed in one report raises no window, in any model of ours")
  func monotone() {
    var violations = 0
    for seed in 1...UInt64(Self.traces) {
      for model in ScoreModel.all where !model.hasLabels {
        let better = trace(seed: seed, worse: false).windows(model)
        let worse = trace(seed: seed, worse: true).windows(model)
        for (one, other) in zip(better, worse)
        where (other.audioLQ ?? 0) > (one.audioLQ ?? 0) + 1e-9 || (other.score ?? 0) > (one.score ?? 0) {
          violations += 1
        }
      }
    }
    #expect(violations == 0)
  }
}
