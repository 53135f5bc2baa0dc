import CallModel

/// Dates as programs write them that do not follow ISO 8601 to the letter.
enum WrittenTime {
  /// A date and a time with its zone, in milliseconds since the epoch; nil for anything else.
  static func ms(_ text: [UInt8]) -> Double? {
    guard let first = text.first else { return nil }
    return first == UInt8(ascii: "/") ? dotNet(text) : named(text)
  }

  /// `/Date(1700000000000)/` and `/Date(1700000000000+0100)/`, of which the zone is only how to show it: .NET's JSON.
  private static func dotNet(_ text: [UInt8]) -> Double? {
    var reader = DigitReader(text)
    guard reader.take(word: "/Date("), let ms = reader.long() else { return nil }
    if reader.take("+") || reader.take("-") { guard reader.number(4) != nil else { return nil } }
    guard reader.take(word: ")/"), reader.isAtEnd else { return nil }
    return ms
  }

  /// `Tue, 24 Nov 2026 02:14:06 GMT` (RFC 1123), `Tue Nov 24 2026 02:14:06 GMT+0100 (CET)` (JavaScript).
  private static func named(_ text: [UInt8]) -> Double? {
    var reader = DigitReader(text)
    if let name = reader.name(), !(1...12).contains(month(name)) {
      _ = reader.take(",")
      guard reader.take(" ") else { return nil }
    } else {
      reader = DigitReader(text)
    }
    var month = reader.name().map(month)
    if month != nil, !reader.take(" ") { return nil }
    guard let day = reader.number(), reader.take(" ") else { return nil }
    if month == nil {
      month = reader.name().map(Self.month)
      guard reader.take(" ") else { return nil }
    }
    guard let month, (1...12).contains(month), (1...31).contains(day), let year = reader.number(4),
      reader.take(" "), let clockMs = reader.clock(), reader.take(" "), let offset = reader.zone(),
      reader.passZoneName()
    else { return nil }
    return Double(CalendarDate.daysSinceEpoch(year, month, day)) * 86_400_000 + clockMs - offset
  }

  /// 1 to 12; 0 for what is none's name.
  private static func month(_ name: ArraySlice<UInt8>) -> Int {
    let place = CalendarDate.months.firstIndex { month in
      name.count == 3 && name.elementsEqual(UnsafeBufferPointer(start: month.utf8Start, count: 3))
    }
    return place.map { $0 + 1 } ?? 0
  }
}
