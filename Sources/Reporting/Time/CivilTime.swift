/// A moment as a calendar and a wall clock show it, in the proleptic Gregorian calendar.
public struct CivilTime: Sendable, Equatable {
  public var year: Int
  public var month: Int
  public var day: Int
  public var hour: Int
  public var minute: Int
  public var second: Int
  public var millisecond: Int

  /// The reading of a clock so many milliseconds after 1970-01-01T00:00; nil outside the years 1 to 9999.
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

/// A whole number with leading zeros.
func padded(_ value: Int, _ digits: Int) -> String {
  let text = String(value.magnitude)
  return (value < 0 ? "-" : "") + String(repeating: "0", count: max(0, digits - text.count)) + text
}
