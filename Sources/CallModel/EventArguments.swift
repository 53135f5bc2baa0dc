extension EventRecord {
  /// The text of one argument: a string without its quotes, or the bare text of a number, `true`, `false`.
  ///
  /// Nil where the argument is missing, `null`, an object or an array.
  public func argument(_ name: String) -> String? { memberText(name, of: args) }
}

/// The text of one member of a JSON object that callqa wrote itself: a string without its quotes, or the bare text of a
/// number, `true`, `false`. Nil where it is missing, `null`, an object or an array.
public func memberText(_ name: String, of object: String) -> String? {
  var scan = FlatObject(object.utf8)
  while let (key, value) = scan.next() {
    if key.elementsEqual(name.utf8) { return value }
  }
  return nil
}

/// Walks the members of one flat JSON object, passing over nested values without recursion.
///
/// Arguments are written by the readers, so this needs no diagnosis: what it cannot follow, it ends at.
private struct FlatObject {
  private let bytes: String.UTF8View
  private var at: String.UTF8View.Index

  init(_ bytes: String.UTF8View) {
    self.bytes = bytes
    self.at = bytes.startIndex
    skipSpace()
    at = peek == UInt8(ascii: "{") ? bytes.index(after: at) : bytes.endIndex
  }

  private var peek: UInt8? { at < bytes.endIndex ? bytes[at] : nil }

  mutating func next() -> (Substring.UTF8View, String?)? {
    skip { $0 <= 0x20 || $0 == UInt8(ascii: ",") }
    guard let key = string() else { return nil }
    skip { $0 <= 0x20 || $0 == UInt8(ascii: ":") }
    return (key, value())
  }

  private mutating func value() -> String? {
    switch peek {
    case UInt8(ascii: "\""): return string().map(Self.unescaped)
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      nested()
      return nil
    default:
      let start = at
      skip { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "}") && $0 > 0x20 }
      let text = String(bytes[start..<at]) ?? ""
      return text == "null" || text.isEmpty ? nil : text
    }
  }

  // The bytes between the quotes, escapes as they are.
  private mutating func string() -> Substring.UTF8View? {
    guard peek == UInt8(ascii: "\"") else { return nil }
    at = bytes.index(after: at)
    let start = at
    while let byte = peek, byte != UInt8(ascii: "\"") {
      at = bytes.index(after: at)
      if byte == UInt8(ascii: "\\"), at < bytes.endIndex { at = bytes.index(after: at) }
    }
    let found = bytes[start..<at]
    if at < bytes.endIndex { at = bytes.index(after: at) }
    return found
  }

  private mutating func nested() {
    var depth = 0
    while let byte = peek {
      if byte == UInt8(ascii: "\"") {
        _ = string()
        continue
      }
      at = bytes.index(after: at)
      if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") { depth += 1 }
      if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") { depth -= 1 }
      if depth == 0 { return }
    }
  }

  private mutating func skipSpace() { skip { $0 <= 0x20 } }

  private mutating func skip(while condition: (UInt8) -> Bool) {
    while let byte = peek, condition(byte) { at = bytes.index(after: at) }
  }

  // Only the escapes that a plain argument can hold; \u stays as it is.
  private static func unescaped(_ text: Substring.UTF8View) -> String {
    guard text.contains(UInt8(ascii: "\\")) else { return String(decoding: text, as: UTF8.self) }
    var out: [UInt8] = []
    var escape = false
    for byte in text {
      if escape {
        switch byte {
        case UInt8(ascii: "n"): out.append(0x0A)
        case UInt8(ascii: "r"): out.append(0x0D)
        case UInt8(ascii: "t"): out.append(0x09)
        case UInt8(ascii: "u"): out.append(contentsOf: [UInt8(ascii: "\\"), byte])
        default: out.append(byte)
        }
        escape = false
      } else if byte == UInt8(ascii: "\\") {
        escape = true
      } else {
        out.append(byte)
      }
    }
    return String(decoding: out, as: UTF8.self)
  }
}
