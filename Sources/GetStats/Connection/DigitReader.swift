/// Parses digits and punctuation from the start of a text.
struct DigitReader {
  private let bytes: [UInt8]
  private var position = 0
  private(set) var wasMinus = false
  /// Whether the last zone was an offset in Go's form, followed by the name of the zone.
  private var isPlainOffset = false

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  /// A number with an exact number of digits.
  mutating func number(_ digits: Int) -> Int? {
    guard position + digits <= bytes.count else { return nil }
    var value = 0
    for byte in bytes[position..<(position + digits)] {
      guard byte.isASCIIDigit else { return nil }
      value = value * 10 + Int(byte - UInt8(ascii: "0"))
    }
    position += digits
    return value
  }

  /// A number of one or more digits, up to nine.
  mutating func number() -> Int? {
    let digits = bytes[position...].prefix(10).prefix(while: \.isASCIIDigit).count
    return digits > 0 && digits < 10 ? number(digits) : nil
  }

  /// A number with any number of digits, as a Double; nil if there is none.
  mutating func long() -> Double? {
    let digits = bytes[position...].prefix(16).prefix(while: \.isASCIIDigit)
    guard (1...15).contains(digits.count) else { return nil }
    position += digits.count
    return digits.reduce(0) { $0 * 10 + Double($1 - UInt8(ascii: "0")) }
  }

  /// `021406` and `021406.123` in milliseconds.
  mutating func basicClock() -> Double? {
    guard let hour = number(2), let minute = number(2), let second = number(2), hour < 25, minute < 60 else {
      return nil
    }
    let seconds = Double(second) + (take(".") || take(",") ? fraction() : 0)
    return Double(hour * 60 + minute) * 60_000 + seconds * 1000
  }

  /// A word of letters, nil where there is none.
  mutating func name() -> ArraySlice<UInt8>? {
    let word = bytes[position...].prefix(while: \.isASCIILetter)
    position += word.count
    return word.isEmpty ? nil : word
  }

  /// Skips one byte.
  mutating func skipByte() { if position < bytes.count { position += 1 } }

  /// Fraction digits.
  mutating func fraction() -> Double {
    var value = 0.0
    var scale = 0.1
    while position < bytes.count, bytes[position].isASCIIDigit {
      value += Double(bytes[position] - UInt8(ascii: "0")) * scale
      scale /= 10
      position += 1
    }
    return value
  }

  /// Skips a character if it is next.
  mutating func take(_ mark: Unicode.Scalar) -> Bool {
    guard position < bytes.count, UInt32(bytes[position]) == mark.value else { return false }
    position += 1
    return true
  }

  /// Skips a word if it is next.
  mutating func take(word: StaticString) -> Bool {
    let count = word.utf8CodeUnitCount
    guard position + count <= bytes.count,
      (0..<count).allSatisfy({ bytes[position + $0] == word.utf8Start[$0] })
    else { return false }
    position += count
    return true
  }

  mutating func takeMinus() -> Bool {
    wasMinus = take("-")
    return wasMinus
  }
}

extension DigitReader {
  /// `02:14`, `02:14:06`, `02:14:06.123`, `02:14:06,123` in milliseconds.
  mutating func clock() -> Double? {
    guard let hour = number(2), take(":"), let minute = number(2), hour < 25, minute < 60 else { return nil }
    var seconds = 0.0
    if take(":") {
      guard let whole = number(2) else { return nil }
      seconds = Double(whole) + (take(".") || take(",") ? fraction() : 0)
    }
    return Double(hour * 60 + minute) * 60_000 + seconds * 1000
  }

  /// `Z`, `UTC`, `GMT`, with or without an offset, or an offset alone; ms east of Greenwich. Nil if there is none.
  mutating func zone() -> Double? {
    isPlainOffset = false
    let isNamed = take("Z") || take(word: "UTC") || take(word: "GMT")
    guard take("+") || takeMinus() else { return isNamed ? 0 : nil }
    let sign = wasMinus ? -1 : 1
    guard let hours = number(2) else { return nil }
    let hasColon = take(":")
    let minutes = number(2)
    isPlainOffset = !isNamed && !hasColon && minutes != nil
    return Double((hours * 60 + (minutes ?? 0)) * sign) * 60_000
  }

  /// Skips the name of the zone after its offset, to the end: ` UTC` and ` CET m=+0.5` (Go), ` (CET)` (JavaScript),
  /// `[Europe/Berlin]` (Java). False if anything else follows.
  mutating func passZoneName() -> Bool {
    if isAtEnd { return true }
    if take("[") { return pass(to: "]") }
    guard take(" ") else { return false }
    if take("(") { return pass(to: ")") }
    guard isPlainOffset else { return false }
    if !take(word: "m=") {
      guard name() != nil || (take("+") || take("-")) && number() != nil else { return false }
      if isAtEnd { return true }
      guard take(word: " m=") else { return false }
    }
    guard take("+") || take("-"), number() != nil else { return false }
    if take(".") { _ = fraction() }
    return isAtEnd
  }

  private mutating func pass(to mark: Unicode.Scalar) -> Bool {
    while !isAtEnd { if take(mark) { return isAtEnd } else { skipByte() } }
    return false
  }
}
