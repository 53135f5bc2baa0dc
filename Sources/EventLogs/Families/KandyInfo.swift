import LogText

/// The object that Kandy's SDK passes to `callAdditionalInfoChanged`: `{"action","type","callId","time":
/// epoch ms as a string}`.
enum KandyInfo {
  /// Returns the event, or nil if the members are not such an object.
  static func event(_ members: LogArguments, timeMs: Double?, line: Int?) -> RawEvent? {
    guard members.text("action") != nil, let type = members.text("type"), let time = members.text("time")
    else {
      return nil
    }
    // In some logs a bullet precedes the type.
    let raw = type.hasPrefix("o ") ? String(type.dropFirst(2)) : type
    var event = RawEvent(
      timeMs: LogTime.stamp(time)?.date?.zoned ?? timeMs, raw: raw, arguments: members, sdk: "kandy-link",
      line: line)
    event.call = members.text("callId")
    // This is not the session id that the states of the same call carry.
    event.idKind = "info id"
    return event
  }
}
