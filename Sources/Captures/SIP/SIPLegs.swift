/// Calls that a back-to-back user agent carries on under a Call-ID of its own while it leaves media to the ends: the
/// description it passes on names the caller's own address. Its legs are one call.
///
/// Who anchors media, as border controllers do, names addresses of his own: such legs stay calls apart.
struct SIPLegs {
  /// The Call-ID under which a call began, by that of a later leg.
  private var first: [String: String] = [:]
  private static let most = 20_000

  /// The Call-ID under which the call of a message began.
  func call(of message: SIPMessage) -> String { first[message.callID] ?? message.callID }

  /// Notes that an INVITE begins another leg of a call that it carries on.
  mutating func join(_ message: SIPMessage, to call: String) -> Bool {
    guard first.count < Self.most else { return false }
    first[message.callID] = call
    return true
  }
}
