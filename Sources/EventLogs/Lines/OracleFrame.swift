import Bytes
import LogText

/// A JSON message frame of Oracle's WebSocket protocol, `{control, header, payload}`, as an event.
///
/// The raw name is composed from its fields: `frame:call/start/request/sent`. Within the frame, only the
/// first letter of the correlation id shows the sender (c for client, s for server); a log that says more
/// takes precedence.
enum OracleFrame {
  static let prefix = "frame:"

  /// Returns the event, or nil if the members are not a frame.
  /// - Parameter words: The text before the frame, which may say who sent it: `WS >> {…}`, `received: {…}`.
  static func event(
    _ members: LogArguments, timeMs: Double?, line: Int?, behind words: ArraySlice<UInt8> = []
  ) -> RawEvent? {
    guard members.json("control")?.first == "{", let type = members.text("control.type") else { return nil }
    var event = RawEvent(timeMs: timeMs, raw: "", arguments: members, sdk: "oracle-wsc", line: line)
    let package = members.text("control.package_type") ?? "session"
    let action = members.text("header.action") ?? "message"
    let isReply = type == "response" || type == "error"
    var way = members.text("direction").map(Self.way) ?? said(by: words)
    if way == nil, let first = members.text("control.correlation_id")?.first {
      // A reply carries the correlation id of its request.
      if first == "c" { way = isReply ? "received" : "sent" }
      if first == "s" { way = isReply ? "sent" : "received" }
    }
    event.raw = "\(prefix)\(package)/\(action)/\(type)/\(way ?? "seen")"
    if let code = members.text("header.response_code") { event.arguments.add("code", word: code) }
    return event
  }

  /// Whether an object looks like such a frame. This is a quick check.
  static func isFrame(_ json: UnsafeBufferPointer<UInt8>) -> Bool {
    json.first == UInt8(ascii: "{") && ByteSearch.find("\"control\"", in: json) != nil
  }

  /// Adds to a frame the direction given next to it in its line. Anything that is not a frame is returned
  /// unchanged.
  static func adding(_ way: String, to line: [UInt8]) -> [UInt8] {
    guard line.withUnsafeBufferPointer({ isFrame($0) && ByteSearch.find("\"direction\"", in: $0) == nil })
    else {
      return line
    }
    let isEmpty = line.dropFirst().first { $0 > UInt8(ascii: " ") } == UInt8(ascii: "}")
    return Array("{\"direction\":\"\(Self.way(way))\"\(isEmpty ? "" : ",")".utf8) + line.dropFirst()
  }

  private static let nearest = 80
  private static let maxWords = 4

  // Uses an arrow directly in front of the frame, else the nearest word that gives a direction.
  private static func said(by line: ArraySlice<UInt8>) -> String? {
    var text = Substring(decoding: line.suffix(nearest), as: UTF8.self)
    while let last = text.last, last == " " || last == ":" || last == "\"" || last == "'" {
      text.removeLast()
    }
    if [">>", "->", "=>", "→", "↑", "⬆"].contains(where: text.hasSuffix) { return "sent" }
    if ["<<", "<-", "<--", "<=", "←", "↓", "⬇"].contains(where: text.hasSuffix) { return "received" }
    for (index, word) in text.split(whereSeparator: { !$0.isLetter }).suffix(maxWords).reversed()
      .enumerated()
    {
      let way = way(String(word))
      // A short preposition counts only if it is directly in front of the frame.
      if way != "seen", index == 0 || word.count > 3 { return way }
    }
    return nil
  }

  /// Whether a word gives a direction.
  static func isDirection(_ word: String) -> Bool { way(word) != "seen" }

  private static func way(_ word: String) -> String {
    switch LogName.normal(word) {
    case "out", "outgoing", "outbound", "sent", "send", "sending", "tx", "sendmessage", "sendframe": "sent"
    case "in", "incoming", "inbound", "received", "receive", "receiving", "recv", "rx", "got", "onmessage",
      "messagereceived", "receivedmessage", "receivedframe":
      "received"
    default: "seen"
    }
  }
}
