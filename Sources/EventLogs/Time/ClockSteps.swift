/// Watches times without a zone, in the order of their lines, for a clock that goes back.
///
/// At the end of summer time a clock goes through one hour twice. That is told by the hour of the night and by the order of the
/// lines, and the hour is added from there on; any other step is only said.
struct ClockSteps {
  /// How far a line may come late, ms: written by another thread, held back in a buffer.
  static let late = 600_000.0

  /// What has to be added to local times, ms.
  private(set) var addedMs = 0.0
  /// Whether the last step was one forward: a log that has its newest line first has no summer time to tell.
  var goesForward = false
  private var lastMs: Double?
  private var back: (count: Int, from: Double, to: Double)?
  private var forward = 0
  private var said: [String] = []

  /// What was added, and what is only known to have happened.
  var notes: [String] {
    // A log that has its newest line first goes back all the time.
    guard let back, back.count <= forward else { return said }
    let more = back.count > 1 ? ", and \(back.count - 1) times more" : ""
    return said + [
      "the clock of the lines goes back from \(Self.text(back.from)) to \(Self.text(back.to))\(more):"
        + " how long lies between them is unknown"
    ]
  }

  /// A local time with a date, of the next line.
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

  /// Whether summer time ended between two lines: back by an hour at most, to an hour between 23:00 and 03:00.
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

  /// A time of day that is before the one above, where that is not clear from a night between them.
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
