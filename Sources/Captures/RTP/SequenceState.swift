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
