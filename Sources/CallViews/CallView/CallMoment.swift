import CallModel
import Rendering

/// Parses a time within a call as entered by a user.
public enum CallMoment {
  /// Milliseconds since the Unix epoch of `14:03`, `14:03:10.5` (in the time zone, on the day of the call), `+0:42`,
  /// `42s` (from the start), or a date with time; nil for any other text, or if the call has no time.
  public static func parse(_ text: String, in account: CallAccount, zone: Zone) -> Double? {
    guard let start = account.zeroMs else { return nil }
    if text.hasPrefix("+") { return seconds(text.dropFirst()).map { start + $0 * 1000 } }
    if text.hasSuffix("s"), let value = Double(text.dropLast()), value.isFinite {
      return start + value * 1000
    }
    if text.hasPrefix("2"), text.utf8.count > 10 { return MomentText.parse(text, zone: zone, nowMs: start) }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), let hour = Int(parts[0]), (0...23).contains(hour),
      let minute = Int(parts[1]),
      (0...59).contains(minute), let second = parts.count == 3 ? Double(parts[2]) : 0,
      (0..<61).contains(second),
      let civil = zone.civil(start)
    else { return nil }
    let days = CalendarDate.daysSinceEpoch(civil.year, civil.month, civil.day)
    let wall = Double(days) * 86_400_000 + Double(hour * 60 + minute) * 60_000 + second * 1000
    let around = (start - 60_000)...(max(start, account.lastMs ?? start) + 60_000)
    // The time zone offset may change during a call; after midnight the clock time belongs to the next day.
    let moments = zone.periods(fromMs: around.lowerBound, toMs: around.upperBound).map {
      wall - Double($0.offset) * 1000
    }
    return (moments + moments.map { $0 + 86_400_000 }).first(where: around.contains) ?? moments.first
  }

  /// The time that a text means: `14:03` is that minute, everything else its second.
  public static func span(_ text: String, in account: CallAccount, zone: Zone) -> ClosedRange<Double>? {
    guard let from = parse(text, in: account, zone: zone) else { return nil }
    let clock = text.split { "Tt ".contains($0) }.last?.prefix { $0 == ":" || $0.isNumber }
    let isMinute = !text.hasPrefix("+") && clock?.filter { $0 == ":" }.count == 1
    return from...from + (isMinute ? 60_000 : 1000)
  }

  /// The seconds of `1:02:03`, `0:42` or `42`.
  public static func seconds(_ text: Substring) -> Double? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { Double($0) }
    guard (1...3).contains(parts.count) else { return nil }
    var total = 0.0
    for part in parts {
      guard let part, part >= 0, part < 1e9 else { return nil }
      total = total * 60 + part
    }
    return total
  }
}
