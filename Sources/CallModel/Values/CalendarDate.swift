/// Dates of the proleptic Gregorian calendar.
public enum CalendarDate {
  /// The months as written in logs and by browsers, January first.
  public static let months: [StaticString] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// The years 1900 to 2099 in the Thai calendar.
  public static let buddhistYears = 2443...2642
  /// The note about such years.
  public static let buddhistNote = "years like 2569 are of the Buddhist era: read as 543 years earlier"

  /// The Gregorian year of a year that may be of the Buddhist era.
  public static func year(_ year: Int) -> Int { buddhistYears.contains(year) ? year - 543 : year }

  /// Days from 1970-01-01 to a date (H. Hinnant, "chrono-compatible low-level date algorithms").
  public static func daysSinceEpoch(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }
}
