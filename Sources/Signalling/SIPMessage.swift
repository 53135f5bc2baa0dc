import CallModel
import Packets

/// The parts of a SIP message (RFC 3261) that tell how a call went.
public struct SIPMessage {
  /// Method of a request, or of the request that a response answers.
  public var method: String
  /// Status of a response, nil for a request.
  public var status: Int?
  public var phrase = ""
  public var callID = ""
  public var sequence = ""
  public var from = ""
  public var to = ""
  /// Tags of the two, which name a dialogue together with the Call-ID; empty before the callee answered.
  public var fromTag = ""
  public var toTag = ""
  /// Branch of the topmost Via, which names the transaction on this hop.
  public var branch = ""
  public var reason: String?
  /// What Asterisk says in headers of its own.
  private var asterisk: (cause: Int?, text: String) = (nil, "")
  /// Whom a REFER wants called (`user@host`), and whether in the place of another call.
  var referTo = ""
  var refersToReplacing = false
  /// Call-ID of the call that an INVITE takes the place of (RFC 3891).
  public var replaces: String?
  /// What it says of the call beside its Call-ID.
  private(set) var correlation = SIPCorrelation()
  public var agent: String?
  public var contentType = ""
  /// What the sender says of the media in a header of its own (`X-RTP-Stat`, `P-RTP-Stat`).
  public private(set) var statistics: QualityReport?
  public var contentLength: Int?
  /// Status of the message that a NOTIFY reports.
  public var fragment: Int?
  /// Offset of the body.
  public var bodyAt = 0
  /// Whether the capture has only its beginning.
  public private(set) var isCut = false

  /// Whether it is a request of a call that stands (RFC 3261 section 12.2), so that only the beginning was not captured.
  public var isWithinCall: Bool {
    status == nil && (method == "BYE" || !toTag.isEmpty && (method == "INVITE" || method == "UPDATE"))
  }

  /// Longest head read, bytes.
  private static let longestHead = 16_384

  /// Reads the head; nil where it is not SIP, or not whole. Of a message that the snaplen cut within its head the whole lines count,
  /// where they tell which call it is of (Call-ID, CSeq, From and To).
  public init?(_ b: Octets, isCut: Bool = false) {
    guard SIPStart.isLikely(b) else { return nil }
    self.isCut = isCut
    var lines: [Substring] = []
    let limit = min(b.count, Self.longestHead)
    var end = 0
    while end + 1 < limit && !(b.byte(end) == 10 && (b.byte(end + 1) == 10 || b.byte(end + 1) == 13)) {
      end += 1
    }
    let isWhole = end + 1 < limit || b.byte(limit - 1) == 10
    if isWhole {
      bodyAt = min(b.count, end + (b.byte(end + 1) == 13 ? 3 : 2))
    } else {
      guard isCut else { return nil }
      while end > 0 && b.byte(end) != 10 { end -= 1 }
      bodyAt = b.count
    }
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
    guard !callID.isEmpty, isWhole || !sequence.isEmpty && !from.isEmpty && !to.isEmpty else { return nil }
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
    case "x-rtp-stat", "p-rtp-stat", "x-rtp-statistics":
      statistics =
        QualityReport(header: name == "p-rtp-stat" ? "P-RTP-Stat" : "X-RTP-Stat", value) ?? statistics
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

/// Names that a request bears for the whole call, over all legs that back-to-back user agents make of it.
struct SIPCorrelation {
  /// Names that every leg of a call has alike, with their kind.
  private(set) var names: [String] = []
  /// Values of extension headers, which may be the Call-ID of the leg before.
  private(set) var values: [String] = []

  private static let most = 16
  private static let longest = 256
  /// A name is no less random than that.
  private static let shortest = 16

  /// Takes a header that says nothing else, its name in lower case.
  mutating func take(_ name: String, _ value: String) {
    guard value.utf8.count <= Self.longest else { return }
    switch name {
    case "session-id": add(name, value.prefix { $0 != ";" })  // RFC 7989
    case "p-charging-vector": add(name, parameter("icid-value", of: value))  // RFC 7315
    case "cisco-guid": add(name, value[...])
    default: if name.hasPrefix("x-"), values.count < Self.most { values.append(value) }
    }
  }

  private mutating func add(_ kind: String, _ value: Substring) {
    let name = value.filter { $0 != " " && $0 != "\"" }.lowercased()
    // The null identifier (RFC 7989 section 5) names nothing.
    guard name.utf8.count >= Self.shortest, names.count < Self.most,
      name.contains(where: { $0 != "0" && $0 != "-" })
    else { return }
    names.append("\(kind) \(name)")
  }

  private func parameter(_ name: String, of value: String) -> Substring {
    for part in value.split(separator: ";") {
      let pair = part.split(separator: "=", maxSplits: 1)
      if pair.count == 2, pair[0].filter({ $0 != " " }).lowercased() == name { return pair[1] }
    }
    return ""
  }
}

/// A transfer that one end of a call asked the other for (RFC 3515, RFC 5589): it has come about once that reports that the
/// new call stands, or a party of this one hangs up upon it.
public struct SIPReferral {
  /// The end that asked.
  public let end: Int
  /// `user@host` that is to be called.
  public let target: String
  /// Whether the new call takes the place of one that the asking end has already (RFC 3891): an attended transfer.
  public let replaces: Bool
  private var isAccepted = false
  public private(set) var isDone = false

  /// The transfer that a REFER asks for; nil where it names nobody.
  public init?(_ message: SIPMessage, by end: Int) {
    guard !message.referTo.isEmpty else { return nil }
    self.end = end
    target = message.referTo
    replaces = message.refersToReplacing
  }

  /// Takes the final answer to the REFER.
  public mutating func answered(_ status: Int) { isAccepted = status < 300 }

  /// Takes what is reported of the new call; whether that makes it a transfer.
  public mutating func reported(_ status: Int) -> Bool {
    if status >= 300 { isAccepted = false }
    guard (200..<300).contains(status), !isDone else { return false }
    isDone = true
    return true
  }

  /// Takes the end of the call that was transferred; whether that makes it a transfer.
  public mutating func hungUp() -> Bool {
    guard isAccepted, !isDone else { return false }
    isDone = true
    return true
  }
}

/// Legs of one call: a back-to-back user agent carries it on under a Call-ID of its own.
///
/// Known by the caller's own address for media, where the agent leaves media to the ends; by names that both legs bear; or by one
/// SSRC that goes in on one leg and out on the other. Where nothing of that shows, legs stay calls apart.
public struct SIPLegs {
  /// The Call-ID under which a call began, by that of a later leg.
  private var first: [String: String] = [:]
  /// The call that bore a name last.
  private var named: [String: String] = [:]
  private static let most = 20_000

  public init() {}

  /// The Call-ID under which the call of a message began.
  public func call(of message: SIPMessage) -> String { first[message.callID] ?? message.callID }

  /// Notes that an INVITE begins another leg of a call that it carries on.
  public mutating func join(_ callID: String, to call: String) -> Bool {
    guard first.count < Self.most else { return false }
    first[callID] = first[call] ?? call
    return true
  }

  /// A proxy that hides who is behind it changes the Call-ID and leaves the caller's tag, which is random.
  private static let shortestTag = 8

  private func tagged(_ message: SIPMessage) -> String? {
    message.fromTag.utf8.count >= Self.shortestTag ? "tag \(message.fromTag) \(message.sequence)" : nil
  }

  /// The Call-ID of the call that bore the caller's tag and number of an INVITE before.
  public func call(taggedAs message: SIPMessage) -> String? {
    tagged(message).flatMap { named[$0] }.map { first[$0] ?? $0 }
  }

  /// Notes the names that a call bears from its first INVITE on.
  public mutating func begin(_ message: SIPMessage) {
    for name in message.correlation.names + [tagged(message)].compactMap({ $0 })
    where named.count < Self.most || named[name] != nil {
      named[name] = message.callID
    }
  }

  /// Call-IDs of calls that an INVITE names as the one that it carries on.
  public func calls(namedBy message: SIPMessage) -> [String] {
    let known = message.correlation.names.compactMap { named[$0] } + message.correlation.values
    return known.map { first[$0] ?? $0 }.filter { $0 != message.callID }
  }
}
