import Bytes

/// Parses objects in debug output: JSON, JSON with single or typographic quotes, a dictionary of Objective-C (`{ action
/// = callMetric; time = 1455701052999; }`), or of Swift (`["action": callMetric, "time": 1455701052999]`, also with
/// `AnyHashable("action")` and `Optional("callMetric")`).
public enum LenientObject {
  /// Maximum size of an object in bytes, and maximum nesting.
  public static let limit = 64 << 10
  private static let deepest = 16

  /// The members of the object at the start of the text; nil if it cannot be parsed.
  public static func members(_ text: ArraySlice<UInt8>) -> LogArguments? {
    guard let first = text.first,
      first == UInt8(ascii: "{") || first == UInt8(ascii: "[") || first == UInt8(ascii: "(")
    else { return nil }
    var json = ByteWriter(capacity: text.count + 32)
    var rest = text.prefix(limit)
    guard object(&rest, &json, depth: 0) else { return nil }
    return LogArguments.members(of: json.string)
  }

  /// The end of the object that begins at the first byte, nil while it is open: brackets outside quotes are counted.
  public static func end(of text: ArraySlice<UInt8>) -> Int? {
    var depth = 0
    var quote: UInt8?
    var escaped = false
    for index in text.indices {
      let byte = text[index]
      if escaped {
        escaped = false
      } else if byte == UInt8(ascii: "\\") {
        escaped = true
      } else if let open = quote {
        if byte == open { quote = nil }
      } else {
        switch byte {
        case UInt8(ascii: "\""): quote = byte
        case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "("): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: ")"):
          depth -= 1
          if depth <= 0 { return index + 1 }
        default: break
        }
      }
    }
    return nil
  }

  private static func object(_ rest: inout ArraySlice<UInt8>, _ json: inout ByteWriter, depth: Int) -> Bool {
    guard depth < deepest, let open = rest.popFirst() else { return false }
    let close: UInt8 =
      open == UInt8(ascii: "{")
      ? UInt8(ascii: "}") : open == UInt8(ascii: "[") ? UInt8(ascii: "]") : UInt8(ascii: ")")
    json.append(byte: UInt8(ascii: "{"))
    var isFirst = true
    while true {
      skipFiller(&rest)
      guard let next = rest.first else { return false }
      if next == close {
        rest.removeFirst()
        json.append(byte: UInt8(ascii: "}"))
        return true
      }
      guard let name = unwrapped(&rest, word) else { return false }
      skipSpace(&rest)
      guard let separator = rest.first, separator == UInt8(ascii: ":") || separator == UInt8(ascii: "=")
      else { return false }
      rest.removeFirst()
      if rest.first == UInt8(ascii: ">") { rest.removeFirst() }
      skipSpace(&rest)
      if !isFirst { json.append(byte: UInt8(ascii: ",")) }
      isFirst = false
      json.append(json: name.text)
      json.append(byte: UInt8(ascii: ":"))
      guard unwrapped(&rest, { value(&$0, &json, depth: depth) ? true : nil }) != nil else { return false }
    }
  }

  private static func value(_ rest: inout ArraySlice<UInt8>, _ json: inout ByteWriter, depth: Int) -> Bool {
    if rest.first == UInt8(ascii: "{") || rest.first == UInt8(ascii: "[") {
      let before = rest
      var inner = ByteWriter()
      if object(&rest, &inner, depth: depth + 1) {
        json.append(bytes: inner.bytes)
        return true
      }
      // A list: kept as text.
      guard let end = end(of: before) else { return false }
      json.append(json: String(decoding: before[..<end], as: UTF8.self))
      rest = before[end...]
      return true
    }
    guard let word = word(&rest) else { return false }
    var plain = LogArguments()
    if word.isQuoted { plain.append("v", text: word.text) } else { plain.append("v", word: word.text) }
    json.append(plain.members.first?.json ?? "null")
    return true
  }

  // Parses inside the type names that Swift prints around a value.
  private static func unwrapped<Read>(
    _ rest: inout ArraySlice<UInt8>, _ read: (inout ArraySlice<UInt8>) -> Read?
  ) -> Read? {
    var wrappings = 0
    while wrappings < deepest, let wrapping = SwiftText.wrapping(at: rest) {
      rest = rest.dropFirst(wrapping)
      wrappings += 1
    }
    guard let found = read(&rest) else { return nil }
    for _ in 0..<wrappings {
      skipSpace(&rest)
      guard rest.popFirst() == UInt8(ascii: ")") else { return nil }
    }
    return found
  }

  // A quoted text with any quotes, or the text up to the next separator.
  private static func word(_ rest: inout ArraySlice<UInt8>) -> (text: String, isQuoted: Bool)? {
    if let (open, close) = quotes(rest) {
      rest = rest.dropFirst(open)
      var out: [UInt8] = []
      while let byte = rest.first {
        if byte == UInt8(ascii: "\\"), let escaped = rest.dropFirst().first {
          out.append(
            escaped == UInt8(ascii: "n")
              ? UInt8(ascii: "\n")
              : escaped == UInt8(ascii: "r")
                ? UInt8(ascii: "\r") : escaped == UInt8(ascii: "t") ? UInt8(ascii: "\t") : escaped)
          rest = rest.dropFirst(2)
          continue
        }
        if let length = close.first(where: { rest.starts(with: $0) })?.count {
          rest = rest.dropFirst(length)
          return (String(decoding: out, as: UTF8.self), true)
        }
        out.append(byte)
        rest.removeFirst()
      }
      return nil
    }
    let bare = rest.prefix { !":=,;}])\n\r".utf8.contains($0) }
    rest = rest[bare.endIndex...]
    var text = bare
    while text.last == UInt8(ascii: " ") || text.last == UInt8(ascii: "\t") { text.removeLast() }
    return text.isEmpty ? nil : (String(decoding: text, as: UTF8.self), false)
  }

  // Straight quotes close with themselves, typographic ones with any of their kind.
  private static func quotes(_ rest: ArraySlice<UInt8>) -> (Int, [[UInt8]])? {
    if rest.first == UInt8(ascii: "\"") { return (1, [[UInt8(ascii: "\"")]]) }
    if rest.first == UInt8(ascii: "'") { return (1, [[UInt8(ascii: "'")]] + single) }
    if double.contains(where: { rest.starts(with: $0) }) { return (3, double + [[UInt8(ascii: "\"")]]) }
    if single.contains(where: { rest.starts(with: $0) }) { return (3, single + [[UInt8(ascii: "'")]]) }
    return nil
  }

  private static let double = ["“", "”", "„"].map { Array($0.utf8) }
  private static let single = ["‘", "’", "‚"].map { Array($0.utf8) }

  private static func skipSpace(_ rest: inout ArraySlice<UInt8>) {
    while let byte = rest.first, byte <= UInt8(ascii: " ") { rest.removeFirst() }
  }

  private static func skipFiller(_ rest: inout ArraySlice<UInt8>) {
    while let byte = rest.first,
      byte <= UInt8(ascii: " ") || byte == UInt8(ascii: ",") || byte == UInt8(ascii: ";")
    { rest.removeFirst() }
  }
}

/// Arguments of a callback that continue over lines, as Node and `JSON.stringify` print an object: its bracket is last
/// on the first line.
public enum MultilineArguments {
  /// Whether a message ends inside such an object.
  public static func begin(in message: ArraySlice<UInt8>) -> Bool {
    let first = message.prefix { $0 != UInt8(ascii: "\n") }
    guard let bracket = first.lastIndex(where: { $0 > UInt8(ascii: " ") }),
      [UInt8(ascii: "{"), UInt8(ascii: "[")].contains(first[bracket])
    else {
      return false
    }
    return LenientObject.end(of: message[bracket...]) == nil
  }

  /// Whether a line continues the object: it is indented, closes a bracket, or is nothing by itself.
  public static func goOn(in line: ArraySlice<UInt8>, isNothing: () -> Bool) -> Bool {
    guard let first = line.first else { return true }
    return first <= UInt8(ascii: " ") || "}])".utf8.contains(first) || isNothing()
  }
}
