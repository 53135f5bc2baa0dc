import CallModel

extension [StoredEvent] {
  /// The events, each with the step of the clock that stamped it where all that its source tells of a setup stands on whole seconds,
  /// and nothing else beside it on less: so dumps of old Chrome are, and logs of many servers.
  func withClockSteps() -> [StoredEvent] {
    var times: [Int64: (count: Int, isWhole: Bool)] = [:]
    for event in self where event.record.isOfLog {
      guard let timeMs = event.record.ownTimeMs else { continue }
      let told = times[event.source] ?? (0, true)
      let count = told.count + (event.record.isOfSetup ? 1 : 0)
      times[event.source] = (count, told.isWhole && timeMs.isWholeSecond)
    }
    let coarse = Set(times.filter { $0.value.isWhole && $0.value.count >= Self.leastTimes }.keys)
    guard !coarse.isEmpty else { return self }
    return map { event in
      guard coarse.contains(event.source), event.record.timeMs?.isWholeSecond ?? false else { return event }
      var event = event
      event.record.clockStepMs = 1000
      return event
    }
  }

  /// One time of a clock of milliseconds is a whole second by chance, but not so many.
  private static var leastTimes: Int { 3 }
}

extension EventRecord {
  // What statistics tell has the time of their poll, whatever the log in the same file is stamped by.
  fileprivate var isOfLog: Bool {
    event != "ice.pair-changed" && !["media.", "network."].contains { event.hasPrefix($0) }
  }

  fileprivate var isOfSetup: Bool {
    ["call.", "sdp.", "ice.", "dtls."].contains { event.hasPrefix($0) }
  }
}

extension Double {
  fileprivate var isWholeSecond: Bool { truncatingRemainder(dividingBy: 1000) == 0 }
}
