import Packets

/// How a packet says that silence follows: senders that have nothing to say stop sending, each codec in its own way.
public enum ComfortNoiseMark: Equatable {
  /// What a packet says of silence by its size.
  enum SilenceHint: Equatable {
    case none
    /// Sound may be as short: what follows tells.
    case likely
    case certain
  }

  /// Hardly anything in it, beside the tag of SRTP: Opus (RFC 7587 section 3.1.3).
  case small
  /// The same behind what was sent before once more (RED, RFC 2198), which is seldom much at the end of sound.
  case smallInBlocks
  /// The same, and not half of what others have or less than any sound takes: AMR (RFC 4867), EVS (six bytes, TS 26.445 annex A),
  /// and whatever nobody describes.
  case smaller
  /// A description of the noise in place of the last frame: two bytes in G.729 (RFC 3551 section 4.5.6), four in G.723, whose
  /// frames have two sizes.
  case rest(bytes: Int, frame: Int, other: Int)
  /// Packets of their own do (RFC 3389), or nothing.
  case none

  private static let smallBytes = 20
  /// Two heads of blocks take five bytes, an earlier frame of hardly anything this much.
  private static let smallBytesInBlocks = smallBytes + 5 + 30
  /// The type that browsers give redundant audio.
  public static let browsersRED: UInt8 = 63
  private static let minBytes = 8
  /// Opus without any sound in it has so much at most.
  private static let emptyBytes = 2

  /// The mark of a codec, or of what has a clock in Hz, a payload type, and no name.
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

  /// What a packet with so much payload says, where `largest` is the most that one had so far.
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
      // By how much it is shorter than whole frames are, so that what SRTP adds to both does not matter.
      payloadLength == bytes || (largest - payloadLength) % frame == frame - bytes
        || (largest - payloadLength) % other == other - bytes ? .certain : .none
    case .none: .none
    }
  }

  /// Whether a packet is so small that it may be no sound, whatever the codec.
  public static func isSmall(_ payloadLength: Int) -> Bool { payloadLength <= smallBytes }
}

/// Which packets of a sender say that silence follows.
struct PauseDetector {
  private let mark: ComfortNoiseMark
  private var largest = 0
  /// Small packets one right after the other, and whether such a run was followed by silence.
  private var run = 0
  private var restsAfterRuns = false

  /// What goes on for so many packets is sound of a low bit rate.
  private static let longestRun = 25

  init(_ format: PayloadFormat?, clockRate: Int, type: UInt8? = nil) {
    mark = ComfortNoiseMark(format, clockRate: clockRate, type: type)
  }

  /// Whether its sender says something time and again however long it is silent: Opus every 400 ms.
  var isRepeated: Bool { mark == .small || mark == .smallInBlocks }

  /// Takes a packet, and whether time went on before it that no missing number accounts for; answers what it says.
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
