/// Sequence numbers of audio, some of which are used by packets without audio: bandwidth probes, and keep-alives.
struct SequenceUnwrapper {
  private var last: UInt16
  /// Since the last audio packet: packets without audio, and missing numbers.
  private var without = 0
  private var missing = 0

  init(before first: UInt16) { last = first &- 1 }

  /// Adds an audio packet whose time is `jump` samples after the newest, which has this duration. Returns how many
  /// audio packets are missing before it, and whether it directly follows the previous one.
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

  /// The distance of a number from the last.
  func ahead(_ number: UInt16) -> Int { Int(Int16(bitPattern: number &- last)) }

  /// Adds a packet without audio.
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

  /// Adds a packet sent instead of audio.
  mutating func pass(_ number: UInt16) {
    guard Int16(bitPattern: number &- last) > 0 else { return }
    (last, without, missing) = (number, 0, 0)
  }

  /// How many of the missing packets between two were audio, if there were packets without audio: as many as fit in the
  /// time between; if more would fit the sender paused, and the missing ones are like those received.
  private func soundMissed(of gap: Int, jump: Int64, length: Int64) -> Int64 {
    let room = length > 0 ? (jump + length / 2) / length - 1 : Int64(gap)
    if room <= Int64(gap) { return max(0, room) }
    return Int64((Double(gap) / Double(without + 1)).rounded())
  }
}
