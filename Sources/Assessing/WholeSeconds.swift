import CallModel

extension [StoredEvent] {
  /// The events with the resolution of their clock: 1 s if all setup events of a source are on whole seconds, and no
  /// other event of it is on a fraction. Dumps of old Chrome versions and logs of many servers are like this.
  func withClockSteps() -> [StoredEvent] {
    var times: [Int64: (count: Int, isWhole: Bool)] = [:]
    for event in self where event.record.isOfLog {
      guard let timeMs = event.record.ownTimeMs else { continue }
      let counted = times[event.source] ?? (0, true)
      let count = counted.count + (event.record.isOfSetup ? 1 : 0)
      times[event.source] = (count, counted.isWhole && timeMs.isWholeSecond)
    }
    let coarse = Set(times.filter { $0.value.isWhole && $0.value.count >= Self.minTimes }.keys)
    guard !coarse.isEmpty else { return self }
    return map { event in
      guard coarse.contains(event.source), event.record.timeMs?.isWholeSecond ?? false else { return event }
      var event = event
      event.record.clockStepMs = 1000
      return event
    }
  }

  /// Minimum number of setup events: a single time of a millisecond clock may be a whole second by chance.
  private static var minTimes: Int { 3 }
}

extension EventRecord {
  // Events from statistics have the time of their poll, not of the log in the same file.
  fileprivate var isOfLog: Bool {
    event != .icePairChanged && ![.media, .network].contains(event.group)
  }

  fileprivate var isOfSetup: Bool {
    [.call, .sdp, .ice, .dtls].contains(event.group)
  }
}

extension Double {
  fileprivate var isWholeSecond: Bool { truncatingRemainder(dividingBy: 1000) == 0 }
}
