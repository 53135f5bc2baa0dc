extension LogTime {
  /// Parses the parts of a timestamp.
  struct Scan {
    private(set) var rest: ArraySlice<UInt8>
    private let start: Int
    /// What an unknown word beside the last hour may mean.
    private(set) var hourWord = Stamp.HourWord.none

    init(_ bytes: ArraySlice<UInt8>) {
      rest = bytes
      start = bytes.startIndex
    }

    var taken: Int { rest.startIndex - start }

    /// Whether the next character is neither letter, digit nor colon.
    var isAtGap: Bool { !isAtWord && !isAt(UInt8(ascii: ":")) }

    /// Whether the next character is a letter or digit.
    var isAtWord: Bool { isAtDigit || rest.first.map(\.isASCIILetter) ?? false }

    var isAtDigit: Bool { rest.first.map(\.isASCIIDigit) ?? false }

    func isAt(_ byte: UInt8) -> Bool { rest.first == byte }

    mutating func digits(_ count: Int) -> Int? {
      guard rest.count >= count else { return nil }
      var value = 0
      for byte in rest.prefix(count) {
        guard byte.isASCIIDigit else { return nil }
        value = value * 10 + Int(byte - UInt8(ascii: "0"))
      }
      rest = rest.dropFirst(count)
      return value
    }

    mutating func digits(upTo count: Int) -> Int? {
      for count in (1...count).reversed() {
        if let value = digits(count) { return value }
      }
      return nil
    }

    /// A number of one to four digits.
    mutating func number() -> (value: Int, digits: Int)? {
      let count = rest.prefix(5).prefix(while: \.isASCIIDigit).count
      guard count <= 4 else { return nil }
      return digits(count == 0 ? 1 : count).map { ($0, count) }
    }

    mutating func drop(_ count: Int) { rest = rest.dropFirst(count) }

    mutating func skip(_ byte: UInt8) -> Bool {
      guard rest.first == byte else { return false }
      rest = rest.dropFirst()
      return true
    }

    /// Skips separators of day, month and year: blanks, commas, slashes, hyphens; before a time also a colon.
    mutating func gap() {
      repeat {
        rest = rest.drop {
          $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "/")
            || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ":")
        }
      } while wideBlank()
    }

    mutating func weekday() -> Bool { word(["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]) != nil }

    private mutating func word(_ words: [StaticString]) -> Int? {
      guard rest.count > 3 else { return nil }
      let found = words.firstIndex { word in
        (0..<3).allSatisfy { rest[rest.startIndex + $0] == word.utf8Start[$0] }
      }
      // A complete name, not the start of another word.
      let next = rest[rest.startIndex + 3]
      guard let found, !next.isASCIILetter else { return nil }
      rest = rest.dropFirst(3)
      return found
    }

    /// hh:mm:ss with any number of decimals after a point or comma, on a 24-hour or 12-hour clock.
    /// - Parameter isAfternoon: the half of the day, if it precedes the time.
    mutating func timeOfDay(_ isAfternoon: Bool? = nil) -> Double? {
      let before = taken
      guard let hour = digits(upTo: 2) else { return nil }
      let isPadded = taken - before == 2 && hour < 10
      guard skip(UInt8(ascii: ":")), let minute = digits(2), skip(UInt8(ascii: ":")), let second = digits(2),
        hour < 24, minute < 60, second <= 60
      else { return nil }
      var ms = Double((hour * 60 + minute) * 60 + second) * 1000 + (decimals() ?? decimalsBehindColon() ?? 0)
      if let isAfternoon = isAfternoon ?? halfOfDay() {
        guard (1...12).contains(hour) else { return nil }
        ms += Double(hour % 12 + (isAfternoon ? 12 : 0) - hour) * 3_600_000
      } else if isAtForeignWord {
        hourWord = (1...12).contains(hour) && !isPadded ? .mayBeHalf : .isNoHalf
      }
      return ms
    }

    /// hhmmss with decimals, in 24 hours.
    mutating func packedTimeOfDay() -> Double? {
      guard let hour = digits(2), let minute = digits(2), let second = digits(2),
        hour < 24, minute < 60, second <= 60, let fraction = decimals()
      else { return nil }
      return Double((hour * 60 + minute) * 60 + second) * 1000 + fraction
    }

    // Milliseconds after another colon, as written by CocoaLumberjack: `10:00:00:123`.
    private mutating func decimalsBehindColon() -> Double? {
      var ahead = self
      guard ahead.skip(UInt8(ascii: ":")), let ms = ahead.digits(3), ahead.isAtGap else { return nil }
      self = ahead
      return Double(ms)
    }

    // Decimals of a second after a point or comma, in milliseconds.
    private mutating func decimals() -> Double? {
      guard let point = rest.first, point == UInt8(ascii: ".") || point == UInt8(ascii: ","),
        let digit = rest.dropFirst().first,
        digit.isASCIIDigit
      else { return nil }
      rest = rest.dropFirst()
      var ms = 0.0
      var scale = 100.0
      while let digit = digits(1) {
        ms += Double(digit) * scale
        scale /= 10
      }
      return ms
    }
  }
}
