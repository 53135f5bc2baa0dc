/// Whether an SSRC (RFC 3550 section 8.1) identifies a stream.
public enum SSRC {
  /// SSRCs below this were counted or configured (some clients use 1001, 2001) rather than drawn from 32
  /// bits. Many streams of many calls have them, so they do not show that two streams are the same.
  private static let minRandom: UInt32 = 65_536

  /// Whether it is random, and so identifies a stream.
  public static func isRandom(_ ssrc: UInt32) -> Bool { ssrc >= minRandom }

  /// The same for decimal text; false for text that is not an SSRC.
  public static func isRandom(_ text: String) -> Bool { UInt32(text).map(isRandom) ?? false }
}
