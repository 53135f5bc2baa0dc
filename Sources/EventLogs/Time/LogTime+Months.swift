import Bytes

/// Months by the names that programs give them in the languages of their users.
extension LogTime {
  // Short names (CLDR, months, abbreviated) without their points: English, German, French, Spanish, Italian, Portuguese, Dutch, Russian.
  private static let monthNames = [
    "jan janv ene gen j\u{E4}n \u{44F}\u{43D}\u{432}", "feb f\u{E9}vr fev \u{444}\u{435}\u{432}\u{440}",
    "mar m\u{E4}rz m\u{E4}r mrz mars mrt \u{43C}\u{430}\u{440}", "apr avr abr \u{430}\u{43F}\u{440}",
    "may mai mag mei \u{43C}\u{430}\u{44F}", "jun juni juin giu \u{438}\u{44E}\u{43D}",
    "jul juli juil lug \u{438}\u{44E}\u{43B}", "aug ao\u{FB}t ago \u{430}\u{432}\u{433}",
    "sep sept set \u{441}\u{435}\u{43D}\u{442}", "oct okt ott out \u{43E}\u{43A}\u{442}",
    "nov \u{43D}\u{43E}\u{44F}\u{431}", "dec dez d\u{E9}c dic \u{434}\u{435}\u{43A}",
  ]

  /// Months by the bytes of their names in small letters, eight at most.
  fileprivate static let months: [UInt64: Int] = {
    var months: [UInt64: Int] = [:]
    for (index, names) in monthNames.enumerated() {
      for name in names.split(separator: " ") { months[key(of: name.utf8)] = index + 1 }
    }
    return months
  }()

  fileprivate static func key(of name: some Sequence<UInt8>) -> UInt64 {
    name.reduce(0) { $0 << 8 | UInt64($1.asciiLowercased) }
  }
}

extension LogTime.Scan {
  /// A month by its short name, with or without a point behind it.
  mutating func month() -> Int? {
    let word = rest.prefix(9).prefix { $0.isASCIILetter || $0 >= 0x80 }
    guard (3...8).contains(word.count), word.endIndex < rest.endIndex,
      let month = LogTime.months[LogTime.key(of: word)]
    else { return nil }
    drop(word.count)
    _ = skip(UInt8(ascii: "."))
    return month
  }
}
