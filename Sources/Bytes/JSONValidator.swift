/// Validates that a source is one JSON value (RFC 8259), in chunks: any size, in constant memory except for one bit per
/// nesting level.
///
/// Throws `JSONError` with the byte offset, or the error of the source.
public func validateJSON(_ source: any ByteSource) throws {
  var validator = JSONValidator()
  let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
  defer { buffer.deallocate() }
  while true {
    let count = try source.read(into: buffer)
    if count == 0 { break }
    let piece = UnsafeRawBufferPointer(rebasing: buffer[..<count])
    try validator.feed(piece.assumingMemoryBound(to: UInt8.self))
  }
  try validator.finish()
}

/// The grammar as a state machine that can stop after any byte.
struct JSONValidator {
  private enum State: UInt8 {
    case mark, value, firstElement, firstKey, key, colon, afterValue
    case string, escape, hex, utf8
    case literal
    case minus, zero, integer, point, fraction, exponent, exponentSign, exponentDigits
  }

  private var state = State.mark
  private var open = BitStack()
  private var offset = 0
  private var inKey = false
  /// Bytes still expected: of a literal, of hex digits, of a UTF-8 sequence; and the bounds of the next one.
  private var remaining = 0
  private var word: StaticString = "null"
  /// Bytes consumed of a sequence whose errors are reported at its first byte.
  private var back = 0
  private var lowest: UInt8 = 0x80
  private var highest: UInt8 = 0xBF

  /// Processes the next bytes.
  mutating func feed(_ bytes: UnsafeBufferPointer<UInt8>) throws(JSONError) {
    let raw = UnsafeRawBufferPointer(bytes)
    var index = 0
    while index < bytes.count {
      if state == .string {
        while index &+ 8 <= bytes.count {
          let mask = specialInString(raw.loadUnaligned(fromByteOffset: index, as: UInt64.self).littleEndian)
          if mask != 0 {
            index &+= mask.trailingZeroBitCount &>> 3
            break
          }
          index &+= 8
        }
        guard index < bytes.count else { break }
      }
      if let reason = step(bytes[index]) { throw JSONError(byte: offset + index - back, reason: reason) }
      index &+= 1
    }
    offset += bytes.count
  }

  /// Ends the input.
  mutating func finish() throws(JSONError) {
    switch state {
    case .zero, .integer, .fraction, .exponentDigits: state = .afterValue
    default: break
    }
    if state != .afterValue || open.depth > 0 {
      throw JSONError(byte: offset - back, reason: "unexpected end of text")
    }
  }

  /// Processes one byte; returns what is wrong with it, or nil.
  private mutating func step(_ byte: UInt8) -> String? {
    switch state {
    case .mark: return mark(byte)
    case .string, .escape, .hex, .utf8: return stringStep(byte)
    case .minus, .zero, .integer, .point, .fraction, .exponent, .exponentSign, .exponentDigits:
      return numberStep(byte)
    case .literal:
      guard byte == word.utf8Start[word.utf8CodeUnitCount - remaining] else { return "'\(word)' expected" }
      remaining -= 1
      if remaining == 0 { state = .afterValue }
      return nil
    default:
      if byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
        || byte == UInt8(ascii: "\t")
      {
        return nil
      }
      return structureStep(byte)
    }
  }

  /// A byte order mark is allowed at the very start.
  private mutating func mark(_ byte: UInt8) -> String? {
    let expected: [UInt8] = [0xEF, 0xBB, 0xBF]
    if remaining > 0 || byte == expected[0] {
      guard byte == expected[remaining] else { return "a value expected" }
      remaining += 1
      back = remaining
      if remaining == 3 {
        state = .value
        remaining = 0
        back = 0
      }
      return nil
    }
    state = .value
    return step(byte)
  }

  private mutating func structureStep(_ byte: UInt8) -> String? {
    switch state {
    case .firstElement where byte == UInt8(ascii: "]"): close()
    case .value, .firstElement: return beginValue(byte)
    case .firstKey where byte == UInt8(ascii: "}"): close()
    case .firstKey, .key:
      guard byte == UInt8(ascii: "\"") else { return "a member's name expected" }
      inKey = true
      state = .string
    case .colon:
      guard byte == UInt8(ascii: ":") else { return "':' expected" }
      state = .value
    default:
      guard open.depth > 0 else { return "the end expected" }
      if byte == UInt8(ascii: ",") {
        state = open.isObject ? .key : .value
      } else if byte == (open.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
        close()
      } else {
        return open.isObject ? "',' or '}' expected" : "',' or ']' expected"
      }
    }
    return nil
  }

  private mutating func close() {
    open.pop()
    state = .afterValue
  }

  private mutating func beginValue(_ byte: UInt8) -> String? {
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      let isObject = byte == UInt8(ascii: "{")
      guard open.push(isObject) else { return "nested too deep" }
      state = isObject ? .firstKey : .firstElement
    case UInt8(ascii: "\""):
      inKey = false
      state = .string
    case UInt8(ascii: "t"): begin("true")
    case UInt8(ascii: "f"): begin("false")
    case UInt8(ascii: "n"): begin("null")
    case UInt8(ascii: "-"): state = .minus
    case UInt8(ascii: "0"): state = .zero
    case UInt8(ascii: "1")...UInt8(ascii: "9"): state = .integer
    default: return JSONError.noValue(byte)
    }
    return nil
  }

  private mutating func begin(_ literal: StaticString) {
    word = literal
    remaining = literal.utf8CodeUnitCount - 1
    state = .literal
  }

  private mutating func stringStep(_ byte: UInt8) -> String? {
    switch state {
    case .escape:
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
        UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
        state = .string
      case UInt8(ascii: "u"):
        state = .hex
        remaining = 4
      default: return "no such escape"
      }
    case .hex:
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "F"),
        UInt8(ascii: "a")...UInt8(ascii: "f"):
        break
      default: return "four hex digits expected"
      }
      remaining -= 1
      if remaining == 0 { state = .string }
    case .utf8:
      guard byte >= lowest, byte <= highest else { return "invalid UTF-8" }
      lowest = 0x80
      highest = 0xBF
      remaining -= 1
      back += 1
      if remaining == 0 {
        state = .string
        back = 0
      }
    default:
      switch byte {
      case UInt8(ascii: "\""): state = inKey ? .colon : .afterValue
      case UInt8(ascii: "\\"): state = .escape
      case 0x00..<UInt8(ascii: " "): return "a control character stands in a string"
      case UInt8(ascii: " ")..<0x80: break
      default: return beginSequence(byte)
      }
    }
    return nil
  }

  private mutating func beginSequence(_ byte: UInt8) -> String? {
    lowest = byte == 0xE0 ? 0xA0 : byte == 0xF0 ? 0x90 : 0x80
    highest = byte == 0xED ? 0x9F : byte == 0xF4 ? 0x8F : 0xBF
    switch byte {
    case 0xC2...0xDF: remaining = 1
    case 0xE0...0xEF: remaining = 2
    case 0xF0...0xF4: remaining = 3
    default: return "invalid UTF-8"
    }
    state = .utf8
    back = 1
    return nil
  }

  private mutating func numberStep(_ byte: UInt8) -> String? {
    let isDigit = byte.isASCIIDigit
    switch state {
    case .minus:
      guard isDigit else { return "a digit expected" }
      state = byte == UInt8(ascii: "0") ? .zero : .integer
    case .point:
      guard isDigit else { return "a digit expected" }
      state = .fraction
    case .exponent where byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-"): state = .exponentSign
    case .exponent, .exponentSign:
      guard isDigit else { return "a digit expected" }
      state = .exponentDigits
    case .zero where isDigit: return "a number begins with 0"
    case .integer where isDigit, .fraction where isDigit, .exponentDigits where isDigit: break
    case .zero where byte == UInt8(ascii: "."), .integer where byte == UInt8(ascii: "."): state = .point
    case .zero where byte | 0x20 == UInt8(ascii: "e"), .integer where byte | 0x20 == UInt8(ascii: "e"),
      .fraction where byte | 0x20 == UInt8(ascii: "e"):
      state = .exponent
    default:
      state = .afterValue
      return step(byte)
    }
    return nil
  }
}
