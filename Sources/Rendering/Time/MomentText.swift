import CallModel
import IO

/// Parses times as people write them: `24h`, `today`, `yesterday`, `02:12` (its last occurrence), `2026-11-21`,
/// `2026-11-21T10:00`, RFC 3339.
public enum MomentText {
  /// Milliseconds since the epoch; nil if the text is not a time. Dates and times without an offset are in the zone.
  public static func parse(_ text: String, zone: Zone, nowMs: Double) -> Double? {
    switch text {
    case "now": return nowMs
    case "today": return midnight(of: nowMs, zone)
    case "yesterday": return midnight(of: nowMs, zone).flatMap { midnight(of: $0 - 3_600_000, zone) }
    default: return ago(text, nowMs) ?? dated(text, zone) ?? lastClock(text, zone, nowMs)
    }
  }

  /// Explains why a time without an offset is ambiguous or does not exist, if a clock change falls on it; otherwise
  /// nil.
  public static func doubt(_ text: String, zone: Zone) -> String? {
    guard let wall = parse(text, zone: .utc, nowMs: 0), let atMs = parse(text, zone: zone, nowMs: 0),
      text.first?.isNumber == true, text.contains(where: { $0 == "T" || $0 == "t" || $0 == " " }),
      // A text with an offset means the same time in every zone.
      parse(text, zone: Zone(fixedOffset: 3600, name: ""), nowMs: 0) != wall
    else { return nil }
    guard zone.wallMs(atMs) == wall else {
      return "\(text) is no time of \(zone.name), where clocks are put on: \(zone.text(atMs) ?? "?") is taken"
    }
    let hours = [-2.0, -1, -0.5, 0.5, 1, 2].map { atMs + $0 * 3_600_000 }
    guard let other = hours.first(where: { zone.wallMs($0) == wall }) else { return nil }
    return
      "\(text) comes twice in \(zone.name): \(zone.text(atMs) ?? "?") is taken, not \(zone.text(other) ?? "?")"
  }

  /// Parses `90s`, `30m`, `24h`, `7d` or `2w` as the time that long before now.
  private static func ago(_ text: String, _ nowMs: Double) -> Double? {
    let units: [Character: Double] = ["s": 1e3, "m": 60e3, "h": 3600e3, "d": 86400e3, "w": 604_800e3]
    guard let unit = text.last.flatMap({ units[$0] }), let count = Double(text.dropLast()), count >= 0 else {
      return nil
    }
    return nowMs - count * unit
  }

  /// Whether a text is a time without a date.
  public static func isClock(_ text: String) -> Bool {
    text.contains(":") && text.utf8.allSatisfy { $0 == UInt8(ascii: ":") || (48...57).contains($0) }
      && timed(text[...], 0, .utc) != nil
  }

  /// The next occurrence of a time without a date, in the zone, after `afterMs`.
  public static func next(_ clock: String, zone: Zone, afterMs: Double) -> Double? {
    [0, 1, 2].lazy.compactMap { day in
      zone.dateText(afterMs + day * 86400e3).flatMap { dated("\($0)T\(clock)", zone) }
    }.first { $0 > afterMs }
  }

  /// `02:12` or `02:12:30`: its last occurrence in the zone.
  private static func lastClock(_ text: String, _ zone: Zone, _ nowMs: Double) -> Double? {
    guard let today = zone.dateText(nowMs),
      let yesterday = midnight(of: nowMs, zone).flatMap({ zone.dateText($0 - 3_600_000) })
    else { return nil }
    let moments = [today, yesterday].compactMap { dated("\($0)T\(text)", zone) }
    return moments.first { $0 <= nowMs }
  }

  private static func midnight(of timeMs: Double, _ zone: Zone) -> Double? {
    zone.dateText(timeMs).flatMap { dated($0, zone) }
  }

  private static func dated(_ text: String, _ zone: Zone) -> Double? {
    let parts = text.split(whereSeparator: { $0 == "T" || $0 == "t" || $0 == " " })
    guard let date = parts.first, parts.count <= 2, let days = days(date) else { return nil }
    guard parts.count == 2 else { return zone.momentMs(wallMs: days * 86400e3) }
    return timed(parts[1], days * 86400e3, zone)
  }

  /// Days since the epoch of `YYYY-MM-DD`, proleptic Gregorian.
  private static func days(_ text: Substring) -> Double? {
    let fields = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
    guard fields.count == 3, text.count == 10, let year = fields[0], let month = fields[1],
      let day = fields[2],
      (1...12).contains(month), (1...31).contains(day)
    else { return nil }
    let days = Double(CalendarDate.daysSinceEpoch(year, month, day))
    // Rejects dates such as 31 June.
    return CivilTime(wallMs: days * 86400e3)?.day == day ? days : nil
  }

  /// Parses `HH:MM[:SS[.fraction]]` with `Z`, an offset, or none.
  private static func timed(_ text: Substring, _ midnight: Double, _ zone: Zone) -> Double? {
    var clock = text
    var offset: Double?
    if clock.last == "Z" || clock.last == "z" {
      clock = clock.dropLast()
      offset = 0
    } else if let sign = clock.lastIndex(where: { $0 == "+" || $0 == "-" }) {
      let fields = clock[sign...].dropFirst().split(separator: ":").compactMap { Double($0) }
      guard fields.count == 2 else { return nil }
      offset = (fields[0] * 3600e3 + fields[1] * 60e3) * (clock[sign] == "-" ? -1 : 1)
      clock = clock[..<sign]
    }
    let fields = clock.split(separator: ":", omittingEmptySubsequences: false).map { Double($0) }
    guard (2...3).contains(fields.count), let hours = fields[0], let minutes = fields[1], hours < 24,
      minutes < 60
    else { return nil }
    let seconds = fields.count == 3 ? fields[2] : 0
    guard let seconds, seconds < 61 else { return nil }
    let wall = midnight + hours * 3600e3 + minutes * 60e3 + seconds * 1e3
    return offset.map { wall - $0 } ?? zone.momentMs(wallMs: wall)
  }
}
