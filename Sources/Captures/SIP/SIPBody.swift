/// Where a SIP message has its session description: alone, or as a part beside others (RFC 5621: SIP-I, emergency calls).
enum SIPBody {
  /// The description, nil where there is none.
  static func description(_ message: SIPMessage, _ captured: Octets) -> SDP? {
    let body = message.contentLength.map { captured.count < $0 } == true ? wholeLines(of: captured) : captured
    if message.contentType.contains("multipart") { return part(of: body).flatMap { SDP($0) } }
    return message.contentType.contains("sdp") || message.contentType.isEmpty ? SDP(body) : nil
  }

  /// Status of the message of which a NOTIFY carries a fragment (RFC 3420); nil where it carries none.
  static func fragment(_ message: SIPMessage, _ body: Octets) -> Int? {
    guard message.method == "NOTIFY", message.contentType.hasPrefix("message/sipfrag"),
      body.begins("SIP/2.0 ")
    else { return nil }
    return Int(body.from(8).first(3).text())
  }

  /// What comes before the line that the snaplen cut: half of an address or a port would be another.
  private static func wholeLines(of body: Octets) -> Octets {
    var end = body.count
    while end > 0 && body.byte(end - 1) != 10 { end -= 1 }
    return body.first(end)
  }

  /// Bytes of a body that are looked through.
  private static let longest = 65_536

  /// The first part that begins like a description, up to the next boundary.
  private static func part(of body: Octets) -> Octets? {
    var start: Int?
    for line in lines(of: body.first(longest)) {
      if let start, body.byte(line) == UInt8(ascii: "-"), body.byte(line + 1) == UInt8(ascii: "-") {
        return body.from(start).first(line - start)
      }
      if start == nil, body.from(line).begins("v=0") { start = line }
    }
    return start.map { body.from($0) }
  }

  /// Where lines begin.
  private static func lines(of body: Octets) -> some Sequence<Int> {
    (0..<body.count).lazy.filter { $0 == 0 || body.byte($0 - 1) == 10 }
  }
}
