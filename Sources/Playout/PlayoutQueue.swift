/// The sound that came and waits to be played, in the order of its RTP time, in bounded memory.
struct PlayoutQueue {
  /// What one packet, or one block of it, brought.
  struct Frame {
    /// RTP time since the first packet, unwrapped.
    var at: Int64
    /// When it came, ms since the first packet.
    var arrivedMs: Double
    /// Power by its level extension, 1 = full scale.
    var power: Double
    /// Samples in it, where it tells them.
    var length: Int64?
    /// How far it is from the frame whose packet has the number before, where that came just before it.
    var step: Int64?
    /// Whether it carries the frame before it.
    var redundant = false
    /// Whether time went on before it but numbers did not: silence, not loss.
    var skips = false
    /// Whether time went on before it that missing numbers do not account for.
    var rested = false
    /// What it says of silence behind it.
    var sign = ComfortNoiseMark.SilenceHint.none
  }

  private var frames: [Frame] = []
  private var head = 0

  /// Frames that wait at most; NetEq throws its buffer away beyond 200.
  private static let most = 200
  /// Those that were taken stay until so many of them are more than those that wait.
  private static let maxTaken = 8

  @inline(__always) var count: Int { frames.count - head }
  @inline(__always) var isEmpty: Bool { head == frames.count }
  /// The first and the last; only where it is not empty.
  @inline(__always) var first: Frame { frames[head] }
  @inline(__always) var last: Frame { frames[frames.count - 1] }

  /// Samples in the first, by what it tells or by what follows it; nil where neither is known.
  @inline(__always)
  var firstLength: Int64? {
    if let length = first.length { return length }
    guard count > 1, let step = frames[head + 1].step, first.at + step == frames[head + 1].at else {
      return nil
    }
    return step
  }

  /// Whether sound of a time waits.
  func has(_ at: Int64) -> Bool { frames[head...].contains { $0.at == at } }

  /// Puts a frame in its place; whether all before the newest had to be thrown away.
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

  /// Takes the first.
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

  /// The same at a clock so many times as fast.
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

  /// Throws everything away.
  mutating func clear() {
    frames = []
    head = 0
  }
}
