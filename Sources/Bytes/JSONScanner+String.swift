extension JSONScanner {
  /// Reads a string whose opening quote is next: eight bytes at a time while nothing special comes.
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

  /// The place after the escape that begins at a backslash.
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
