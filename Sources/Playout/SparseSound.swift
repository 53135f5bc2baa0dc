import Packets

/// A sender reduced to occasional packets: full audio packets with consecutive numbers, so far apart by both clocks
/// that a listener hears clicks. Silence suppressed by a codec is marked, and audio between two pauses (push to talk,
/// pauses in speech) is longer.
public struct SparseSound {
  /// A time span of it.
  public struct Span {
    public var fromNs: Int64
    public var toNs: Int64
    public var packets: Int
    public var audioMs: Double
  }

  /// The most packets between two gaps.
  private static let maxTogether = 3
  /// Minimum gap, in addition to the packets, and for codecs that keep sending during silence (Opus: every 400 ms), ms.
  private static let minGapMs = 60.0
  private static let minGaps = 3.0
  private static let minGapOfRepeatedMs = 430.0
  /// Packets farther apart are keep-alives, ms.
  private static let maxGapMs = 10_000.0
  /// Number of gaps and duration from which it is accepted, and duration from which it is reported.
  private static let gapsNeeded = 4
  private static let neededNs: Int64 = 2_500_000_000
  private static let reportedNs: Int64 = 5_000_000_000
  /// Packets at the usual interval that a sender must have sent if their size does not show their duration.
  private static let talkNeeded = 25
  private static let maxSpans = 16

  /// Whether it is ongoing.
  private(set) var isOn = false
  private var closed: [Span] = []
  private var run = Span(fromNs: 0, toNs: 0, packets: 0, audioMs: 0)
  private var gaps = 0
  private var together = 0
  private var steady = 0
  private var (lastNs, lastBurstNs): (Int64, Int64) = (0, 0)
  private var largest = 0

  /// The spans so far.
  public var spans: [Span] {
    isOn ? closed + [run].filter { $0.toNs &- $0.fromNs >= Self.reportedNs } : closed
  }

  /// Adds the next packet of a stream.
  ///
  /// - Parameters:
  /// - restMs: how long nothing was sent before it, by the sender's clock and numbers; nil if it follows directly.
  /// - lengthMs: the duration of a packet, and whether its size shows it.
  /// - isSound: whether nothing announces silence.
  /// - isRepeated: whether its codec keeps sending occasionally during silence.
  @inline(__always)
  mutating func take(
    _ packet: RTPPacket, restMs: Double?, lengthMs: Double, isFromSize: Bool, isSound: Bool, isRepeated: Bool
  ) {
    if restMs == nil, gaps == 0, isSound {
      steady &+= 1
      lastNs = packet.timeNs
      if packet.payloadLength > largest { largest = packet.payloadLength }
      return
    }
    consider(packet, restMs, lengthMs, isFromSize, isSound, isRepeated)
  }

  private mutating func consider(
    _ packet: RTPPacket, _ restMs: Double?, _ lengthMs: Double, _ isFromSize: Bool, _ isSound: Bool,
    _ isRepeated: Bool
  ) {
    defer { lastNs = packet.timeNs }
    largest = max(largest, packet.payloadLength)
    guard isSound, 2 * packet.payloadLength >= largest, isFromSize || steady >= Self.talkNeeded else {
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
      run = Span(fromNs: lastNs, toNs: packet.timeNs, packets: 0, audioMs: 0)
    }
    together = 1
    lastBurstNs = packet.timeNs
    add(packet, lengthMs)
    if gaps >= Self.gapsNeeded, run.toNs &- run.fromNs >= Self.neededNs { isOn = true }
  }

  private mutating func add(_ packet: RTPPacket, _ lengthMs: Double) {
    run.packets += 1
    run.audioMs += lengthMs
    run.toNs = packet.timeNs
  }

  private mutating func end() {
    if isOn, lastBurstNs &- run.fromNs >= Self.reportedNs, closed.count < Self.maxSpans {
      run.toNs = lastBurstNs
      closed.append(run)
    }
    (isOn, gaps, together) = (false, 0, 0)
  }
}
