extension JSONScanner {
  /// Reads any value, checks all of it, and gives its bytes as they stand.
  @discardableResult
  public mutating func skip() throws(JSONError) -> UnsafeBufferPointer<UInt8> {
    let byte = skipSpace()
    let start = position
    if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
      try skipNested()
    } else {
      try skipScalar(byte)
    }
    first = false
    return UnsafeBufferPointer(rebasing: bytes[start..<position])
  }

  @inline(__always)
  private mutating func skipScalar(_ byte: UInt8) throws(JSONError) {
    switch byte {
    case UInt8(ascii: "\""): _ = try scanString()
    case UInt8(ascii: "t"): try literal("true")
    case UInt8(ascii: "f"): try literal("false")
    case UInt8(ascii: "n"): try literal("null")
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try skipNumber()
    default: throw noValue()
    }
  }

  /// An object or array: a loop with a stack of bits instead of recursion.
  private mutating func skipNested() throws(JSONError) {
    var open = BitStack()
    var byte = bytes[position]
    while true {
      // A value begins here.
      if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
        let isObject = byte == UInt8(ascii: "{")
        guard open.push(isObject) else { throw JSONError(byte: position, reason: "nested too deep") }
        position &+= 1
        byte = skipSpace()
        if byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
          position &+= 1
          open.pop()
        } else {
          if isObject { byte = try skipKey(byte) }
          continue
        }
      } else {
        try skipScalar(byte)
      }
      // A value has ended: close brackets until another one is due.
      while true {
        if open.depth == 0 { return }
        byte = skipSpace()
        if byte == UInt8(ascii: ",") {
          position &+= 1
          byte = skipSpace()
          if open.isObject { byte = try skipKey(byte) }
          break
        }
        guard byte == (open.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
          throw unexpected(open.isObject ? "',' or '}'" : "',' or ']'")
        }
        position &+= 1
        open.pop()
      }
    }
  }

  @inline(__always)
  private mutating func skipKey(_ byte: UInt8) throws(JSONError) -> UInt8 {
    guard byte == UInt8(ascii: "\"") else { throw unexpected("a member's name") }
    _ = try scanString()
    guard skipSpace() == UInt8(ascii: ":") else { throw unexpected("':'") }
    position &+= 1
    return skipSpace()
  }

  @inline(__always)
  private mutating func skipNumber() throws(JSONError) {
    if bytes[position] == UInt8(ascii: "-") { position &+= 1 }
    var ignored: UInt64 = 0
    if position < end, bytes[position] == UInt8(ascii: "0") {
      position &+= 1
      if position < end, bytes[position].isASCIIDigit {
        throw JSONError(byte: position, reason: "a number begins with 0")
      }
    } else {
      let start = position
      scanDigits(&ignored)
      if position == start { throw unexpected("a digit") }
    }
    guard position < end else { return }
    if bytes[position] == UInt8(ascii: ".") {
      position &+= 1
      let start = position
      scanDigits(&ignored)
      if position == start { throw unexpected("a digit") }
    }
    if position < end, bytes[position] | 0x20 == UInt8(ascii: "e") { try scanExponent() }
  }
}

/// Makes sure that bytes in memory are one JSON value and nothing else.
public func validateJSON(_ bytes: UnsafeBufferPointer<UInt8>) throws(JSONError) {
  var scanner = JSONScanner(bytes)
  try scanner.skip()
  try scanner.finish()
}
