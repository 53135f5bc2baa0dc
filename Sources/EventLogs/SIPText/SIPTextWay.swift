/// From where to where a message went, by the line above it; nil is the program that wrote the log.
struct SIPTextWay {
  var from: String?
  var to: String?

  private static let sent = [
    "transmitting", "sending", "sent to", "tx ", "send ", "send(", "send:", "send=", "outgoing", "out:", ">>",
  ]
  private static let received = ["received", "recv", "rx ", "read from", "receive", "incoming", "in:", "<<"]
  private static let arrows = ["->", "→", "=>"]

  init?(_ line: String) {
    let text = line.lowercased()
    let hosts = Self.hosts(in: text)
    if hosts.count >= 2 {
      let between = text[hosts[0].end..<hosts[1].start]
      let isPair = text[..<hosts[0].start].contains("from") && between.contains(" to ")
      if isPair || Self.arrows.contains(where: { between.contains($0) }) {
        (from, to) = (hosts[0].name, hosts[1].name)
        return
      }
    }
    func first(_ words: [String]) -> String.Index? {
      words.compactMap { word in text.firstRange(of: word)?.lowerBound }.min()
    }
    let peer = hosts.first?.name ?? "the other side"
    switch (first(Self.sent), first(Self.received)) {
    case (let sent?, let received?) where sent < received: to = peer
    case (_, .some): from = peer
    case (.some, nil): to = peer
    case (nil, nil): return nil
    }
  }

  /// `192.0.2.1:5060` and `[2001:db8::1]:5060` in a text.
  private static func hosts(in text: String) -> [(name: String, start: String.Index, end: String.Index)] {
    text.split { !($0.isHexDigit || ".:[]".contains($0)) }.compactMap { word in
      let host = word.drop { $0 == ":" || $0 == "." }
      let digits = host.prefix { $0.isNumber || $0 == "." }
      let isAddress = digits.count(where: { $0 == "." }) == 3 || host.hasPrefix("[") && host.contains("::")
      return isAddress ? (Self.trimmed(host), word.startIndex, word.endIndex) : nil
    }
  }

  /// FreeSWITCH writes `udp/[192.0.2.1]:5060`.
  private static func trimmed(_ host: Substring) -> String {
    let isV4 = !host.contains("::")
    let name = isV4 ? host.filter { $0 != "[" && $0 != "]" } : String(host)
    return String(name.reversed().drop { $0 == ":" || $0 == "." }.reversed())
  }
}
