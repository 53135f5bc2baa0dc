import CallModel
import Glibc

/// Converts the timestamps of a text log to times since the epoch: many have no zone, some no year, some no date.
///
/// Missing parts are inferred from the log if possible (an epoch time printed beside a timestamp), otherwise assumed
/// and noted.
public struct TextClock {
  /// Offset of local time from UTC, ms.
  private var zoneMs: Double?
  /// A time near the log, for its year or date.
  private var nearMs: Double?
  /// Whether that is the end of the log, rather than somewhere near it.
  private var isUpperBound = true
  private var lastDayMs: Double?
  private var dayStartMs: Double?
  /// Assumptions made, and how the zone was found.
  public var notes: [String] { said + steps.notes + (isHalfUnknown ? [DayHalf.unknown] : []) }
  private var said: [String] = []
  private var steps = ClockSteps()
  // Whether a word beside the hours may be a half of the day, and whether the hours show a 24-hour clock.
  private var (mayHaveHalf, isWholeDay) = (false, false)
  private var isHalfUnknown: Bool { mayHaveHalf && !isWholeDay }
  // The first ambiguous zone name.
  private var unknownZone: String?
  /// Whether dates with slashes have the day first, once one of them shows it.
  public var isDayFirst: Bool?

  /// - Parameter writtenMs: when the file was written, if known.
  public init(writtenMs: Double?) { nearMs = writtenMs }

  /// Learns from an epoch time beside a timestamp.
  public mutating func learn(
    epochMs: Double, beside stamp: LogTime.Stamp, from source: String = "epoch times in the log"
  ) {
    guard zoneMs == nil, epochMs > 1e12, stamp.either == nil else { return }
    nearMs = epochMs
    isUpperBound = false
    guard let local = localMs(stamp, near: epochMs) else { return }
    let quarter = ZoneOffset.nearest(toMs: local - epochMs)
    guard abs(local - epochMs - quarter) < 60_000, abs(quarter) <= 50_400_000 else { return }
    zoneMs = quarter
    if stamp.date?.zoned == nil, stamp.zoneMs == nil {
      let hours = (quarter / 36_000).rounded() / 100
      said.append(
        "zone of the stamps found by \(source): UTC\(hours < 0 ? "-" : "+")\(abs(hours)) h")
    }
  }

  /// The time of a timestamp.
  public mutating func moment(_ stamp: LogTime.Stamp) -> Double? {
    if stamp.isBuddhist { say(CalendarDate.buddhistNote) }
    mayHaveHalf = mayHaveHalf || stamp.hourWord == .mayBeHalf
    isWholeDay = isWholeDay || stamp.hourWord == .isNoHalf
    if let zoned = stamp.date?.zoned { return zoned }
    isDayFirst = isDayFirst ?? stamp.isDayFirst
    if let (first, second, year) = stamp.either, let dayMs = stamp.dayMs {
      guard let isDayFirst else {
        say("dates like 03/04/2026 do not say which number is the day: not taken as times")
        return nil
      }
      let zone = zone(of: stamp)
      let (month, day) = isDayFirst ? (second, first) : (first, second)
      let local = Double(CalendarDate.daysSinceEpoch(year, month, day)) * 86_400_000 + dayMs
      return steps.follow(local) - zone
    }
    if stamp.date == nil, nearMs == nil {
      nearMs = Double(time(nil)) * 1000
      say("the stamps have no \(stamp.monthDay == nil ? "date" : "year"): taken as the last one before today")
    }
    if stamp.date == nil, stamp.monthDay == nil { return ofDay(stamp) }
    guard let local = localMs(stamp, near: nearMs ?? 0) else { return nil }
    return steps.follow(local) - zone(of: stamp)
  }

  // Its own zone, otherwise that of the log, otherwise UTC.
  private mutating func zone(of stamp: LogTime.Stamp) -> Double {
    if let zone = stamp.zoneMs ?? zoneMs { return zone }
    guard let name = stamp.unknownZone else {
      say("the stamps have no zone: taken as UTC")
      return 0
    }
    if unknownZone == nil {
      unknownZone = name
      say("the zone \(name) of the stamps may be one of several: taken as UTC")
    }
    return 0
  }

  // A time of day alone: the day of the time before, or the next one if the clock went back by more than a line may be
  // late.
  private mutating func ofDay(_ stamp: LogTime.Stamp) -> Double? {
    guard let dayMs = stamp.dayMs, let near = nearMs else { return nil }
    let zone = zone(of: stamp)
    var start = dayStartMs ?? firstDay(of: dayMs, near: near + zone)
    if let last = lastDayMs, steps.isEndOfSummer(from: last, to: dayMs) {
      steps.addHour(from: last, to: dayMs)
      lastDayMs = dayMs
    } else if let last = lastDayMs, dayMs < last - ClockSteps.late {
      steps.noteNextDay(from: last, to: dayMs)
      start += 86_400_000
      lastDayMs = dayMs
    } else if let last = lastDayMs, dayMs > last + 86_400_000 - ClockSteps.late {
      // A line of the previous day, late after midnight.
      return start - 86_400_000 + dayMs + steps.addedMs - zone
    } else {
      if let last = lastDayMs, dayMs != last { steps.goesForward = dayMs > last }
      lastDayMs = max(lastDayMs ?? dayMs, dayMs)
    }
    dayStartMs = start
    return start + dayMs + steps.addedMs - zone
  }

  // The day of the first time without a date: the last one not after the log's end, otherwise the nearest.
  private func firstDay(of dayMs: Double, near: Double) -> Double {
    let start = (near / 86_400_000).rounded(.down) * 86_400_000
    let ahead = start + dayMs - near
    if ahead > (isUpperBound ? ClockSteps.late : 43_200_000) { return start - 86_400_000 }
    return !isUpperBound && ahead < -43_200_000 ? start + 86_400_000 : start
  }

  // The timestamp as UTC, in the year that brings it nearest to a time.
  private func localMs(_ stamp: LogTime.Stamp, near: Double) -> Double? {
    if let date = stamp.date { return date.localMs }
    guard let dayMs = stamp.dayMs else { return nil }
    guard let (month, day) = stamp.monthDay else {
      let start = (near / 86_400_000).rounded(.down) * 86_400_000
      return [-1, 0, 1].map { start + Double($0) * 86_400_000 + dayMs }.min {
        abs($0 - near) < abs($1 - near)
      }
    }
    let year = LogTime.year(ofMs: near)
    let moments = [year - 1, year, year + 1].map {
      Double(CalendarDate.daysSinceEpoch($0, month, day)) * 86_400_000 + dayMs
    }
    // A day of tolerance for zones.
    if isUpperBound { return moments.last { $0 <= near + 86_400_000 } }
    return moments.min { abs($0 - near) < abs($1 - near) }
  }

  private mutating func say(_ note: String) {
    if !said.contains(note) { said.append(note) }
  }
}

/// Detects a clock that goes back among local times, in the order of lines.
///
/// At the end of summer time a clock repeats one hour. It is recognised by the time of night and the order of the
/// lines, and the hour is added from there on; other steps are only noted.
struct ClockSteps {
  /// How late a line may be, ms: written by another thread, or buffered.
  static let late = 600_000.0

  /// The correction of local times, ms.
  private(set) var addedMs = 0.0
  /// Whether the last step was forward: a log with the newest line first shows no end of summer time.
  var goesForward = false
  private var lastMs: Double?
  private var back: (count: Int, from: Double, to: Double)?
  private var forward = 0
  private var said: [String] = []

  /// Corrections made, and steps only noted.
  var notes: [String] {
    // A log with the newest line first goes back all the time.
    guard let back, back.count <= forward else { return said }
    let more = back.count > 1 ? ", and \(back.count - 1) times more" : ""
    return said + [
      "the clock of the lines goes back from \(Self.text(back.from)) to \(Self.text(back.to))\(more):"
        + " how long lies between them is unknown"
    ]
  }

  /// Adds the local time of the next line.
  mutating func follow(_ localMs: Double) -> Double {
    if let last = lastMs {
      if isEndOfSummer(from: last, to: localMs) {
        addHour(from: last, to: localMs)
      } else if localMs < last - Self.late {
        back = (1 + (back?.count ?? 0), back?.from ?? last, back?.to ?? localMs)
      }
      if localMs != last { goesForward = localMs > last }
      if localMs > last { forward += 1 }
    }
    lastMs = localMs
    return localMs + addedMs
  }

  /// Whether summer time ended between two lines: back by at most an hour, to an hour between 23:00 and 03:00.
  func isEndOfSummer(from last: Double, to next: Double) -> Bool {
    let hour = (next / 3_600_000).rounded(.down).truncatingRemainder(dividingBy: 24)
    return goesForward && addedMs == 0 && last - next > Self.late && last - next <= 3_600_000
      && (hour < 3 || hour == 23)
  }

  mutating func addHour(from last: Double, to next: Double) {
    addedMs = 3_600_000
    said.append(
      "the clock of the lines goes back from \(Self.text(last)) to \(Self.text(next)): taken as the end of summer"
        + " time, an hour is added from there on")
  }

  /// Adds a time of day before the previous one, if that is not explained by midnight.
  mutating func noteNextDay(from last: Double, to next: Double) {
    guard last - next < 43_200_000, said.count < 2 else { return }
    said.append(
      "the time of day goes back from \(Self.text(last)) to \(Self.text(next)): taken as the next day")
  }

  private static func text(_ localMs: Double) -> String {
    let seconds = Int((localMs / 1000).rounded(.down).truncatingRemainder(dividingBy: 86_400))
    return [seconds / 3600, seconds / 60 % 60, seconds % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
      .joined(separator: ":")
  }
}
