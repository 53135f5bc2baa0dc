import Glibc

/// The kinds of JSON value.
public enum JSONKind: Sendable {
  case object, array, string, number, bool, null
}

/// A strict pull parser for JSON (RFC 8259) in memory.
///
/// The caller drives it: `beginObject`, `nextKey` until nil, a value after each key; `beginArray`, `nextElement` until
/// false; `skip` for unwanted values, which are validated as well. Nothing recurses, so depth costs one bit per level,
/// and only in `skip`. Every error has the byte offset. A UTF-8 byte order mark at the start is skipped, as RFC 8259
/// section 8.1 allows. To read JSON inside a string, create another scanner over the decoded bytes.
public struct JSONScanner {
  /// The input.
  public let bytes: UnsafeBufferPointer<UInt8>
  /// 0-based offset of the next byte. Set it only to an offset where the structure is known.
  public var position: Int
  @usableFromInline let end: Int
  /// Whether the innermost open container has had no member yet.
  @usableFromInline var first = false

  /// The same, for callers that resume a walk elsewhere.
  public internal(set) var isFirst: Bool {
    get { first }
    set { first = newValue }
  }

  /// A scanner at the start of the bytes.
  @inlinable
  public init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
    end = bytes.count
    position = 0
    if end >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { position = 3 }
  }

  // MARK: Structure

  /// The kind of the next value; consumes only white space.
  @inlinable
  public mutating func peek() throws(JSONError) -> JSONKind {
    switch skipSpace() {
    case UInt8(ascii: "{"): return .object
    case UInt8(ascii: "["): return .array
    case UInt8(ascii: "\""): return .string
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool
    case UInt8(ascii: "n"): return .null
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
    default: throw noValue()
    }
  }

  /// Reads `{`.
  @inlinable
  public mutating func beginObject() throws(JSONError) {
    guard skipSpace() == UInt8(ascii: "{") else { throw unexpected("an object") }
    position &+= 1
    first = true
  }

  /// Reads the name of the next member and its colon, or the end of the object: nil.
  @inlinable
  public mutating func nextKey() throws(JSONError) -> JSONText? {
    var byte = skipSpace()
    if byte == UInt8(ascii: "}") {
      position &+= 1
      first = false
      return nil
    }
    if first {
      first = false
    } else {
      guard byte == UInt8(ascii: ",") else { throw unexpected("',' or '}'") }
      position &+= 1
      byte = skipSpace()
    }
    guard byte == UInt8(ascii: "\"") else { throw unexpected("a member's name") }
    let key = try scanString()
    guard skipSpace() == UInt8(ascii: ":") else { throw unexpected("':'") }
    position &+= 1
    return key
  }

  /// Skips a member's name and the punctuation around it if the bytes are the same as those read before; otherwise
  /// returns false and skips nothing.
  ///
  /// `written` is what `nextKey` consumed before, and `first` the value of `isFirst` then.
  @inlinable @inline(__always)
  public mutating func pass(_ written: UnsafePointer<UInt8>, _ count: Int, asFirst: Bool) -> Bool {
    first == asFirst && pass(written, count)
  }

  /// Skips bytes that are the same as those read before between two such positions in an object, the later one before a
  /// value or its end; otherwise returns false and skips nothing.
  @inlinable @inline(__always)
  public mutating func pass(_ written: UnsafePointer<UInt8>, _ count: Int) -> Bool {
    guard count <= end &- position, let base = bytes.baseAddress, memcmp(base + position, written, count) == 0
    else { return false }
    position &+= count
    first = false
    return true
  }

  /// Reads `[`.
  @inlinable
  public mutating func beginArray() throws(JSONError) {
    guard skipSpace() == UInt8(ascii: "[") else { throw unexpected("an array") }
    position &+= 1
    first = true
  }

  /// Whether another element follows, whose value is to be read next; otherwise consumes the end of the array.
  @inlinable
  public mutating func nextElement() throws(JSONError) -> Bool {
    let byte = skipSpace()
    if first {
      first = false
      if byte == UInt8(ascii: "]") {
        position &+= 1
        return false
      }
      return true
    }
    if byte == UInt8(ascii: "]") {
      position &+= 1
      return false
    }
    guard byte == UInt8(ascii: ",") else { throw unexpected("',' or ']'") }
    position &+= 1
    return true
  }

  /// Reads a string.
  @inlinable
  public mutating func string() throws(JSONError) -> JSONText {
    guard skipSpace() == UInt8(ascii: "\"") else { throw unexpected("a string") }
    return try scanString()
  }

  /// Reads `true` or `false`.
  public mutating func bool() throws(JSONError) -> Bool {
    if skipSpace() == UInt8(ascii: "t") {
      try literal("true")
      return true
    }
    try literal("false")
    return false
  }

  /// Reads `null`.
  public mutating func null() throws(JSONError) {
    _ = skipSpace()
    try literal("null")
  }

  /// Checks that only white space is left.
  public mutating func finish() throws(JSONError) {
    _ = skipSpace()
    if position < end { throw unexpected("the end") }
  }

  /// Whether the next byte is a digit, without skipping white space; nil at the end.
  @inlinable @inline(__always)
  public func digitAhead() -> Bool? {
    position < end ? bytes[position].isASCIIDigit : nil
  }

  /// Whether the next byte ends a value: a comma or a closing bracket.
  @inlinable @inline(__always)
  public func isAtMark() -> Bool {
    guard position < end else { return false }
    let byte = bytes[position]
    return byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
  }

  /// Whether the next byte is a quotation mark.
  @inlinable @inline(__always)
  public func isAtQuote() -> Bool { position < end && bytes[position] == UInt8(ascii: "\"") }

  // MARK: Internals

  /// Skips white space and returns the next byte, or 0 at the end.
  @inlinable @inline(__always)
  mutating func skipSpace() -> UInt8 {
    while position < end {
      let byte = bytes[position]
      if byte > UInt8(ascii: " ") { return byte }
      guard
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
          || byte == UInt8(ascii: "\t")
      else { return byte }
      position &+= 1
    }
    return 0
  }

  @usableFromInline
  mutating func literal(_ word: StaticString) throws(JSONError) {
    var index = 0
    while index < word.utf8CodeUnitCount {
      guard position < end, bytes[position] == word.utf8Start[index] else { throw unexpected("'\(word)'") }
      position &+= 1
      index &+= 1
    }
  }

  /// The error if no value begins here.
  @usableFromInline @inline(never)
  func noValue() -> JSONError {
    position < end
      ? JSONError(byte: position, reason: JSONError.noValue(bytes[position])) : unexpected("a value")
  }

  /// The error if something else was expected here.
  @usableFromInline @inline(never)
  func unexpected(_ wanted: String) -> JSONError {
    JSONError(
      byte: position, reason: position < end ? "\(wanted) expected" : "\(wanted) expected, but the text ends")
  }
}

extension JSONScanner {
  /// Reads a string from its opening quote, eight bytes at a time up to the next special byte.
  @inlinable
  mutating func scanString() throws(JSONError) -> JSONText {
    let start = position &+ 1
    var index = start
    var hasEscapes = false
    let raw = UnsafeRawBufferPointer(bytes)
    while true {
      while index &+ 8 <= end {
        let mask = specialInString(raw.loadUnaligned(fromByteOffset: index, as: UInt64.self).littleEndian)
        if mask != 0 {
          index &+= mask.trailingZeroBitCount &>> 3
          break
        }
        index &+= 8
      }
      guard index < end else {
        position = end
        throw unexpected("'\"'")
      }
      let byte = bytes[index]
      if byte == UInt8(ascii: "\"") {
        position = index &+ 1
        return JSONText(
          UnsafeBufferPointer(rebasing: bytes[start..<index]), hasEscapes: hasEscapes)
      }
      if byte == UInt8(ascii: "\\") {
        hasEscapes = true
        index = try escapeEnd(index)
      } else if byte >= 0x80 {
        let length = utf8Length(bytes, at: index, end: end)
        if length == 0 { throw JSONError(byte: index, reason: "invalid UTF-8") }
        index &+= length
      } else if byte < UInt8(ascii: " ") {
        throw JSONError(byte: index, reason: "a control character stands in a string")
      } else {
        index &+= 1
      }
    }
  }

  /// The offset after the escape that begins at a backslash.
  @usableFromInline
  func escapeEnd(_ backslash: Int) throws(JSONError) -> Int {
    let index = backslash &+ 1
    guard index < end else { throw JSONError(byte: end, reason: "an escape expected, but the text ends") }
    switch bytes[index] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return index &+ 1
    case UInt8(ascii: "u"):
      var digit = index &+ 1
      while digit < index &+ 5 {
        guard digit < end else {
          throw JSONError(byte: end, reason: "four hex digits expected, but the text ends")
        }
        switch bytes[digit] {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "F"),
          UInt8(ascii: "a")...UInt8(ascii: "f"):
          digit &+= 1
        default: throw JSONError(byte: digit, reason: "four hex digits expected")
        }
      }
      return digit
    default: throw JSONError(byte: index, reason: "no such escape")
    }
  }
}

/// A violation of RFC 8259, with its offset.
public struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
  /// 0-based offset of the unexpected byte; the length of the input if it ends too early.
  public var byte: Int
  /// What was wrong or expected, in a few words.
  public var reason: String

  /// An error at a byte.
  public init(byte: Int, reason: String) {
    self.byte = byte
    self.reason = reason
  }

  /// The reason if a byte cannot begin a value. Python writes NaN and Infinity by default.
  static func noValue(_ byte: UInt8) -> String {
    byte == UInt8(ascii: "N") || byte == UInt8(ascii: "I")
      ? "a value expected; JSON has no NaN and no Infinity, what is unknown is null" : "a value expected"
  }

  public var description: String { "not JSON at byte \(byte): \(reason)" }
}
