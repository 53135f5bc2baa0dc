import Bytes

/// Names of events, arguments and members in logs.
public enum LogName {
  /// The normalised name, without case and punctuation: `call:didChangeStatus:`, `MEDIA_PENDING` and `MediaPending`
  /// alike.
  public static func normal(_ name: some StringProtocol) -> String {
    String(unsafeUninitializedCapacity: name.utf8.count) { bytes in
      var count = 0
      for byte in name.utf8 where isNormal(byte) {
        bytes[count] = byte.asciiLowercased
        count += 1
      }
      return count
    }
  }

  /// Whether a byte is kept in a normalised name, possibly in another case.
  public static func isNormal(_ byte: UInt8) -> Bool {
    byte.isASCIILetter || byte.isASCIIDigit || byte >= 0x80
  }
}
