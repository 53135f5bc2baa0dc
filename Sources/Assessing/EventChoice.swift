import CallModel

/// One account of what happened, out of several sources that may each tell all of it.
///
/// For each canonical name the source that knows most of the setup speaks, so that an event that three sources wrote
/// down counts once, and one that only a capture saw is not lost.
func oneAccount(of events: [StoredEvent]) -> [EventRecord] {
  let bySource = Dictionary(grouping: events, by: \.source)
  guard bySource.count > 1 else { return events.map(\.record) }
  let ranked = bySource.sorted { a, b in
    let (richA, richB) = (knownNames(a.value).count, knownNames(b.value).count)
    return richA == richB ? a.key < b.key : richA > richB
  }
  var speaker: [String: Int64] = [:]
  for (source, told) in ranked {
    for name in knownNames(told) where speaker[name] == nil { speaker[name] = source }
  }
  return events.filter { event in
    let name = event.record.event
    return name == "unknown" || speaker[name] == event.source
  }.map(\.record).sorted { ($0.timeMs ?? 0) < ($1.timeMs ?? 0) }
}

private func knownNames(_ events: [StoredEvent]) -> Set<String> {
  Set(events.map(\.record.event)).subtracting(["unknown"])
}
