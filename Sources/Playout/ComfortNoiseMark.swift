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
