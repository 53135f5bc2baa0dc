/// The received audio waiting for playout, in order of RTP time, in bounded memory.
struct PlayoutQueue {
  /// The content of a packet, or of one of its blocks.
  struct Frame {
    /// RTP time since the first packet, unwrapped.
    var at: Int64
    /// Arrival time, ms since the first packet.
    var arrivedMs: Double
    /// Power from its level extension, 1 = full scale.
    var power: Double
    /// Its number of samples, if known from its size.
    var length: Int64?
    /// Distance to the frame in the packet with the previous number, if that arrived just before.
    var step: Int64?
    /// Whether it repeats the previous frame.
    var redundant = false
    /// Whether time advanced before it but sequence numbers did not: silence, not loss.
    var skips = false
    /// Whether time advanced before it by more than missing numbers explain.
    var rested = false
    /// Its hint about following silence.
    var sign = ComfortNoiseMark.SilenceHint.none
  }

  private var frames: [Frame] = []
  private var head = 0

  /// The most frames waiting; NetEq flushes its buffer beyond 200.
  private static let most = 200
  /// Removed frames are kept until there are this many more than waiting ones.
  private static let maxTaken = 8

  @inline(__always) var count: Int { frames.count - head }
  @inline(__always) var isEmpty: Bool { head == frames.count }
  /// The first and the last frame; only if it is not empty.
  @inline(__always) var first: Frame { frames[head] }
  @inline(__always) var last: Frame { frames[frames.count - 1] }

  /// Samples in the first frame, by its size or by the next frame; nil if neither is known.
  @inline(__always)
  var firstLength: Int64? {
    if let length = first.length { return length }
    guard count > 1, let step = frames[head + 1].step, first.at + step == frames[head + 1].at else {
      return nil
    }
    return step
  }

  /// Whether a frame with a time is waiting.
  func has(_ at: Int64) -> Bool { frames[head...].contains { $0.at == at } }

  /// Inserts a frame; returns whether all frames before the newest had to be discarded.
  @inline(__always)
  mutating func insert(_ frame: Frame) -> Bool {
    var i = frames.count
    while i > head && frames[i - 1].at > frame.at { i -= 1 }
    if i == frames.count { frames.append(frame) } else { frames.insert(frame, at: i) }
    guard count > Self.most else { return false }
    frames.removeFirst(frames.count - 1)
    head = 0
    return true
  }

  /// Removes the first frame.
  @inline(__always)
  mutating func pop() -> Frame {
    let frame = frames[head]
    head += 1
    if head >= Self.maxTaken, head * 2 >= frames.count {
      frames.removeFirst(head)
      head = 0
    }
    return frame
  }

  /// The same at a multiple of the clock rate.
  func scaled(by scale: Double) -> PlayoutQueue {
    func scaled(_ samples: Int64) -> Int64 { Int64((Double(samples) * scale).rounded()) }
    var other = self
    for i in frames.indices {
      other.frames[i].at = scaled(frames[i].at)
      other.frames[i].length = frames[i].length.map(scaled)
      other.frames[i].step = frames[i].step.map(scaled)
    }
    return other
  }

  /// Discards all frames.
  mutating func clear() {
    frames = []
    head = 0
  }
}

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
