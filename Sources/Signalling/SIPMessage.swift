import CallModel
import Packets

/// The parts of a SIP message (RFC 3261) that show how a call went.
public struct SIPMessage {
  /// The method of a request, or of the request that a response answers.
  public var method: String
  /// The status of a response, nil for a request.
  public var status: Int?
  public var phrase = ""
  public var callID = ""
  public var sequence = ""
  public var from = ""
  public var to = ""
  /// The tags of both ends, which together with the Call-ID identify a dialog; the To tag is empty until the
  /// callee answers.
  public var fromTag = ""
  public var toTag = ""
  /// The branch of the topmost Via, which identifies the transaction on this hop.
  public var branch = ""
  public var reason: String?
  /// Code and text of a Warning (RFC 3261 section 20.43), `304 Media type not available`.
  public private(set) var warning: String?
  /// The realms of the credentials that a request carries, and of the challenges in a response, unless they only say
  /// that a nonce is out of date (RFC 3261 section 22).
  public private(set) var credentials: Set<String> = []
  public private(set) var challenges: Set<String> = []
  /// Seconds for which a registration is to last; 0 ends it (RFC 3261 section 10.2).
  public private(set) var expires: Int?
  /// The contents of Asterisk's own headers.
  private var asterisk: (cause: Int?, text: String) = (nil, "")
  /// Where the sender can be reached from now on, its host alone (RFC 3261 section 20.10); empty if it does not say.
  public private(set) var contactHost = ""
  /// The target of a REFER (`user@host`), and whether the new call replaces another.
  var referTo = ""
  var refersToReplacing = false
  /// The Call-ID of the call that an INVITE replaces (RFC 3891).
  public var replaces: String?
  /// Ids of the call besides its Call-ID.
  private(set) var correlation = SIPCorrelation()
  public var agent: String?
  public var contentType = ""
  /// The sender's media statistics in a header of its own (`X-RTP-Stat`, `P-RTP-Stat`).
  public private(set) var statistics: QualityReport?
  public var contentLength: Int?
  /// The status of the message that a NOTIFY reports.
  public var fragment: Int?
  /// The offset of the body.
  public var bodyAt = 0
  /// Whether the capture has only its beginning.
  public private(set) var isCut = false

  /// Whether it is a request within an established dialog (RFC 3261 section 12.2), so that the start of the
  /// call was not captured.
  public var isWithinCall: Bool {
    status == nil && (method == "BYE" || !toTag.isEmpty && (method == "INVITE" || method == "UPDATE"))
  }

  /// The maximum length of a head, bytes.
  private static let longestHead = 16_384

  /// Reads the head; nil where it is not SIP, or not whole. Of a message that the snaplen cut within its head the whole lines count,
  /// if they show which call it belongs to (Call-ID, CSeq, From and To).
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
    case "authorization", "proxy-authorization": note(Self.realm(value), in: &credentials)
    case "www-authenticate", "proxy-authenticate":
      if !value.lowercased().replacing(" ", with: "").contains("stale=true") {
        note(Self.realm(value), in: &challenges)
      }
    case "expires": expires = Int(value) ?? expires
    case "contact", "m":
      expires = expires ?? Int(Self.parameter("expires", of: Substring(value)))
      let host = String(Self.address(value).split(separator: "@").last ?? "")
      contactHost = host.hasSuffix("]") ? host : AddressText.host(host)
    case "warning": warning = warning ?? Self.warning(value)
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

  /// `user@host` from a name-addr or addr-spec, without password, parameters and headers.
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

  private func note(_ realm: String, in realms: inout Set<String>) {
    if realms.count < Self.mostRealms { realms.insert(realm) }
  }
  private static let mostRealms = 8

  /// The realm in a header of authentication; empty without one.
  private static func realm(_ value: String) -> String {
    for part in value.split(separator: ",") {
      guard let equals = part.firstIndex(of: "=") else { continue }
      let name = part[..<equals].split(separator: " ").last?.lowercased()
      if name == "realm" { return part[part.index(after: equals)...].filter { $0 != "\"" && $0 != " " } }
    }
    return ""
  }

  /// Code and text of the first warning, without the agent that gave it; nil if it has no code.
  private static func warning(_ value: String) -> String? {
    let words = value.split(separator: " ", maxSplits: 2)
    guard let code = words.first, code.count == 3, code.allSatisfy(\.isNumber) else { return nil }
    let text = words.count > 2 ? words[2].drop { $0 == "\"" }.prefix { $0 != "\"" } : ""
    return text.isEmpty ? String(code) : "\(code) \(text)"
  }

  /// A parameter of a header, ignoring those within the angle brackets of an address; empty if it is missing.
  private static func parameter(_ name: String, of value: Substring) -> String {
    let start = value.lastIndex(of: ">") ?? value.startIndex
    for part in value[start...].split(separator: ";").dropFirst() {
      let pair = part.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " && $0 != "\t" } }
      if pair.count == 2, pair[0].lowercased() == name { return pair[1] }
    }
    return ""
  }
}

/// A transfer that one end of a call requested (RFC 3515, RFC 5589). It has happened once the requested end
/// reports that the new call is established, or a party of this call then hangs up.
public struct SIPReferral {
  /// The end that requested the transfer.
  public let end: Int
  /// The `user@host` to call.
  public let target: String
  /// Whether the new call replaces one that the requesting end already has (RFC 3891): an attended transfer.
  public let replaces: Bool
  private var isAccepted = false
  public private(set) var isDone = false

  /// The transfer that a REFER requests. Fails if it has no target.
  public init?(_ message: SIPMessage, by end: Int) {
    guard !message.referTo.isEmpty else { return nil }
    self.end = end
    target = message.referTo
    replaces = message.refersToReplacing
  }

  /// Takes the final response to the REFER.
  public mutating func answered(_ status: Int) { isAccepted = status < 300 }

  /// Takes a reported status of the new call; returns whether it shows that the transfer happened.
  public mutating func reported(_ status: Int) -> Bool {
    if status >= 300 { isAccepted = false }
    guard (200..<300).contains(status), !isDone else { return false }
    isDone = true
    return true
  }

  /// Takes the end of the transferred call; returns whether it shows that the transfer happened.
  public mutating func hungUp() -> Bool {
    guard isAccepted, !isDone else { return false }
    isDone = true
    return true
  }
}
