/// Extracts facts from the value of an event, in any of the forms found in dumps.
///
/// Accepts JSON text, bare words and the pseudo-JSON of older webrtc-internals.
enum W3CValue {
  /// The state in `"connected"`, `connected`, `{"value":"connected"}`, `{"state":"connected"}`; lower case.
  static func word(_ value: String) -> String {
    for name in ["value", "state", "newState"] {
      if let found = member(name, value) { return found.lowercased() }
    }
    let word = trimmed(value)
    return word.utf8.count <= 40 && !word.contains("{") ? word.lowercased() : ""
  }

  /// `offer`, `answer`, `pranswer`, `rollback`, or empty if the value has none of them.
  static func descriptionType(_ value: String) -> String {
    member("type", value)?.lowercased() ?? ""
  }

  /// `host`, `srflx`, `prflx` or `relay` of a candidate line; nil if it has none.
  static func candidateType(_ value: String) -> String? {
    guard let typ = range(of: " typ ", in: value.utf8) else { return nil }
    let rest = value.utf8[typ.upperBound...].prefix(8).prefix { isLetter($0) }
    return rest.isEmpty ? nil : String(decoding: rest, as: UTF8.self).lowercased()
  }

  /// `udp` or `tcp` of a candidate line: its third word.
  static func candidateProtocol(_ value: String) -> String? {
    guard let typ = range(of: " typ ", in: value.utf8) else { return nil }
    let head = value.utf8[..<typ.lowerBound]
    let words = head.split(separator: UInt8(ascii: " ")).suffix(6)
    let known = words.first { String(decoding: $0, as: UTF8.self).lowercased().hasSuffix("udp") }
    if known != nil { return "udp" }
    return words.contains { String(decoding: $0, as: UTF8.self).lowercased() == "tcp" } ? "tcp" : nil
  }

  /// Whether the value marks the end of candidates.
  static func isEmptyCandidate(_ value: String) -> Bool {
    let word = trimmed(value)
    if word.isEmpty || word == "null" { return true }
    guard range(of: "candidate", in: value.utf8) != nil else { return false }
    let found = member("candidate", value)
    return found == nil || found == "null" || found == ""
  }

  /// `audio` or `video`: the member `kind`, the first word of an array, or the word before a colon.
  static func kind(_ value: String) -> String? {
    if let kind = member("kind", value) { return isKind(kind) ? kind : nil }
    let word = trimmed(value).drop { $0 == "[" || $0 == "\"" }
    return word.hasPrefix("audio") ? "audio" : word.hasPrefix("video") ? "video" : nil
  }

  /// The text of a member, in JSON (`"name": "text"`, `"name":null`) or pseudo-JSON (`name: text,`) form.
  static func member(_ name: String, _ value: String) -> String? {
    let bytes = value.utf8
    if let quoted = range(of: "\"\(name)\"", in: bytes) { return text(after: quoted.upperBound, in: bytes) }
    guard !trimmed(value).hasPrefix("{\""), let bare = range(of: "\(name):", in: bytes) else { return nil }
    guard
      bare.lowerBound == bytes.startIndex
        || " ,{".utf8.contains(bytes[bytes.index(before: bare.lowerBound)])
    else { return nil }
    let rest = bytes[bare.upperBound...].drop { $0 == UInt8(ascii: " ") }
    return String(
      decoding: rest.prefix(64).prefix {
        $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "}") && $0 != UInt8(ascii: "\n")
      }, as: UTF8.self)
  }

  private static func text(after start: String.UTF8View.Index, in bytes: String.UTF8View) -> String? {
    var rest = bytes[start...].drop { $0 == UInt8(ascii: " ") }
    guard rest.first == UInt8(ascii: ":") else { return nil }
    rest = rest.dropFirst().drop { $0 == UInt8(ascii: " ") }
    let quoted = rest.first == UInt8(ascii: "\"")
    if quoted { rest = rest.dropFirst() }
    let end = rest.prefix(64).prefix {
      quoted
        ? $0 != UInt8(ascii: "\"")
        : $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "}") && $0 != UInt8(ascii: " ")
    }
    return String(decoding: end, as: UTF8.self)
  }

  private static func isKind(_ word: String) -> Bool { word == "audio" || word == "video" }
  private static func isLetter(_ byte: UInt8) -> Bool {
    (byte | 0x20) >= UInt8(ascii: "a") && (byte | 0x20) <= UInt8(ascii: "z")
  }

  private static func trimmed(_ value: String) -> String {
    let isEdge: (UInt8) -> Bool = {
      $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n")
        || $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\t")
    }
    let head = value.utf8.drop(while: isEdge)
    guard let last = head.lastIndex(where: { !isEdge($0) }) else { return "" }
    return String(decoding: head[...last], as: UTF8.self)
  }

  // A linear search: values are a few kB at most.
  private static func range(of needle: String, in bytes: String.UTF8View) -> Range<String.UTF8View.Index>? {
    let wanted = Array(needle.utf8)
    guard let first = wanted.first else { return nil }
    var at = bytes.startIndex
    while let hit = bytes[at...].firstIndex(of: first) {
      let tail = bytes[hit...].prefix(wanted.count)
      if tail.elementsEqual(wanted) { return hit..<tail.endIndex }
      at = bytes.index(after: hit)
    }
    return nil
  }
}
