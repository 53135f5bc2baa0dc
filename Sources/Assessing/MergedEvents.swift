import CallModel
import SetupTime

/// The events of an end, merged from several sources that may each have all of them.
struct MergedEvents {
  /// Each event once, in time order, on the clock of the source with most of the setup.
  let events: [EventRecord]
  /// Sources whose times were converted to that clock, and their offsets.
  let skews: [Int64: ClockSkew]

  /// Merges the events of each connection: what several sources say of one is compared, and what is said of one that
  /// replaced another is not.
  ///
  /// - Parameter connections: the connection that each view of the end is of; the first for those that are not in it.
  init(of events: [StoredEvent], connections: [Int64: Int64]) {
    let first = connections.values.min() ?? 0
    let groups = Dictionary(grouping: events) { connections[$0.connection] ?? first }
    let merged = groups.sorted { isEarlier($0, $1) }.map { MergedEvents(ofConnection: $0.value) }
    guard !merged.isEmpty else {
      (self.events, skews) = ([], [:])
      return
    }
    self.events = merged.count == 1 ? merged[0].events : merged.flatMap(\.events).inOrder(by: \.timeMs)
    skews = merged.reduce(into: [:]) { all, one in all.merge(one.skews) { own, _ in own } }
  }

  /// For each event name uses the source with most of the setup, so that an event in three sources counts once, and one
  /// that only a capture saw is kept.
  private init(ofConnection events: [StoredEvent]) {
    let bySource = Dictionary(grouping: events, by: \.source)
    guard bySource.count > 1 else {
      self.events = events.map(\.record)
      skews = [:]
      return
    }
    let ranked = rankedBySetup(bySource)
    let skews = clockSkews(of: ranked)
    var chosenSource: [EventName: Int64] = [:]
    for (source, events) in ranked {
      for name in knownNames(events) where chosenSource[name] == nil { chosenSource[name] = source }
    }
    let chosen = events.filter { event in
      let name = event.record.event
      return name == .unknown || chosenSource[name] == event.source
    }
    let aligned = chosen.map { event in
      skews[event.source].map { $0.aligned(event.record) } ?? event.record
    }
    self.events = aligned.inOrder(by: \.timeMs)
    self.skews = skews
  }
}

/// Sources in the order of how much of the setup they have.
func rankedBySetup(_ bySource: [Int64: [StoredEvent]]) -> [(key: Int64, value: [StoredEvent])] {
  bySource.sorted { a, b in
    let (richA, richB) = (knownNames(a.value).count, knownNames(b.value).count)
    if richA != richB { return richA > richB }
    if a.value.count != b.value.count { return a.value.count > b.value.count }
    return isEarlier(a, b)
  }
}

/// Whether the events of one source or connection begin before those of another, and if at once, which events come
/// first. Keys decide last: they depend on the order of import, which is random for files read in parallel.
private func isEarlier(_ a: (key: Int64, value: [StoredEvent]), _ b: (key: Int64, value: [StoredEvent]))
  -> Bool
{
  let (firstA, firstB) = (firstMs(a.value), firstMs(b.value))
  if firstA != firstB { return firstA < firstB }
  return comesBefore(a.value.map(\.record), b.value.map(\.record)) ?? (a.key < b.key)
}

private func firstMs(_ events: [StoredEvent]) -> Double {
  events.lazy.compactMap(\.record.timeMs).min() ?? .infinity
}

private func knownNames(_ events: [StoredEvent]) -> Set<EventName> {
  Set(events.map(\.record.event)).subtracting([.unknown])
}
