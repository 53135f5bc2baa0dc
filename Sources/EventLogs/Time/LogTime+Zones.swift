import Bytes

/// Zones as logs write them behind a time.
extension LogTime {
  /// What a log says of the zone of a time.
  enum Zone {
    /// East of Greenwich, ms.
    case known(Double)
    /// A name that several countries use for different zones, or that nobody here knows.
    case unknown(String)

    var ms: Double? { if case .known(let ms) = self { ms } else { nil } }
    var name: String? { if case .unknown(let name) = self { name } else { nil } }
  }

  /// Names of zones that mean one thing: those of RFC 5322 4.3 but CST, and those of the tz database that stand for one offset. In hours.
  fileprivate static let zones: [String: Double] = [
    "EST": -5, "EDT": -4, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7, "AKST": -9, "AKDT": -8,
    "HST": -10, "WET": 0, "WEST": 1, "CET": 1, "CEST": 2, "MET": 1, "MEST": 2, "MEZ": 1, "MESZ": 2, "EET": 2,
    "EEST": 3, "MSK": 3, "SAST": 2, "PKT": 5, "WIB": 7, "HKT": 8, "SGT": 8, "JST": 9, "KST": 9, "AWST": 8,
    "ACST": 9.5, "ACDT": 10.5, "AEST": 10, "AEDT": 11, "NZST": 12, "NZDT": 13, "BRT": -3,
  ]

  /// Names that stand for several: India, Ireland and Israel; America and China; Britain and Bangladesh; Arabia and the Atlantic.
  fileprivate static let sharedZones: Set<String> = ["IST", "CST", "BST", "AST", "ADT", "GST", "SST"]
}

extension LogTime.Scan {
  /// Z, +01:00, +0100, +01, GMT, UTC, GMT+0100, GMT+1, CET, with or without a space before.
  /// - Parameter isSure: whether only what can be nothing else counts, as behind a time of day: no `-12`.
  mutating func zone(isSure: Bool = false) -> LogTime.Zone? {
    let begin = self
    if skip(UInt8(ascii: "Z")) || skip(UInt8(ascii: "z")) {
      if !isSure || !isAtWord { return .known(0) }
      self = begin
      return nil
    }
    _ = skip(UInt8(ascii: " "))
    let isNamed = rest.starts(with: "GMT".utf8) || rest.starts(with: "UTC".utf8)
    if isNamed { drop(3) }
    let west = isAt(UInt8(ascii: "-"))
    guard west || isAt(UInt8(ascii: "+")) else {
      if isNamed, !isSure || !isAtWord { return .known(0) }
      self = begin
      return namedZone()
    }
    drop(1)
    guard let hours = digits(2) ?? (isNamed ? digits(1) : nil), hours <= 14 else {
      self = begin
      return nil
    }
    _ = skip(UInt8(ascii: ":"))
    let minutes = digits(2)
    if isSure, !isNamed, minutes.map({ !$0.isMultiple(of: 15) }) ?? true || isAtWord {
      self = begin
      return nil
    }
    return .known(Double(hours * 60 + (minutes ?? 0)) * (west ? -60_000 : 60_000))
  }

  /// A zone by its name; where a year must follow, one that nobody knows too.
  mutating func namedZone(allowsAny: Bool = false) -> LogTime.Zone? {
    var ahead = self
    _ = ahead.skip(UInt8(ascii: " "))
    let word = ahead.rest.prefix(6).prefix(while: \.isASCIICapital)
    guard (3...5).contains(word.count) else { return nil }
    ahead.drop(word.count)
    guard !ahead.isAtWord, !ahead.isAt(UInt8(ascii: "_")), !ahead.isAt(UInt8(ascii: "=")) else { return nil }
    let name = String(decoding: word, as: UTF8.self)
    let zone: LogTime.Zone
    if let hours = LogTime.zones[name] {
      zone = .known(hours * 3_600_000)
    } else if allowsAny || LogTime.sharedZones.contains(name) {
      zone = .unknown(name)
    } else {
      return nil
    }
    self = ahead
    return zone
  }
}
