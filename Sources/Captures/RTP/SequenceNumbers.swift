/// Tracks which sequence numbers of a stream arrived (RFC 3550 A.1), distinguishing unique, lost, duplicate
/// and reordered packets and restarts.
struct SequenceState {
  /// What a packet was.
  enum Verdict: Equatable {
    /// The next or a later number; `gap` numbers before it have not arrived (yet).
    case advanced(gap: Int)
    /// An earlier number that had not arrived.
    case reordered
    case duplicate
    /// A jump that does not count until the next number confirms it.
    case doubtful
    /// The sender restarted: the segment was closed without loss.
    case restarted
  }

  /// Larger jumps are doubtful (RFC 3550 A.1).
  static let maxDropout = 3000
  static let maxMisorder = 100
  /// The number of sequence numbers kept in the bitmap: how late a packet may be to be recognised as new or
  /// duplicate.
  static let window = 1024

  private var bits = InlineArray<16, UInt64>(repeating: 0)
  private var bad: UInt16?
  private var started = false
  /// The first and highest number of the current segment, extended by cycles.
  private(set) var base: Int64 = 0
  private(set) var highest: Int64 = 0
  private var closedExpected = 0
  private var uniqueInSegment = 0
  private var closedUnique = 0
  private(set) var duplicates = 0
  private(set) var reordered = 0
  private(set) var restarts = 0
  /// How many times the numbers had wrapped at 65,536 when the sender last restarted.
  private(set) var roundsBefore: Int64 = 0

  /// Distinct packets received.
  var unique: Int { closedUnique + uniqueInSegment }
  /// The numbers between the first and the highest, over all segments.
  var expected: Int { started ? closedExpected + Int(highest - base) + 1 : 0 }
  /// Expected minus received; never negative.
  var lost: Int { max(0, expected - unique) }

  /// Takes a sequence number. `plausible` says whether a long jump agrees with the clock, so that it is loss
  /// and not a restart; `restart` says that the caller knows that the sender restarted.
  @inline(__always)
  mutating func take(_ sequence: UInt16, plausible: Bool = false, restart: Bool = false) -> Verdict {
    guard started else {
      begin(at: 65_536 + Int64(sequence))
      started = true
      return .advanced(gap: 0)
    }
    let delta = Int(Int16(bitPattern: sequence &- UInt16(truncatingIfNeeded: highest)))
    if restart && delta > 0 {
      closeSegment()
      begin(at: 65_536 + Int64(sequence))
      return .restarted
    }
    if delta > 0 && (delta < Self.maxDropout || plausible) {
      bad = nil
      advance(by: delta)
      return .advanced(gap: delta - 1)
    }
    if delta <= 0 && -delta <= Self.maxMisorder {
      bad = nil
      return back(-delta)
    }
    if bad == sequence { return close(sequence) }
    bad = sequence &+ 1
    return .doubtful
  }

  /// Whether a number of the current segment arrived. Only numbers within the window are remembered.
  func has(_ number: Int64) -> Bool {
    guard number <= highest, number > highest - Int64(Self.window), number >= base else { return false }
    return bits[Int(number >> 6) & 15] & (1 << UInt64(number & 63)) != 0
  }

  /// The same for a number within the window. The method is `mutating` because a non-mutating one would
  /// receive a copy of the whole value.
  @inline(__always)
  mutating func holds(_ number: Int64) -> Bool {
    bits[Int(number >> 6) & 15] & (1 << UInt64(number & 63)) != 0
  }

  /// Whether a number between two of the current segment has not arrived. Only numbers within the window are
  /// remembered.
  func misses(from first: UInt16, to last: UInt16) -> Bool {
    let newest = UInt16(truncatingIfNeeded: highest)
    let from = max(highest - Int64(newest &- first), highest - Int64(Self.window)) + 1
    let to = highest - Int64(newest &- last)
    return from < to && (from..<to).contains { !has($0) }
  }

  /// Marks numbers before the highest as arrived but not captured.
  mutating func markUncaptured(_ count: Int) {
    for number in max(base, highest - Int64(min(count, Self.window - 1)))..<highest {
      bits[Int(number >> 6) & 15] |= 1 << UInt64(number & 63)
    }
    closedExpected -= count
  }

  private mutating func begin(at number: Int64) {
    base = number
    highest = number
    uniqueInSegment = 1
    bits = InlineArray<16, UInt64>(repeating: 0)
    bits[Int(number >> 6) & 15] = 1 << UInt64(number & 63)
  }

  private mutating func close(_ sequence: UInt16) -> Verdict {
    closeSegment()
    // The doubtful packet just before was the first of the new segment.
    begin(at: 65_535 + Int64(sequence))
    advance(by: 1)
    return .restarted
  }

  private mutating func closeSegment() {
    closedExpected += Int(highest - base) + 1
    closedUnique += uniqueInSegment
    restarts += 1
    roundsBefore = (highest >> 16) - (base >> 16)
    bad = nil
  }

  @inline(__always)
  private mutating func advance(by delta: Int) {
    if delta == 1 {
      highest += 1
      if highest & 63 == 0 { bits[Int(highest >> 6) & 15] = 0 }
    } else {
      let from = highest >> 6
      highest += Int64(delta)
      let to = highest >> 6
      if to - from >= 16 {
        bits = InlineArray<16, UInt64>(repeating: 0)
      } else {
        var word = from + 1
        while word <= to {
          bits[Int(word) & 15] = 0
          word += 1
        }
      }
    }
    bits[Int(highest >> 6) & 15] |= 1 << UInt64(highest & 63)
    uniqueInSegment &+= 1
  }

  private mutating func back(_ distance: Int) -> Verdict {
    let number = highest - Int64(distance)
    let bit: UInt64 = 1 << UInt64(number & 63)
    if bits[Int(number >> 6) & 15] & bit != 0 {
      duplicates += 1
      return .duplicate
    }
    bits[Int(number >> 6) & 15] |= bit
    base = min(base, number)  // the first packets may have been reordered
    uniqueInSegment += 1
    reordered += 1
    return .reordered
  }
}

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
