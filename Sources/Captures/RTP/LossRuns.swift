/// Feeds the burst metrics with what finally became of every sequence number, once it can no longer come late.
struct LossRuns {
  private(set) var metrics = BurstGap()
  /// Losses in a row: how many runs of length 1…10, and of more.
  private(set) var histogram = InlineArray<11, Int>(repeating: 0)
  private var run = 0
  private var decided: Int64?

  /// How far behind the highest number a decision is final.
  private static let patience: Int64 = 128

  /// Takes note that the state moved on.
  @inline(__always)
  mutating func take(_ verdict: SequenceState.Verdict, _ state: inout SequenceState) {
    guard let next = decided, verdict != .restarted else {
      endRun()
      decided = state.base
      return
    }
    var number = max(next, state.base)
    let until = state.highest - Self.patience
    while number < until {
      decide(number > state.highest - Int64(SequenceState.window) && state.holds(number))
      number += 1
    }
    decided = number
  }

  /// Decides everything up to the highest number, before a jump makes the bitmap forget it.
  mutating func settle(_ state: borrowing SequenceState) {
    guard var number = decided else { return }
    number = max(number, state.base)
    while number <= state.highest {
      decide(state.has(number))
      number += 1
    }
    decided = number
  }

  /// Decides the rest.
  mutating func finish(_ state: borrowing SequenceState) {
    settle(state)
    endRun()
  }

  @inline(__always)
  private mutating func decide(_ came: Bool) {
    if came {
      metrics.received()
      if run > 0 { endRun() }
    } else {
      metrics.lost()
      run += 1
    }
  }

  private mutating func endRun() {
    if run > 0 { histogram[min(run, 11) - 1] += 1 }
    run = 0
  }
}
