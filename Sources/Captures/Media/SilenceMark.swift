/// How a packet says that silence follows: senders that have nothing to say stop sending, each codec in its own way.
enum SilenceMark: Equatable {
  /// Hardly anything in it, beside the tag of SRTP: Opus (RFC 7587 section 3.1.3).
  case small
  /// The same, and not half of what others have or less than any sound takes: AMR (RFC 4867), EVS (six bytes, TS 26.445 annex A),
  /// and whatever nobody describes.
  case smaller
  /// A description of the noise behind whole frames: two bytes in G.729 (RFC 3551 section 4.5.6), four in G.723.
  case rest(bytes: Int, frame: Int)
  /// Packets of their own do (RFC 3389), or nothing.
  case none

  private static let smallBytes = 20
  private static let leastBytes = 8

  /// The mark of a codec, or of what has a clock in Hz and no name.
  init(_ format: PayloadFormat?, clockRate: Int) {
    switch format?.name.uppercased() {
    case _ where clockRate == 48_000: self = .small
    case nil: self = .smaller
    case "AMR", "AMR-WB", "EVS": self = .smaller
    case "G729": self = .rest(bytes: 2, frame: 10)
    case "G723": self = .rest(bytes: 4, frame: 24)
    default: self = .none
    }
  }

  /// Whether a packet with so much payload has it, where `largest` is the most that one had so far.
  @inline(__always)
  func isIn(_ payloadLength: Int, largest: Int) -> Bool {
    switch self {
    case .small: payloadLength <= Self.smallBytes
    case .smaller:
      payloadLength <= Self.leastBytes || payloadLength <= Self.smallBytes && 2 * payloadLength <= largest
    case .rest(let bytes, let frame): payloadLength % frame == bytes
    case .none: false
    }
  }
}
