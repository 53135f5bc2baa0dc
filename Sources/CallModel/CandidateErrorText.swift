/// The members of an RTCPeerConnectionIceErrorEvent as webrtc-internals prints them: `url: …`, `error_code: 401`, a line each, or
/// one behind the other with a comma and a space between.
enum CandidateErrorText {
  /// What a candidate error says, by the name it is kept under.
  private static let names = [
    "url": "url", "address": "address", "port": "port", "host_candidate": "host_candidate",
    "hostcandidate": "host_candidate", "error_text": "error_text", "errortext": "error_text",
    "error_code": "error_code", "errorcode": "error_code",
  ]
  /// More is no error that a server gave.
  private static let longest = 8192

  /// The members, each once; empty where the text is JSON, whose members have their names already, or names none of them.
  static func facts(of text: String) -> [W3CEvents.Fact] {
    guard text.utf8.count <= longest, text.first != "{", text.first != "[" else { return [] }
    var facts: [W3CEvents.Fact] = []
    for line in text.split(whereSeparator: { $0.isNewline }) {
      var isContinued = false
      for part in pieces(of: line) {
        if let (name, value) = member(part) {
          isContinued = true
          if !facts.contains(where: { $0.name == name }) { facts.append(.init(name: name, value: value)) }
        } else if isContinued, let last = facts.indices.last {
          // A text may have commas of its own.
          facts[last].value += ", " + part
        }
      }
    }
    return facts.filter { !$0.value.isEmpty }
  }

  /// The parts of a line between a comma and a space.
  private static func pieces(of line: Substring) -> [Substring] {
    var pieces: [Substring] = []
    var rest = line
    while let comma = rest.firstRange(of: ", ") {
      pieces.append(rest[..<comma.lowerBound])
      rest = rest[comma.upperBound...]
    }
    return pieces + [rest]
  }

  private static func member(_ part: Substring) -> (name: String, value: String)? {
    guard let colon = part.firstIndex(of: ":") else { return nil }
    let isEdge: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\"" }
    guard let name = names[part[..<colon].drop(while: isEdge).lowercased()] else { return nil }
    var value = part[part.index(after: colon)...].drop(while: isEdge)
    while let last = value.last, isEdge(last) { value.removeLast() }
    return (name, String(value))
  }
}
