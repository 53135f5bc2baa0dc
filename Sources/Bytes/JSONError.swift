/// A place at which bytes are not JSON by RFC 8259.
public struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
  /// 0-based offset of the byte that cannot stand there; the length of the input where more had to come.
  public var byte: Int
  /// What was wrong or expected, in a few words.
  public var reason: String

  /// An error at a byte.
  public init(byte: Int, reason: String) {
    self.byte = byte
    self.reason = reason
  }

  /// What to say where a byte begins no value. Python writes figures that are none without being asked.
  static func noValue(_ byte: UInt8) -> String {
    byte == UInt8(ascii: "N") || byte == UInt8(ascii: "I")
      ? "a value expected; JSON has no NaN and no Infinity, what is unknown is null" : "a value expected"
  }

  public var description: String { "not JSON at byte \(byte): \(reason)" }
}
