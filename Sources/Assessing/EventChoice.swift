import CallModel
import SetupTime

/// One account of what happened, out of several sources that may each tell all of it.
struct EventAccount {
  /// Each event once, in order of time, all on the clock of the source that knows most of the setup.
  let events: [EventRecord]
  /// The sources whose times had to be read on that clock, and how far theirs is off.
  let skews: [Int64: ClockSkew]

  /// For each canonical name the source that knows most of the setup speaks, so that an event that three sources wrote
  /// down counts once, and one that only a capture saw is not lost.
  init(of events: [StoredEvent]) {
    let bySource = Dictionary(grouping: events, by: \.source)
    guard bySource.count > 1 else {
      self.events = events.map(\.record)
      skews = [:]
      return
    }
    let ranked = bySource.sorted { a, b in
      let (richA, richB) = (knownNames(a.value).count, knownNames(b.value).count)
      // Of equals who tells more, or earlier: keys tell which was stored first, which of files read side by side is chance.
      if richA != richB { return richA > richB }
      if a.value.count != b.value.count { return a.value.count > b.value.count }
      return (firstMs(a.value), a.key) < (firstMs(b.value), b.key)
    }
    let skews = clockSkews(of: ranked)
    var speaker: [String: Int64] = [:]
    for (source, told) in ranked {
      for name in knownNames(told) where speaker[name] == nil { speaker[name] = source }
    }
    let chosen = events.filter { event in
      let name = event.record.event
      return name == "unknown" || speaker[name] == event.source
    }
    let aligned = chosen.map { event in
      skews[event.source].map { $0.aligned(event.record) } ?? event.record
    }
    self.events = aligned.inOrder(by: \.timeMs)
    self.skews = skews
  }
}

private func firstMs(_ events: [StoredEvent]) -> Double {
  events.lazy.compactMap(\.record.timeMs).min() ?? .infinity
}

private func knownNames(_ events: [StoredEvent]) -> Set<String> {
  Set(events.map(\.record.event)).subtracting(["unknown"])
}
