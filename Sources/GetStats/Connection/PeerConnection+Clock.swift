import CallModel

/// A clock that is set while a call goes on, or stands still: what counters say of it.
extension PeerConnection {
  /// A time that stands so long by the poll's stands still, ms: others are cut to seconds.
  private static let standingMs = 1500.0

  /// Takes note of a clock that was set back, or that stands still, since the snapshot before. To be called before anything of a
  /// snapshot is told, for what is told has the time that comes of it.
  func followClock() throws {
    if doubtsOwnTimes { forgetStandingTimes() }
    var steppedBy: Double?
    var balance = 0
    for report in presentReports {
      guard let stream = report.stream, let timeMs = try time(of: report) else { continue }
      let progress = stream.progress
      if timeMs > progress.timeMs {
        // Nearly always the first stream says so.
        if shiftMs != 0 { endShift(timeMs, after: progress) }
        return
      }
      switch progress.standing(of: report.view) {
      case .behind: balance -= 1
      case .equal: continue
      case .ahead:
        if timeMs == progress.timeMs {
          return try isStanding(report, progress) ? followClock() : ()
        }
        guard progress.canFollow(report.view) else { return }
        balance += 1
        steppedBy = steppedBy ?? progress.timeMs + passedMs(since: progress) - timeMs
      }
    }
    guard balance > 0, let steppedBy else { return }
    shiftMs += steppedBy
    try context.sink.note(Self.setBack)
  }

  /// What is said of a clock that was set back.
  static let setBack =
    "the clock was set back while the call went on: what was told after that is placed behind what came before, as its counters go on"

  /// How long after the latest sample a report was made whose clock does not say: by the poll's clock where that went on.
  private func passedMs(since progress: StreamProgress) -> Double {
    let polled = pollMs - progress.pollMs
    return polled > 0 && ReportTime.isEpoch(pollMs) ? polled : progress.intervalMs
  }

  /// Takes a clock as it is where that fits too: it was set right again.
  private func endShift(_ timeMs: Double, after progress: StreamProgress) {
    let plain = timeMs - shiftMs
    if plain > progress.timeMs, plain <= progress.timeMs + 2 * progress.intervalMs { shiftMs = 0 }
  }

  /// Whether the own time of a report whose counters go on stands still, while the poll's does not.
  private func isStanding(_ report: Report, _ progress: StreamProgress) throws -> Bool {
    let polled = pollMs - progress.pollMs
    guard ReportTime.isEpoch(pollMs), polled != 0, !report.timeMs.isNaN else {
      try context.sink.note(
        "reports whose figures change while their time stands still, with no other beside it: the first of each time is taken"
      )
      return false
    }
    guard !doubtsOwnTimes, report.timeMs == progress.ownMs, !(abs(polled) < Self.standingMs) else {
      return false
    }
    try context.sink.note(
      "reports whose figures change while their time stands still: placed by the time that stands beside them"
    )
    doubtsOwnTimes = true
    for other in presentReports { other.standingMs = other.timeMs }
    return true
  }

  /// Takes the poll's time for all reports but those of the far end that have another one than before.
  private func forgetStandingTimes() {
    for report in presentReports where !report.timeMs.isNaN {
      let isNew = report.isOfFarEnd && report.timeMs != report.standingMs
      report.standingMs = report.timeMs
      if !isNew { report.timeMs = .nan }
    }
  }
}
