extension JSONScanner {
  /// Reads a number as the nearest double; too large ones become infinite, too small ones 0.
  ///
  /// Exact with integer arithmetic up to 19 significant digits and 19 decimals, otherwise by the standard library.
  @inlinable
  public mutating func number() throws(JSONError) -> Double {
    var byte = skipSpace()
    let start = position
    let negative = byte == UInt8(ascii: "-")
    if negative {
      position &+= 1
      byte = position < end ? bytes[position] : 0
    }
    guard byte.isASCIIDigit else { throw unexpected("a number") }
    var mantissa: UInt64 = 0
    let digitsStart = position
    if byte == UInt8(ascii: "0") {
      position &+= 1
      if position < end, bytes[position].isASCIIDigit {
        throw JSONError(byte: position, reason: "a number begins with 0")
      }
    } else {
      scanDigits(&mantissa)
    }
    var digits = position &- digitsStart
    var decimals = 0
    if position < end {
      byte = bytes[position]
      if byte == UInt8(ascii: ".") {
        position &+= 1
        let decimalsStart = position
        scanDigits(&mantissa)
        decimals = position &- decimalsStart
        if decimals == 0 { throw unexpected("a digit") }
        digits &+= decimals
        byte = position < end ? bytes[position] : 0
      }
      if byte | 0x20 == UInt8(ascii: "e") {
        try scanExponent()
        return decimalDouble(start)
      }
    }
    // The mantissa cannot have overflowed up to 19 digits; leading zeros of 0.000… only make it smaller.
    guard digits <= 19 else { return decimalDouble(start) }
    let magnitude = decimals == 0 ? Double(mantissa) : quotient(mantissa, decimals)
    return negative ? -magnitude : magnitude
  }

  /// Reads the next digits, eight at a time (SWAR: D. Lemire, "Number parsing at a gigabyte per second", 2021); wraps
  /// around beyond 19 digits.
  @inlinable @inline(__always)
  mutating func scanDigits(_ mantissa: inout UInt64) {
    let raw = UnsafeRawBufferPointer(bytes)
    while position &+ 8 <= end {
      let word = raw.loadUnaligned(fromByteOffset: position, as: UInt64.self).littleEndian
      let digits = word ^ 0x3030_3030_3030_3030
      // The top bit is set for bytes above 9; carries only affect later bytes.
      let others = (digits &+ 0x7676_7676_7676_7676 | digits) & 0x8080_8080_8080_8080
      if others == 0 {
        mantissa = mantissa &* 100_000_000 &+ Self.value(ofDigits: digits)
        position &+= 8
        continue
      }
      let count = others.trailingZeroBitCount &>> 3
      guard count > 0 else { return }
      // As if zeros preceded them.
      mantissa =
        mantissa &* Self.power(count) &+ Self.value(ofDigits: digits &<< UInt64(64 &- 8 &* count))
      position &+= count
      return
    }
    while position < end {
      let digit = bytes[position] &- UInt8(ascii: "0")
      guard digit <= 9 else { return }
      mantissa = mantissa &* 10 &+ UInt64(digit)
      position &+= 1
    }
  }

  /// The value of eight digits, the first in the lowest byte.
  @inlinable @inline(__always)
  static func value(ofDigits digits: UInt64) -> UInt64 {
    let pairs = (digits &* (10 &* 256 &+ 1)) &>> 8 & 0x00FF_00FF_00FF_00FF
    let fours = (pairs &* (100 &* 65_536 &+ 1)) &>> 16 & 0x0000_FFFF_0000_FFFF
    return (fours &* (10_000 &* 4_294_967_296 &+ 1)) &>> 32
  }

  /// Ten to the power of 1 to 7.
  @inlinable @inline(__always)
  static func power(_ exponent: Int) -> UInt64 {
    switch exponent {
    case 1: 10
    case 2: 100
    case 3: 1000
    case 4: 10_000
    case 5: 100_000
    case 6: 1_000_000
    default: 10_000_000
    }
  }

  @usableFromInline
  mutating func scanExponent() throws(JSONError) {
    position &+= 1
    if position < end, bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-") {
      position &+= 1
    }
    var ignored: UInt64 = 0
    let start = position
    scanDigits(&ignored)
    if position == start { throw unexpected("a digit") }
  }

  /// `mantissa / 10^decimals` with a single rounding.
  @inlinable
  func quotient(_ mantissa: UInt64, _ decimals: Int) -> Double {
    if mantissa < 1 << 53, decimals <= 22 {
      return Double(mantissa) / exactPower(decimals)  // Both are exact, so one division rounds once.
    }
    return longQuotient(mantissa, decimals)
  }

  /// The same for mantissas of up to 64 bits: a 128 by 64 bit division, whose remainder breaks ties.
  @usableFromInline
  func longQuotient(_ mantissa: UInt64, _ decimals: Int) -> Double {
    guard mantissa != 0 else { return 0 }
    var divisor: UInt64 = 1
    for _ in 0..<min(decimals, 19) { divisor &*= 10 }
    let mantissaShift = mantissa.leadingZeroBitCount
    let divisorShift = divisor.leadingZeroBitCount
    let dividend = mantissa << UInt64(mantissaShift)
    let (quotient, remainder) = (divisor << UInt64(divisorShift)).dividingFullWidth(
      (dividend >> 1, dividend << 63))
    // At least 63 bits of quotient: the lowest bit is far below the rounding position and serves as the sticky bit.
    let sticky = remainder == 0 ? quotient : quotient | 1
    let exponent = divisorShift - mantissaShift - 63
    return Double(sign: .plus, exponent: exponent, significand: Double(sticky))
  }

  @inlinable @inline(__always)
  func exactPower(_ exponent: Int) -> Double {
    switch exponent {
    case 0: 1
    case 1: 1e1
    case 2: 1e2
    case 3: 1e3
    case 4: 1e4
    case 5: 1e5
    case 6: 1e6
    case 7: 1e7
    case 8: 1e8
    case 9: 1e9
    case 10: 1e10
    case 11: 1e11
    case 12: 1e12
    case 13: 1e13
    case 14: 1e14
    case 15: 1e15
    case 16: 1e16
    case 17: 1e17
    case 18: 1e18
    case 19: 1e19
    case 20: 1e20
    case 21: 1e21
    default: 1e22
    }
  }

  /// Converts the number from `start` to the current position with the standard library, independent of the locale.
  @usableFromInline @inline(never)
  func decimalDouble(_ start: Int) -> Double {
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    return Double(text) ?? (bytes[start] == UInt8(ascii: "-") ? -.infinity : .infinity)
  }
}

extension JSONScanner {
  /// Skips and validates any value and returns its bytes.
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

  /// Skips an object or array with a loop and a bit stack instead of recursion.
  private mutating func skipNested() throws(JSONError) {
    var open = BitStack()
    var byte = bytes[position]
    while true {
      // At the start of a value.
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
      // After a value: close brackets until another value follows.
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

/// The open brackets, one bit each: 64 without allocating, then as many as there are bytes.
struct BitStack {
  /// Deepest nesting accepted: 64 Mi levels take 8 MiB. RFC 8259 section 9 lets a parser set such a limit.
  static let deepest = 1 << 26

  private(set) var depth = 0
  private var top: UInt64 = 0
  private var below: [UInt64] = []

  /// Opens a bracket, true for an object. Returns false if it is nested too deep.
  mutating func push(_ isObject: Bool) -> Bool {
    guard depth < Self.deepest else { return false }
    if depth > 0, depth & 63 == 0 {
      below.append(top)
      top = 0
    }
    top = top << 1 | (isObject ? 1 : 0)
    depth += 1
    return true
  }

  /// Closes the innermost bracket.
  mutating func pop() {
    depth -= 1
    top >>= 1
    if depth > 0, depth & 63 == 0 { top = below.popLast() ?? 0 }
  }

  /// Whether the innermost open bracket is an object.
  var isObject: Bool { top & 1 == 1 }
}
