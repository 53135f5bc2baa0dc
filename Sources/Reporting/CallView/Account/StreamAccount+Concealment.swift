import CallModel
import CallStore

extension StreamAccount {
  /// What was made up while the sender had nothing to say, samples: of a capture what its playout made up.
  var pausedConcealed: Double {
    guard source == .capture else { return pausedSamples }
    guard let extra = figures["extra"]?.string else { return 0 }
    return memberText("paused_concealed", of: extra).flatMap(Double.init) ?? 0
  }

  /// What its receiver made up in the times in which the far end is known to have sent no sound, samples.
  func madeUp(inSilences silences: [(from: Double, to: Double)], in store: Store) throws -> Double {
    var sum = 0.0
    for silence in silences {
      for part in parts {
        let cursor = try store.samples(
          ofStream: part.key, from: silence.from - Self.reachMs, to: silence.to + Self.reachMs)
        var sample = Sample(timeMs: 0)
        var before: Sample?
        while try cursor.next(into: &sample) {
          defer { before = sample }
          guard let earlier = before, sample.timeMs > earlier.timeMs,
            let all = sample[.totalSamples], let allBefore = earlier[.totalSamples],
            let made = sample[.concealedSamples], let madeBefore = earlier[.concealedSamples]
          else { continue }
          let overlap = min(sample.timeMs, silence.to) - max(earlier.timeMs, silence.from)
          let quiet = (all - allBefore) * overlap / (sample.timeMs - earlier.timeMs)
          // Who sends silence is not paused.
          guard overlap > 0, quiet > 0, made - madeBefore >= quiet / 2 else { continue }
          sum += min(made - madeBefore, quiet)
        }
      }
    }
    return sum
  }

  private static let reachMs = 15_000.0

  /// How much of its sound was made up, 0–1, pauses of the sender left out; nil where that is not known.
  var concealedShare: Double? {
    let paused = pausedConcealed
    guard paused > 0, let concealed = number("concealed_samples"), let total = number("total_samples"),
      total > paused
    else { return number("concealed_share") }
    return max(0, concealed - paused) / (total - paused)
  }
}
