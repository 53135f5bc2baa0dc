import CallModel
import Packets

/// How packets announce silence: senders with discontinuous transmission stop sending, each codec in its own way.
public enum ComfortNoiseMark: Equatable {
  /// What the size of a packet says about silence.
  enum SilenceHint: Equatable {
    case none
    /// Audio packets may be as short: the next packet decides.
    case likely
    case certain
  }

  /// Hardly any payload besides the SRTP tag: Opus (RFC 7587 section 3.1.3).
  case small
  /// The same after a redundant block (RED, RFC 2198), which is usually small at the end of speech.
  case smallInBlocks
  /// The same, and either less than half of other packets or less than any audio needs: AMR (RFC 4867), EVS (six bytes,
  /// TS 26.445 annex A), and undescribed codecs.
  case smaller
  /// A silence descriptor as the last frame: two bytes in G.729 (RFC 3551 section 4.5.6), four in G.723, whose frames
  /// have two sizes.
  case rest(bytes: Int, frame: Int, other: Int)
  /// Separate comfort noise packets (RFC 3389), or none.
  case none

  private static let smallBytes = 20
  /// Two block headers take five bytes, an earlier almost empty frame this many.
  private static let smallBytesInBlocks = smallBytes + 5 + 30
  /// The payload type that browsers use for redundant audio.
  public static let browsersRED: UInt8 = 63
  private static let minBytes = 8
  /// The largest Opus payload without any audio.
  private static let emptyBytes = 2

  /// The mark of a codec or, if unnamed, of a clock rate in Hz and a payload type.
  init(_ format: PayloadFormat?, clockRate: Int, type: UInt8? = nil) {
    switch format?.name.uppercased() {
    case "RED" where clockRate == 48_000: self = .smallInBlocks
    case nil where clockRate == 48_000 && type == Self.browsersRED: self = .smallInBlocks
    case _ where clockRate == 48_000: self = .small
    case nil: self = .smaller
    case "AMR", "AMR-WB", "EVS": self = .smaller
    case "G729": self = .rest(bytes: 2, frame: 10, other: 10)
    case "G723": self = .rest(bytes: 4, frame: 24, other: 20)
    default: self = .none
    }
  }

  /// The hint of a packet with this payload size, where `largest` is the largest so far.
  @inline(__always)
  func sign(_ payloadLength: Int, largest: Int) -> SilenceHint {
    switch self {
    case .small:
      payloadLength > Self.smallBytes ? .none : payloadLength <= Self.emptyBytes ? .certain : .likely
    case .smallInBlocks: payloadLength > Self.smallBytesInBlocks ? .none : .likely
    case .smaller:
      if payloadLength <= Self.minBytes {
        .certain
      } else {
        payloadLength <= Self.smallBytes && 2 * payloadLength <= largest ? .likely : .none
      }
    case .rest(let bytes, let frame, let other):
      // By how much it is shorter than full frames, so that SRTP's overhead cancels out.
      payloadLength == bytes || (largest - payloadLength) % frame == frame - bytes
        || (largest - payloadLength) % other == other - bytes ? .certain : .none
    case .none: .none
    }
  }

  /// Whether a packet is so small that it may not be audio, with any codec.
  public static func isSmall(_ payloadLength: Int) -> Bool { payloadLength <= smallBytes }
}

/// Detects the packets with which a sender announces silence.
struct PauseDetector {
  private let mark: ComfortNoiseMark
  private var largest = 0
  /// Consecutive small packets, and whether such a run was followed by silence.
  private var run = 0
  private var restsAfterRuns = false

  /// A run of this many packets is low bit rate audio.
  private static let longestRun = 25

  init(_ format: PayloadFormat?, clockRate: Int, type: UInt8? = nil) {
    mark = ComfortNoiseMark(format, clockRate: clockRate, type: type)
  }

  /// Whether its sender keeps sending during silence: Opus every 400 ms.
  var isRepeated: Bool { mark == .small || mark == .smallInBlocks }

  /// Adds a packet, and whether time advanced before it without missing numbers; returns its hint.
  @inline(__always)
  mutating func take(_ payloadLength: Int, isNoise: Bool, rested: Bool) -> ComfortNoiseMark.SilenceHint {
    if payloadLength > largest { largest = payloadLength }
    let sign = isNoise ? .certain : mark.sign(payloadLength, largest: largest)
    if rested {
      if run > Self.longestRun { restsAfterRuns = true }
      run = 0
    }
    guard sign == .likely else {
      run = 0
      return sign
    }
    run += 1
    return run <= Self.longestRun || restsAfterRuns ? .likely : .none
  }
}

/// Pauses in which a sender simply stops sending: it continues with the next sequence number.
struct SenderPauses {
  /// Whether there was one.
  private(set) var seen = false
  /// Number of pauses of at least a second, and the longest pause, samples.
  private var long = 0
  private var longest: Int64 = 0
  /// Samples concealed during pauses, which is not the network's fault.
  private(set) var concealed: Int64 = 0
  /// Total concealed samples when the buffer became empty, or up to which they are explained.
  private var concealedBefore: Int64 = 0

  /// Records that the buffer is empty, which may turn out to be a pause.
  mutating func mayBegin(concealed: Int64) { concealedBefore = concealed }

  /// Records the end of a pause in which `samples` were filled, at a sampling `rate`.
  ///
  /// - Parameters:
  /// - silentFor: its duration by the sender's clock, samples.
  /// - total: total concealed samples so far.
  mutating func end(_ samples: Int64, _ silentFor: Int64, concealed total: Int64, rate: Double) {
    concealed += max(0, min(total - concealedBefore, silentFor))
    concealedBefore = total
    guard samples > Int64(rate * Self.shortest) else { return }
    seen = true
    if samples >= Int64(rate) { long += 1 }
    longest = max(longest, samples)
  }

  /// Shorter ones are the interval between packets, s.
  private static let shortest = 0.04

  /// The same at a multiple of the clock rate, for a playout that has not concealed anything yet.
  func scaled(by scale: Double) -> SenderPauses {
    var other = self
    other.longest = Int64(Double(longest) * scale)
    (other.concealed, other.concealedBefore) = (0, 0)
    return other
  }

  /// The longest one, samples; nil unless the sender pauses repeatedly.
  var usualLongest: Int64? { long >= 2 ? longest : nil }
}

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

  /// Minimum gap, ms.
  private static let minGapMs = 60.0
  /// Number of gaps and duration from which it is accepted.
  private static let gapsNeeded = 4
  private static let neededNs: Int64 = 2_500_000_000
  /// Packets at the usual interval that a sender must have sent if their size does not show their duration.
  private static let talkNeeded = 25
  private static let maxSpans = 16

  /// When the sender stood still, by its own clock: no packet was sent, and the next one has the next timestamp.
  public private(set) var still: [Span] = []

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
    isOn ? closed + [run].filter { $0.toNs &- $0.fromNs >= Threshold.sparseFor.ns } : closed
  }

  /// Notes whether the sender stood still before a packet with the next number: far more time passed than by its
  /// timestamp. A codec that pauses goes on counting time.
  @inline(__always)
  mutating func noteStill(before packet: RTPPacket, jumpMs: Double) {
    let passedNs = packet.timeNs &- lastNs
    guard passedNs >= Threshold.sparseFor.ns, lastNs != 0 else { return }
    noteStill(passedNs - Int64(jumpMs * 1e6))
  }

  private mutating func noteStill(_ lengthNs: Int64) {
    guard lengthNs >= Threshold.sparseFor.ns, still.count < Self.maxSpans else { return }
    still.append(Span(fromNs: lastNs, toNs: lastNs &+ lengthNs, packets: 0, audioMs: 0))
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
    let least =
      isRepeated ? Threshold.sparseGapOfOpus.value : max(Self.minGapMs, Threshold.sparseGap.value * lengthMs)
    guard let restMs, restMs >= least else {
      steady &+= 1
      together += 1
      if gaps > 0 { add(packet, lengthMs) }
      if together > Threshold.sparseTogether.count { end() }
      return
    }
    let passedMs = Double(packet.timeNs &- lastNs) / 1e6
    guard restMs <= Threshold.keepAlive.value, passedMs >= restMs / 2 else { return end() }
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
    if isOn, lastBurstNs &- run.fromNs >= Threshold.sparseFor.ns, closed.count < Self.maxSpans {
      run.toNs = lastBurstNs
      closed.append(run)
    }
    (isOn, gaps, together) = (false, 0, 0)
  }
}
