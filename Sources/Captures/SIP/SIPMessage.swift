/// The parts of a SIP message (RFC 3261) that tell how a call went.
struct SIPMessage {
  /// Method of a request, or of the request that a response answers.
  var method: String
  /// Status of a response, nil for a request.
  var status: Int?
  var phrase = ""
  var callID = ""
  var sequence = ""
  var from = ""
  var to = ""
  /// Tags of the two, which name a dialogue together with the Call-ID; empty before the callee answered.
  var fromTag = ""
  var toTag = ""
  /// Branch of the topmost Via, which names the transaction on this hop.
  var branch = ""
  var reason: String?
  /// What Asterisk says in headers of its own.
  private var asterisk: (cause: Int?, text: String) = (nil, "")
  /// Whom a REFER wants called (`user@host`), and whether in the place of another call.
  var referTo = ""
  var refersToReplacing = false
  /// Call-ID of the call that an INVITE takes the place of (RFC 3891).
  var replaces: String?
  /// What it says of the call beside its Call-ID.
  private(set) var correlation = SIPCorrelation()
  var agent: String?
  var contentType = ""
  var contentLength: Int?
  /// Status of the message that a NOTIFY reports.
  var fragment: Int?
  /// Offset of the body.
  var bodyAt = 0

  /// Whether it is a request of a call that stands (RFC 3261 section 12.2), so that only the beginning was not captured.
  var isWithinCall: Bool {
    status == nil && (method == "BYE" || !toTag.isEmpty && (method == "INVITE" || method == "UPDATE"))
  }

  /// Longest head read, bytes.
  private static let longestHead = 16_384
  private static let methods: [StaticString] = [
    "INVITE ", "ACK ", "BYE ", "CANCEL ", "OPTIONS ", "REGISTER ", "PRACK ", "UPDATE ", "INFO ", "MESSAGE ",
    "SUBSCRIBE ", "NOTIFY ", "REFER ", "PUBLISH ",
  ]

  /// Whether bytes begin like a SIP request or response.
  static func isLikely(_ b: Octets) -> Bool {
    b.begins("SIP/2.0 ") || methods.contains { b.begins($0) }
  }

  /// Reads the head; nil where it is not whole or not SIP.
  init?(_ b: Octets) {
    guard Self.isLikely(b) else { return nil }
    var lines: [Substring] = []
    let limit = min(b.count, Self.longestHead)
    var end = 0
    while end + 1 < limit && !(b.byte(end) == 10 && (b.byte(end + 1) == 10 || b.byte(end + 1) == 13)) {
      end += 1
    }
    guard end + 1 < limit || b.byte(limit - 1) == 10 else { return nil }
    bodyAt = min(b.count, end + (b.byte(end + 1) == 13 ? 3 : 2))
    // Folded lines (RFC 3261 7.3.1) continue the header before.
    for line in b.first(end + 1).text().split(whereSeparator: \.isNewline) {
      if let first = line.first, first == " " || first == "\t", let last = lines.popLast() {
        lines.append(Substring(last + " " + line.drop { $0 == " " || $0 == "\t" }))
      } else {
        lines.append(line)
      }
    }
    guard let start = lines.first else { return nil }
    let words = start.split(separator: " ", maxSplits: 2)
    guard words.count >= 2 else { return nil }
    if words[0] == "SIP/2.0" {
      guard let code = Int(words[1]), (100...699).contains(code) else { return nil }
      status = code
      phrase = words.count > 2 ? String(words[2]) : ""
      method = ""
    } else {
      guard words.count == 3, words[2].hasPrefix("SIP/2.0") else { return nil }
      method = String(words[0])
    }
    for line in lines.dropFirst() { take(line) }
    guard !callID.isEmpty else { return nil }
    if reason == nil, let cause = asterisk.cause {
      reason = "Q.850;cause=\(cause);text=\"\(asterisk.text.filter { $0 != "\"" })\""
    }
  }

  private mutating func take(_ line: Substring) {
    guard let colon = line.firstIndex(of: ":") else { return }
    let name = line[..<colon].filter { $0 != " " && $0 != "\t" }.lowercased()
    let value = String(line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" })
    switch name {
    case "call-id", "i": callID = value
    case "cseq":
      sequence = value
      if let verb = value.split(separator: " ").last, status != nil { method = String(verb) }
    case "from", "f":
      from = Self.address(value)
      fromTag = Self.parameter("tag", of: Substring(value))
    case "to", "t":
      to = Self.address(value)
      toTag = Self.parameter("tag", of: Substring(value))
    case "via", "v":
      if branch.isEmpty { branch = Self.parameter("branch", of: value.prefix { $0 != "," }) }
    case "reason": reason = reason.map { "\($0), \(value)" } ?? value
    case "x-asterisk-hangupcause": asterisk.text = value
    case "x-asterisk-hangupcausecode": asterisk.cause = Int(value)
    case "refer-to", "r":
      referTo = Self.address(value)
      refersToReplacing = value.lowercased().contains("replaces=")
    case "replaces": replaces = String(value.prefix { $0 != ";" })
    case "user-agent", "server": agent = value
    case "content-type", "c": contentType = value.lowercased()
    case "content-length", "l": contentLength = Int(value)
    default: correlation.take(name, value)
    }
  }

  /// `user@host` of a name-addr or addr-spec; a password, parameters and headers left out.
  private static func address(_ value: String) -> String {
    var uri = Substring(value)
    if let open = value.firstIndex(of: "<"), let close = value[open...].firstIndex(of: ">") {
      uri = value[value.index(after: open)..<close]
    }
    if let colon = uri.firstIndex(of: ":") { uri = uri[uri.index(after: colon)...] }
    let whole = uri.prefix { $0 != ";" && $0 != "?" && $0 != ">" }
    guard let at = whole.lastIndex(of: "@"), let colon = whole[..<at].firstIndex(of: ":") else {
      return String(whole)
    }
    return String(whole[..<colon] + whole[at...])
  }

  /// A parameter of a header, those within the brackets of an address left out; empty where it is not there.
  private static func parameter(_ name: String, of value: Substring) -> String {
    let start = value.lastIndex(of: ">") ?? value.startIndex
    for part in value[start...].split(separator: ";").dropFirst() {
      let pair = part.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " && $0 != "\t" } }
      if pair.count == 2, pair[0].lowercased() == name { return pair[1] }
    }
    return ""
  }
}
