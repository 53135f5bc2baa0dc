/// A JSON message frame of Oracle's WebSocket protocol, `{control, header, payload}`, as an event.
///
/// Its raw name is put together from what it says of itself: `frame:call/start/request/sent`. Who sent it stands in the frame only
/// in the first letter of the correlation id (c the client's, s the server's); a log that says more wins.
enum OracleFrame {
  static let prefix = "frame:"

  /// The event, or nil where the members are no frame.
  static func event(_ members: LogArguments, timeMs: Double?, line: Int?) -> RawEvent? {
    guard members.json("control")?.first == "{", let type = members.text("control.type") else { return nil }
    var event = RawEvent(timeMs: timeMs, raw: "", arguments: members, sdk: "oracle-wsc", line: line)
    let package = members.text("control.package_type") ?? "session"
    let action = members.text("header.action") ?? "message"
    let isReply = type == "response" || type == "error"
    var way = members.text("direction").map(Self.way)
    if way == nil, let first = members.text("control.correlation_id")?.first {
      // A reply carries the correlation id of what it answers.
      if first == "c" { way = isReply ? "received" : "sent" }
      if first == "s" { way = isReply ? "sent" : "received" }
    }
    event.raw = "\(prefix)\(package)/\(action)/\(type)/\(way ?? "seen")"
    if let code = members.text("header.response_code") { event.arguments.add("code", word: code) }
    return event
  }

  private static func way(_ word: String) -> String {
    switch Dialect.normal(word) {
    case "out", "outgoing", "sent", "send", "tx": "sent"
    case "in", "incoming", "received", "receive", "recv", "rx": "received"
    default: "seen"
    }
  }
}
