/// Passes the final state of every sequence number, once it can no longer arrive late, to the burst metrics.
struct LossRuns {
  private(set) var metrics = BurstGap()
  /// The number of runs of consecutive losses with length 1…10, and longer.
  private(set) var histogram = InlineArray<11, Int>(repeating: 0)
  private var run = 0
  private var decided: Int64?

  /// How far behind the highest number a state is final.
  private static let patience: Int64 = 128

  /// Processes numbers that have become final.
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

  /// Finalises everything up to the highest number before a jump clears the bitmap.
  mutating func settle(_ state: borrowing SequenceState) {
    guard var number = decided else { return }
    number = max(number, state.base)
    while number <= state.highest {
      decide(state.has(number))
      number += 1
    }
    decided = number
  }

  /// Finalises the rest.
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

/// Bursts and gaps of loss according to RFC 3611 section 4.7.2 and appendix A.2.
struct BurstGap {
  /// The number of consecutive received packets that end a burst.
  private let gmin: Int
  // The first isolated loss belongs to a gap, not a burst, so the run before it counts as long enough.
  private var run = 0
  private var lostInBurst = 1
  private var c11 = 0
  private var c13 = 0
  private var c14 = 0
  private var c22 = 0
  private var c23 = 0
  private var c33 = 0

  init(gmin: Int = 16) { self.gmin = gmin }

  /// Counts a packet that arrived in time.
  @inline(__always)
  mutating func received() { run &+= 1 }

  /// Counts a packet that was lost or discarded.
  mutating func lost() {
    if run >= gmin {
      if lostInBurst == 1 { c14 += 1 } else { c13 += 1 }
      lostInBurst = 1
      c11 += run
    } else {
      lostInBurst += 1
      if run == 0 {
        c33 += 1
      } else {
        c23 += 1
        c22 += run - 1
      }
    }
    run = 0
  }

  /// The metrics of the XR block: densities as shares 0–1, durations in ms; nil before the first packet.
  func figures(packetMs: Double) -> (
    burstDensity: Double, gapDensity: Double, burstMs: Double, gapMs: Double
  )? {
    let total = c11 + c14 + 2 * c13 + c22 + 2 * c23 + c33
    guard total + run > 0 else { return nil }
    let c31 = c13
    let p32 = c31 + c23 + c33 > 0 ? Double(c23) / Double(c31 + c23 + c33) : 0
    let p23 = c22 + c23 > 0 ? 1 - Double(c22) / Double(c22 + c23) : 1
    let gapDensity = c11 + c14 > 0 ? Double(c14) / Double(c11 + c14) : 0
    guard c13 > 0 else {
      // Without a burst, everything is one gap.
      return (0, Double(c14) / Double(c11 + c14 + run), 0, Double(total + run) * packetMs)
    }
    let gap = Double(c11 + c14 + c13) * packetMs / Double(c13)
    let burst = Double(total) * packetMs / Double(c13) - gap
    return (p23 + p32 > 0 ? p23 / (p23 + p32) : 0, gapDensity, burst, gap)
  }
}
