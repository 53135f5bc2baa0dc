import CallModel

/// A log of an idle evening tells of a session that was opened, lost and found again, and of no call.
extension SourceWriter {
  /// The ends that tell of a session, the network or the application alone, and of which nobody says that they are of a call.
  func idleParts() -> Set<Int> {
    guard header.call == nil else { return [] }
    let telling = parts.indices.filter { parts[$0].tellsOfCall == true || parts[$0].namesCall }
    let measured = streams.map(\.part) + paths.map(\.part)
    return Set(parts.indices.filter { parts[$0].tellsOfCall == false }.map(resolved))
      .subtracting((telling + measured).map(resolved))
  }

  /// Says what of the source is no call.
  func noteIdle() {
    let idle = idleParts().count
    guard idle > 0 else { return }
    let only = "only of a session, the network or the application"
    let ends = parts.count { $0.mergedInto == nil }
    ledger.add(
      note: idle < ends
        ? "\(idle) of \(ends) ends in it tell of no call, \(only)"
        : "nothing in it tells of a call, \(only): \(eventCount) events")
  }
}

extension PartRow {
  /// Whether it has the id of a call.
  fileprivate var namesCall: Bool {
    facts.call != nil || facts.identities.contains { $0.kind == .call }
  }
}
