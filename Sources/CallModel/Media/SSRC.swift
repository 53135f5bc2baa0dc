/// What an SSRC (RFC 3550 section 8.1) says of who uses it.
public enum SSRC {
  /// Below, they were counted or configured (some clients use 1001, 2001) rather than drawn from 32 bits, and many streams of
  /// many calls have them: no evidence that two streams are one.
  private static let minRandom: UInt32 = 65_536

  /// Whether it is random, and so evidence by itself.
  public static func isRandom(_ ssrc: UInt32) -> Bool { ssrc >= minRandom }

  /// The same of its decimal text; what is no SSRC is no evidence.
  public static func isRandom(_ text: String) -> Bool { UInt32(text).map(isRandom) ?? false }
}
