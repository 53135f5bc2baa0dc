extension EventRecord {
  /// The text of one argument: a string without its quotes, or the bare text of a number, `true`, `false`.
  ///
  /// Nil where the argument is missing, `null`, an object or an array.
  public func argument(_ name: String) -> String? { memberText(name, of: args) }
}

/// The text of one member of a JSON object that callqa wrote itself: a string without its quotes, or the bare text of a
/// number, `true`, `false`. Nil where it is missing, `null`, an object or an array.
public func memberText(_ name: String, of object: String) -> String? {
  var object = object
  return object.withUTF8 { bytes in
    var scan = FlatObject(bytes)
    while let key = scan.nextKey() {
      if key.elementsEqual(name.utf8) { return scan.value() }
      scan.passValue()
    }
    return nil
  }
}

/// Walks the members of one flat JSON object, passing over nested values without recursion.
///
/// Arguments are written by the readers, so this needs no diagnosis: what it cannot follow, it ends at.
private struct FlatObject {
  private typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

  private let bytes: UnsafeBufferPointer<UInt8>
  private var at = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
    skip { $0 <= 0x20 }
    at = peek == UInt8(ascii: "{") ? at + 1 : bytes.count
  }

  private var peek: UInt8? { at < bytes.count ? bytes[at] : nil }

  /// The next member's name, escapes as they are; its value is then to be read or passed over.
  mutating func nextKey() -> Slice<UnsafeBufferPointer<UInt8>>? {
    skip { $0 <= 0x20 || $0 == UInt8(ascii: ",") }
    guard let key = string() else { return nil }
    skip { $0 <= 0x20 || $0 == UInt8(ascii: ":") }
    return key
  }

  mutating func value() -> String? {
    switch peek {
    case UInt8(ascii: "\""): return string().map(Self.unescaped)
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      nested()
      return nil
    default:
      let text = String(decoding: bare(), as: UTF8.self)
      return text == "null" || text.isEmpty ? nil : text
    }
  }

  mutating func passValue() {
    switch peek {
    case UInt8(ascii: "\""): _ = string()
    case UInt8(ascii: "{"), UInt8(ascii: "["): nested()
    default: _ = bare()
    }
  }

  // A number, `true`, `false` or `null`.
  private mutating func bare() -> Bytes {
    let start = at
    skip { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "}") && $0 > 0x20 }
    return bytes[start..<at]
  }

  // The bytes between the quotes, escapes as they are.
  private mutating func string() -> Bytes? {
    guard peek == UInt8(ascii: "\"") else { return nil }
    at += 1
    let start = at
    while let byte = peek, byte != UInt8(ascii: "\"") {
      at += byte == UInt8(ascii: "\\") && at + 1 < bytes.count ? 2 : 1
    }
    let found = bytes[start..<at]
    if at < bytes.count { at += 1 }
    return found
  }

  private mutating func nested() {
    var depth = 0
    while let byte = peek {
      if byte == UInt8(ascii: "\"") {
        _ = string()
        continue
      }
      at += 1
      if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") { depth += 1 }
      if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") { depth -= 1 }
      if depth == 0 { return }
    }
  }

  private mutating func skip(while condition: (UInt8) -> Bool) {
    while let byte = peek, condition(byte) { at += 1 }
  }

  // Only the escapes that a plain argument can hold; \u stays as it is.
  private static func unescaped(_ text: Bytes) -> String {
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
