import Glibc

/// Finds the audio level (RFC 6464) among one-byte header extensions, whose identifiers are only in SDP.
///
/// A level changes from packet to packet; a media id (RFC 8843) does not.
public struct AudioLevelGuess {
  private var identifier: UInt8 = 0
  private var previous: UInt32 = 0
  private var changes = InlineArray<16, UInt16>(repeating: 0)
  private static let sure: UInt16 = 3
  /// getStats uses the peak sample of each 10 ms as its level, the extension the root mean square: this ratio of
  /// powers, as for speech.
  private static let crest = 13.0

  public init() {}

  /// Power of a level in −dBov (RFC 6464), 1 = full scale.
  static func power(_ level: UInt8) -> Double { min(1, crest * pow(10, -Double(level) / 10)) }

  /// The level of a packet in −dBov; nil while the extension is unknown.
  @inline(__always)
  public mutating func level(_ elements: UInt32) -> UInt8? {
    guard elements != 0 else { return nil }
    if identifier == 0 { learn(elements) }
    if identifier == 0 { return nil }
    if UInt8(truncatingIfNeeded: elements >> 8) == identifier {
      return UInt8(truncatingIfNeeded: elements) & 0x7F
    }
    if UInt8(truncatingIfNeeded: elements >> 24) == identifier {
      return UInt8(truncatingIfNeeded: elements >> 16) & 0x7F
    }
    return nil
  }

  private mutating func learn(_ elements: UInt32) {
    for half in [elements & 0xFFFF, elements >> 16] where half != 0 {
      let id = Int(half >> 8) & 15
      let before = [previous & 0xFFFF, previous >> 16].first { $0 != 0 && Int($0 >> 8) & 15 == id }
      if let before, before != half { changes[id] += 1 }
      if changes[id] >= Self.sure { identifier = UInt8(id) }
    }
    previous = elements
  }
}
