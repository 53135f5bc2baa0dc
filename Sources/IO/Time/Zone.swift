import Glibc

/// A time zone: its offset from UTC at any time.
public struct Zone: Sendable {
  /// The name given to `--tz`.
  public let name: String
  private let transitions: [(at: Int, offset: Int)]
  private let first: Int
  private let rule: ZoneRule?

  public static let utc = Zone(fixedOffset: 0, name: "UTC")

  /// A zone with a fixed offset, in seconds east of Greenwich.
  public init(fixedOffset seconds: Int, name: String) {
    self.name = name
    transitions = []
    first = seconds
    rule = nil
  }

  package init(name: String, first: Int, transitions: [(at: Int, offset: Int)], rule: ZoneRule?) {
    self.name = name
    self.first = first
    self.transitions = transitions
    self.rule = rule
  }

  /// The zone of a name (`Europe/Berlin`) or offset (`+02:00`); nil if neither the system nor the zones
  /// that a release brings (`zoneinfo`, for a system that has none) know it.
  public init?(named name: String) {
    if ["UTC", "Z", "GMT"].contains(name.uppercased()) {
      self = .utc
    } else if let offset = Self.offset(name) {
      self.init(fixedOffset: offset, name: name)
    } else {
      let own = ResourceFolder("zoneinfo").map { [$0.path + "/"] } ?? []
      let folders = ["/usr/share/zoneinfo/", "/usr/lib/zoneinfo/", "/usr/share/lib/zoneinfo/"] + own
      let harmless = !name.isEmpty && !name.hasPrefix("/") && !name.contains("..")
      guard harmless, let zone = folders.lazy.compactMap({ Zone(file: $0 + name, name: name) }).first else {
        return nil
      }
      self = zone
    }
  }

  /// Seconds east of Greenwich at a time given in ms since the epoch.
  public func offset(atMs timeMs: Double) -> Int {
    guard timeMs.isFinite, abs(timeMs) < 1e15 else { return first }
    let seconds = Int((timeMs / 1000).rounded(.down))
    guard let last = transitions.last else { return rule?.offset(at: seconds) ?? first }
    if seconds >= last.at { return rule?.offset(at: seconds) ?? last.offset }
    let count = transitions.endOfPrefix { $0.at <= seconds }
    return count == 0 ? first : transitions[count - 1].offset
  }

  /// `+hh:mm` or `+hh` in seconds.
  private static func offset(_ text: String) -> Int? {
    guard let sign = text.first, sign == "+" || sign == "-" else { return nil }
    let parts = text.dropFirst().split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
    guard (1...2).contains(parts.count), let hours = parts[0], (0...23).contains(hours) else { return nil }
    let minutes = parts.count == 2 ? parts[1] : 0
    guard let minutes, (0...59).contains(minutes) else { return nil }
    return (sign == "-" ? -1 : 1) * (hours * 3600 + minutes * 60)
  }
}

extension Zone {
  /// Date and time, e.g. `2026-11-21 14:03:09.250+01:00`; nil for a time outside the calendar.
  public func text(_ timeMs: Double) -> String? {
    guard let civil = civil(timeMs) else { return nil }
    return "\(Self.date(civil)) \(Self.clock(civil)).\(padded(civil.millisecond, 3))\(offsetText(timeMs))"
  }

  /// The date, e.g. `2026-11-21`; nil for a time outside the calendar.
  public func dateText(_ timeMs: Double) -> String? { civil(timeMs).map(Self.date) }

  /// The time of day, e.g. `14:03:09`; nil for a time outside the calendar.
  public func clockText(_ timeMs: Double) -> String? { civil(timeMs).map(Self.clock) }

  /// The time of day with milliseconds, e.g. `14:03:09.250`; nil for a time outside the calendar.
  public func preciseClockText(_ timeMs: Double) -> String? {
    civil(timeMs).map { "\(Self.clock($0)).\(padded($0.millisecond, 3))" }
  }

  /// The UTC offset, e.g. `+01:00`. `Z` is used only in RFC 3339 text for programs.
  public func offsetText(_ timeMs: Double) -> String {
    let minutes = offset(atMs: timeMs) / 60
    return
      "\(minutes < 0 ? "-" : "+")\(padded(abs(minutes) / 60, 2)):\(padded(abs(minutes) % 60, 2))"
  }

  /// Date and time in the zone.
  public func civil(_ timeMs: Double) -> CivilTime? {
    CivilTime(wallMs: timeMs + Double(offset(atMs: timeMs)) * 1000)
  }

  private static func date(_ civil: CivilTime) -> String {
    "\(padded(civil.year, 4))-\(padded(civil.month, 2))-\(padded(civil.day, 2))"
  }

  private static func clock(_ civil: CivilTime) -> String {
    "\(padded(civil.hour, 2)):\(padded(civil.minute, 2)):\(padded(civil.second, 2))"
  }
}

/// The periods of constant offset of a zone.
extension Zone {
  /// A period with a constant offset from UTC.
  public struct Period: Equatable, Sendable {
    /// Start of the period, ms since the epoch; for the first period, the start of the requested range.
    public var fromMs: Double
    /// Seconds east of Greenwich.
    public var offset: Int
  }

  /// The periods in a range, in order; at least one.
  public func periods(fromMs: Double, toMs: Double) -> [Period] {
    var periods = [Period(fromMs: fromMs, offset: offset(atMs: fromMs))]
    // No zone changes its offset twice in half a day. Over centuries the step is larger, so some changes may be missed.
    let step = max(43_200_000, (toMs - fromMs) / 100_000)
    var before = fromMs
    while before < toMs {
      let after = min(toMs, before + step)
      let known = periods[periods.count - 1].offset
      if offset(atMs: after) != known {
        let change = change(after: before, atLeastBy: after, from: known)
        periods.append(Period(fromMs: change, offset: offset(atMs: change)))
      }
      before = after
    }
    return periods
  }

  /// The second at which the offset `known` ends, between a time at which it applies and one at which it does not.
  private func change(after before: Double, atLeastBy after: Double, from known: Int) -> Double {
    var (low, high) = ((before / 1000).rounded(.down), (after / 1000).rounded(.up))
    while high - low > 1 {
      let middle = ((low + high) / 2).rounded(.down)
      if offset(atMs: middle * 1000) == known { low = middle } else { high = middle }
    }
    return high * 1000
  }
}

/// Date and time of day in the proleptic Gregorian calendar.
public struct CivilTime: Sendable, Equatable {
  public var year: Int
  public var month: Int
  public var day: Int
  public var hour: Int
  public var minute: Int
  public var second: Int
  public var millisecond: Int

  /// The date and time `wallMs` milliseconds after 1970-01-01T00:00; nil outside the years 1 to 9999.
  public init?(wallMs: Double) {
    guard wallMs.isFinite, wallMs > -62_135_596_800_000, wallMs < 253_402_300_799_999 else { return nil }
    let total = Int(wallMs.rounded())
    let days = Self.floorDivide(total, 86_400_000)
    let inDay = total - days * 86_400_000
    (year, month, day) = Self.date(daysSinceEpoch: days)
    hour = inDay / 3_600_000
    minute = inDay / 60_000 % 60
    second = inDay / 1000 % 60
    millisecond = inDay % 1000
  }

  private static func date(daysSinceEpoch: Int) -> (Int, Int, Int) {
    let z = daysSinceEpoch + 719_468
    let era = floorDivide(z, 146_097)
    let dayOfEra = z - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
  }

  static func floorDivide(_ a: Int, _ b: Int) -> Int { a >= 0 ? a / b : -((b - 1 - a) / b) }
}

/// An integer with leading zeros.
package func padded(_ value: Int, _ digits: Int) -> String {
  let text = String(value.magnitude)
  return (value < 0 ? "-" : "") + String(repeating: "0", count: max(0, digits - text.count)) + text
}

extension Zone {
  package static let dayMs = 86_400_000.0

  /// Local time of the zone, in milliseconds since 1970-01-01T00:00 local time.
  package func wallMs(_ timeMs: Double) -> Double { timeMs + Double(offset(atMs: timeMs)) * 1000 }

  /// The time, ms since the epoch, of a local time of the zone.
  package func momentMs(wallMs: Double) -> Double {
    let guess = wallMs - Double(offset(atMs: wallMs)) * 1000
    return wallMs - Double(offset(atMs: guess)) * 1000
  }

  /// The time with the same local time of day, `days` days earlier.
  package func daysBefore(_ days: Double, _ timeMs: Double) -> Double {
    momentMs(wallMs: wallMs(timeMs) - days * Self.dayMs)
  }
}
