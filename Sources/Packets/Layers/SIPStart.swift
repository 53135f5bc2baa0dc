/// Recognises SIP messages by their start (RFC 3261 section 7).
public enum SIPStart {
  private static let methods: [StaticString] = [
    "INVITE ", "ACK ", "BYE ", "CANCEL ", "OPTIONS ", "REGISTER ", "PRACK ", "UPDATE ", "INFO ", "MESSAGE ",
    "SUBSCRIBE ", "NOTIFY ", "REFER ", "PUBLISH ",
  ]

  /// Whether bytes begin like a SIP request or response.
  public static func isLikely(_ b: Octets) -> Bool {
    b.begins("SIP/2.0 ") || methods.contains { b.begins($0) }
  }
}
