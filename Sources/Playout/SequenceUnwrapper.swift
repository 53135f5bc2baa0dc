/// The sequence numbers of sound, of which some are taken by what is no sound: padding that tries the width of the way, and
/// keep-alives.
struct SequenceUnwrapper {
  private var last: UInt16
  /// Since the last packet of sound: packets without any, and numbers that have not come.
  private var without = 0
  private var missing = 0

  init(before first: UInt16) { last = first &- 1 }

  /// Takes a packet of sound, whose time is `jump` samples after that of the newest, which is so long. Answers how many packets of
  /// sound are missing before it, and whether it follows the one before.
  @inline(__always)
  mutating func take(_ number: UInt16, jump: Int64, length: Int64) -> (missed: Int64, follows: Bool) {
    let ahead = Int(Int16(bitPattern: number &- last))
    guard ahead > 0 else {
      missing = max(0, missing - 1)
      return (0, false)
    }
    last = number
    let gap = missing + ahead - 1
    guard gap > 0, without > 0 else {
      (without, missing) = (0, 0)
      return (Int64(gap), gap == 0)
    }
    let missed = soundMissed(of: gap, jump: jump, length: length)
    (without, missing) = (0, 0)
    return (missed, missed == 0)
  }

  /// How far a number is ahead of the last.
  func ahead(_ number: UInt16) -> Int { Int(Int16(bitPattern: number &- last)) }

  /// Takes a packet without sound.
  mutating func skip(_ number: UInt16) {
    without += 1
    let ahead = Int(Int16(bitPattern: number &- last))
    guard ahead > 0 else {
      missing = max(0, missing - 1)
      return
    }
    missing += ahead - 1
    last = number
  }

  /// Takes what stands in place of sound.
  mutating func pass(_ number: UInt16) {
    guard Int16(bitPattern: number &- last) > 0 else { return }
    (last, without, missing) = (number, 0, 0)
  }

  /// How many packets of sound there were among the missing between two, where others without sound came: as many as the time
  /// between has room for; where it has room for more the sender paused, and those missing are like those that came.
  private func soundMissed(of gap: Int, jump: Int64, length: Int64) -> Int64 {
    let room = length > 0 ? (jump + length / 2) / length - 1 : Int64(gap)
    if room <= Int64(gap) { return max(0, room) }
    return Int64((Double(gap) / Double(without + 1)).rounded())
  }
}
