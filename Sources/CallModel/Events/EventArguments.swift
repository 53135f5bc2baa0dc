extension EventRecord {
  /// The text of one argument: a string without its quotes, or the bare text of a number, `true`, `false`.
  ///
  /// Nil if the argument is missing, `null`, an object or an array.
  public func argument(_ name: String) -> String? { memberText(name, of: args) }
}

/// Whether arguments say that the time of their event was taken from another line, which is always the first of them.
func isTimeBorrowed(_ arguments: String) -> Bool {
  scan(arguments) { scan in
    scan.nextKey()?.elementsEqual(EventArgument.timeBorrowed.name.utf8) == true && scan.value() == "true"
  }
}

/// The text of one member of a JSON object that callqa wrote itself: a string without its quotes, or the bare
/// text of a number, `true`, `false`. Nil if the member is missing, `null`, an object or an array.
public func memberText(_ name: String, of object: String) -> String? {
  member(name, of: object) { $0.value() }
}

/// The JSON of a member whose value is an object, in an object that callqa wrote itself; nil if the value is
/// not an object.
public func memberObject(_ name: String, of object: String) -> String? {
  member(name, of: object) { $0.object() }
}

/// The JSON of a member whose value is an object or a list, in an object that callqa wrote itself; otherwise
/// nil.
public func memberStructure(_ name: String, of object: String) -> String? {
  member(name, of: object) { $0.structure() }
}

/// The members of a flat JSON object that callqa wrote itself, in their order, and whether each is a text; values that are
/// objects or arrays stay JSON.
func members(of object: String) -> [(name: String, value: String, isText: Bool)] {
  scan(object) { scan in
    var members: [(name: String, value: String, isText: Bool)] = []
    while let key = scan.nextKey() {
      let isText = scan.isAtText
      guard let value = scan.structure() ?? scan.value() else { continue }
      members.append((String(decoding: key, as: UTF8.self), value, isText))
    }
    return members
  }
}

@inline(__always)
private func member(_ name: String, of object: String, _ read: (inout FlatObject) -> String?) -> String? {
  scan(object) { scan in
    while let key = scan.nextKey() {
      if key.elementsEqual(name.utf8) { return read(&scan) }
      scan.passValue()
    }
    return nil
  }
}

@inline(__always)
private func scan<Result>(_ object: String, _ body: (inout FlatObject) -> Result) -> Result {
  var object = object
  return object.withUTF8 { bytes in
    var scan = FlatObject(bytes)
    return body(&scan)
  }
}

/// Walks the members of one flat JSON object; nested values are skipped without recursion.
///
/// The readers write these arguments, so errors are not diagnosed: iteration ends at the first byte that
/// cannot be parsed.
private struct FlatObject {
  private typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

  private let bytes: UnsafeBufferPointer<UInt8>
  private var at = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
    skip { $0 <= UInt8(ascii: " ") }
    at = peek == UInt8(ascii: "{") ? at + 1 : bytes.count
  }

  private var peek: UInt8? { at < bytes.count ? bytes[at] : nil }

  /// Whether a text follows.
  var isAtText: Bool { peek == UInt8(ascii: "\"") }

  /// The name of the next member, with its escapes. The caller then reads or skips the value.
  mutating func nextKey() -> Slice<UnsafeBufferPointer<UInt8>>? {
    skip { $0 <= UInt8(ascii: " ") || $0 == UInt8(ascii: ",") }
    guard let key = string() else { return nil }
    skip { $0 <= UInt8(ascii: " ") || $0 == UInt8(ascii: ":") }
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

  mutating func object() -> String? { peek == UInt8(ascii: "{") ? structure() : nil }

  /// An object or a list.
  mutating func structure() -> String? {
    guard peek == UInt8(ascii: "{") || peek == UInt8(ascii: "[") else { return nil }
    let start = at
    nested()
    return String(decoding: bytes[start..<at], as: UTF8.self)
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
    skip { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "}") && $0 > UInt8(ascii: " ") }
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

  private static func unescaped(_ text: Bytes) -> String {
    guard text.contains(UInt8(ascii: "\\")) else { return String(decoding: text, as: UTF8.self) }
    var out: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\"), let escape = rest.popFirst() else {
        out.append(byte)
        continue
      }
      switch escape {
      case UInt8(ascii: "b"): out.append(0x08)
      case UInt8(ascii: "f"): out.append(0x0C)
      case UInt8(ascii: "n"): out.append(UInt8(ascii: "\n"))
      case UInt8(ascii: "r"): out.append(UInt8(ascii: "\r"))
      case UInt8(ascii: "t"): out.append(UInt8(ascii: "\t"))
      case UInt8(ascii: "u"): out += UTF8.encode(scalar(&rest)) ?? UTF8.encodedReplacementCharacter
      default: out.append(escape)
      }
    }
    return String(decoding: out, as: UTF8.self)
  }

  // The scalar of the next hex digits; a surrogate pair gives one scalar, half of a pair gives U+FFFD.
  private static func scalar(_ rest: inout Bytes) -> Unicode.Scalar {
    guard var value = hex(rest) else { return "\u{FFFD}" }
    rest = rest.dropFirst(4)
    if value & 0xFC00 == 0xD800, rest.starts(with: "\\u".utf8), let low = hex(rest.dropFirst(2)),
      low & 0xFC00 == 0xDC00
    {
      value = 0x10000 + (value & 0x3FF) << 10 + low & 0x3FF
      rest = rest.dropFirst(6)
    }
    return Unicode.Scalar(value) ?? "\u{FFFD}"
  }

  private static func hex(_ digits: Bytes) -> UInt32? {
    guard digits.count >= 4 else { return nil }
    return digits.prefix(4).reduce(0) { value, digit in
      let digit = Character(Unicode.Scalar(digit)).hexDigitValue
      return value.flatMap { value in digit.map { value << 4 | UInt32($0) } }
    }
  }
}
