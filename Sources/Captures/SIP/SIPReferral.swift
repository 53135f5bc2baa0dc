/// A transfer that one end of a call asked the other for (RFC 3515, RFC 5589): it has come about once that reports that the
/// new call stands, or a party of this one hangs up upon it.
struct SIPReferral {
  /// The end that asked.
  let end: Int
  /// `user@host` that is to be called.
  let target: String
  /// Whether the new call takes the place of one that the asking end has already (RFC 3891): an attended transfer.
  let replaces: Bool
  private var isAccepted = false
  private(set) var isDone = false

  /// The transfer that a REFER asks for; nil where it names nobody.
  init?(_ message: SIPMessage, by end: Int) {
    guard !message.referTo.isEmpty else { return nil }
    self.end = end
    target = message.referTo
    replaces = message.refersToReplacing
  }

  /// Takes the final answer to the REFER.
  mutating func answered(_ status: Int) { isAccepted = status < 300 }

  /// Takes what is reported of the new call; whether that makes it a transfer.
  mutating func reported(_ status: Int) -> Bool {
    if status >= 300 { isAccepted = false }
    guard (200..<300).contains(status), !isDone else { return false }
    isDone = true
    return true
  }

  /// Takes the end of the call that was transferred; whether that makes it a transfer.
  mutating func hungUp() -> Bool {
    guard isAccepted, !isDone else { return false }
    isDone = true
    return true
  }
}
