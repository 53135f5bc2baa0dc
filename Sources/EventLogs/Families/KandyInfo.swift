import LogText

/// An object that Kandy's SDK hands to `callAdditionalInfoChanged`: `{"action","type","callId","time": epoch ms as a text}`.
enum KandyInfo {
  /// The event, or nil where the members are no such object.
  static func event(_ members: LogArguments, timeMs: Double?, line: Int?) -> RawEvent? {
    guard members.text("action") != nil, let type = members.text("type"), let time = members.text("time")
    else {
      return nil
    }
    // Some prints carry the bullet of a list in front of the type.
    let raw = type.hasPrefix("o ") ? String(type.dropFirst(2)) : type
    var event = RawEvent(
      timeMs: LogTime.stamp(time)?.date?.zoned ?? timeMs, raw: raw, arguments: members, sdk: "kandy-link",
      line: line)
    event.call = members.text("callId")
    // Not the session id that the states of the same call have.
    event.idKind = "info id"
    return event
  }
}
