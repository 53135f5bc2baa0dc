/// The blocks of a redundant audio packet (RFC 2198): the primary audio, preceded by repeated earlier audio.
///
/// Parsed from the first bytes of every packet of a dynamic type; whether it is redundant audio at all is decided over
/// a run of packets.
public struct RedundantSound: Sendable {
  /// From the lowest bit: payload type of the primary audio, number of redundant blocks (at most three are kept), and
  /// their timestamp offsets, nearest first, in 14 bits of the RTP clock.
  private var bits: UInt64

  /// A packet that cannot be redundant audio.
  static let none = RedundantSound(bits: .max)
  private static let maxBlocks = 9
  private static let maxRemembered: UInt64 = 3

  private init(bits: UInt64) { self.bits = bits }

  /// Parses the block headers; `wireLength` is that of the payload.
  @inline(__always)
  init(_ payload: Octets, wireLength: Int) {
    let first = payload.byte(0)
    // Without redundancy, after a pause: one byte before the audio.
    self = first & 0x80 == 0 ? RedundantSound(bits: UInt64(first)) : Self.blocks(payload, wireLength)
  }

  private static func blocks(_ payload: Octets, _ wireLength: Int) -> RedundantSound {
    let type = payload.byte(0) & 0x7F
    var (at, length, count) = (0, 0, 0)
    var offsets: UInt64 = 0
    while payload.byte(at) & 0x80 != 0 {
      let offset = UInt64(payload.word(at) >> 10 & 0x3FFF)
      guard payload.byte(at) & 0x7F == type, offset > 0, count < maxBlocks else { return none }
      length += Int(payload.short(at + 2) & 0x3FF)
      offsets = offsets << 14 | offset
      count += 1
      at += 4
    }
    guard at < payload.count, payload.byte(at) == type, at + 1 + length <= wireLength else { return none }
    let remembered = min(UInt64(count), maxRemembered)
    return RedundantSound(
      bits: UInt64(type) | remembered << 7 | (offsets & (1 << (14 * maxRemembered) - 1)) << 9)
  }

  /// Whether it can be redundant audio.
  public var isLikely: Bool { bits != .max }
  /// Payload type of the primary audio.
  public var type: UInt8 { UInt8(bits & 0x7F) }
  /// Number of redundant blocks kept, and their offsets in the RTP clock, nearest first.
  public var count: Int { isLikely ? Int(bits >> 7 & 3) : 0 }
  public func offset(_ i: Int) -> Int64 { Int64(bits >> UInt64(9 + 14 * i) & 0x3FFF) }
}

/// Whether a stream consists of unencrypted redundant blocks: decided once from a run of packets, as encrypted and
/// other payloads occasionally look like blocks.
public struct RedundancyDetector {
  private enum State { case open, on, off }
  private var state = State.open
  private var type: UInt8 = 0
  private var run = 0
  private var misses = 0

  private static let needed = 4
  private static let patience = 12

  public init() {}

  /// Whether it is, or may be.
  @inline(__always)
  public var isPossible: Bool { state != .off }
  public var isOn: Bool { state == .on }

  /// Adds the blocks of a packet; returns whether to treat it as redundant audio.
  public mutating func take(_ sound: RedundantSound) -> Bool {
    if state == .on { return sound.isLikely }
    guard sound.isLikely, run == 0 || sound.type == type else {
      (run, misses) = (0, misses + 1)
      if misses >= Self.patience { state = .off }
      return false
    }
    guard sound.count > 0 else { return false }
    type = sound.type
    run += 1
    if run >= Self.needed { state = .on }
    return state == .on
  }
}
