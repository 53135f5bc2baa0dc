import Packets

/// A sender that has fallen to a packet now and then: whole packets of sound with consecutive numbers, so far apart by its own clock
/// and ours that a listener hears clicks. Silence that a codec leaves out has marks of its own, and sound between two pauses
/// (push to talk, a pause in speech) is longer.
public struct SparseSound {
  /// A time of it.
  public struct Span {
    public var fromNs: Int64
    public var toNs: Int64
    public var packets: Int
    public var heardMs: Double
  }

  /// Packets between two gaps at most.
  private static let maxTogether = 3
  /// Least gap: beside the packets, and for codecs that say something in silence time and again (Opus: every 400 ms), ms.
  private static let minGapMs = 60.0
  private static let minGaps = 3.0
  private static let minGapOfRepeatedMs = 430.0
  /// What comes so seldom keeps a way open, ms.
  private static let maxGapMs = 10_000.0
  /// Gaps, and time, from which it is believed, and time from which it is worth telling.
  private static let gapsNeeded = 4
  private static let neededNs: Int64 = 2_500_000_000
  private static let toldNs: Int64 = 5_000_000_000
  /// Packets at their usual pace that a sender has to have sent where their size does not tell their length.
  private static let talkNeeded = 25
  private static let maxSpans = 16

  /// Whether it goes on.
  private(set) var isOn = false
  private var closed: [Span] = []
  private var run = Span(fromNs: 0, toNs: 0, packets: 0, heardMs: 0)
  private var gaps = 0
  private var together = 0
  private var steady = 0
  private var (lastNs, lastBurstNs): (Int64, Int64) = (0, 0)
  private var largest = 0

  /// The times of it so far.
  public var spans: [Span] {
    isOn ? closed + [run].filter { $0.toNs &- $0.fromNs >= Self.toldNs } : closed
  }

  /// Takes the next packet of a stream.
  ///
  /// - Parameters:
  ///   - restMs: how long nothing was sent before it, by its own clock and numbers; nil where it follows at once.
  ///   - lengthMs: how much sound a packet holds, and whether its size tells it.
  ///   - isSound: whether nothing says that silence follows.
  ///   - isRepeated: whether its codec sends in silence as well, now and then.
  @inline(__always)
  mutating func take(
    _ packet: RTPPacket, restMs: Double?, lengthMs: Double, isTold: Bool, isSound: Bool, isRepeated: Bool
  ) {
    if restMs == nil, gaps == 0, isSound {
      steady &+= 1
      lastNs = packet.timeNs
      if packet.payloadLength > largest { largest = packet.payloadLength }
      return
    }
    consider(packet, restMs, lengthMs, isTold, isSound, isRepeated)
  }

  private mutating func consider(
    _ packet: RTPPacket, _ restMs: Double?, _ lengthMs: Double, _ isTold: Bool, _ isSound: Bool,
    _ isRepeated: Bool
  ) {
    defer { lastNs = packet.timeNs }
    largest = max(largest, packet.payloadLength)
    guard isSound, 2 * packet.payloadLength >= largest, isTold || steady >= Self.talkNeeded else {
      return end()
    }
    let least = isRepeated ? Self.minGapOfRepeatedMs : max(Self.minGapMs, Self.minGaps * lengthMs)
    guard let restMs, restMs >= least else {
      steady &+= 1
      together += 1
      if gaps > 0 { add(packet, lengthMs) }
      if together > Self.maxTogether { end() }
      return
    }
    let passedMs = Double(packet.timeNs &- lastNs) / 1e6
    guard restMs <= Self.maxGapMs, passedMs >= restMs / 2 else { return end() }
    if gaps > 0 {
      gaps += 1
    } else {
      gaps = 1
      run = Span(fromNs: lastNs, toNs: packet.timeNs, packets: 0, heardMs: 0)
    }
    together = 1
    lastBurstNs = packet.timeNs
    add(packet, lengthMs)
    if gaps >= Self.gapsNeeded, run.toNs &- run.fromNs >= Self.neededNs { isOn = true }
  }

  private mutating func add(_ packet: RTPPacket, _ lengthMs: Double) {
    run.packets += 1
    run.heardMs += lengthMs
    run.toNs = packet.timeNs
  }

  private mutating func end() {
    if isOn, lastBurstNs &- run.fromNs >= Self.toldNs, closed.count < Self.maxSpans {
      run.toNs = lastBurstNs
      closed.append(run)
    }
    (isOn, gaps, together) = (false, 0, 0)
  }
}
