import CallModel
import Timeline

extension CallAccount {
  /// Offsets below this are not shown, as in finding `clock-skew`, ms.
  private static let minMs = 1000.0

  /// Puts the times of ends and events on the clock of the call, so that both ends can be compared: those of an end whose
  /// clock is known to be off according to its finding `clock-skew`, and those of events by the clock of their file.
  ///
  /// Stored times, and the rows of lists, are those of the sources.
  mutating func alignClocks() {
    let known = findings.filter {
      $0.finding.code == .clockSkew && $0.finding.evidence.has("skew_ms")
    }
    guard !known.isEmpty else { return }
    let skewed = known.compactMap { entry in
      entry.end.flatMap { end in
        entry.finding.evidence.number("clock_ms").map { (end, -$0) }
      }
    }
    let offsets = Dictionary(skewed) { first, _ in first }
    let ofSources = Dictionary(
      sources.map { ($0.key, abs($0.skewMs ?? 0) >= Self.minMs ? -($0.skewMs ?? 0) : 0) }
    ) { first, _ in first }
    for place in ends.indices {
      ends[place].shift(byMs: offsets[ends[place].name] ?? 0, ofSources)
    }
    for place in findings.indices {
      let offset = findings[place].end.flatMap { offsets[$0] } ?? 0
      findings[place].finding = findings[place].finding.shifted(byMs: offset)
    }
    for place in events.indices {
      let offset = ofSources[events[place].source] ?? 0
      events[place].record = events[place].record.shifted(byMs: offset)
    }
    events = events.inOrder(by: \.record.timeMs)
  }
}

extension EndAccount {
  /// - Parameter ofSources: what is to be added to the times of each source, for streams that do not judge this end.
  fileprivate mutating func shift(byMs offset: Double, _ ofSources: [Int64: Double]) {
    let main = mainSources ?? []
    func shift(_ windows: inout [Window], by offset: Double) {
      for place in windows.indices {
        windows[place].startMs += offset
        windows[place].endMs += offset
      }
    }
    func shift(_ fates: inout [(medium: MediaKind, fate: Fate)], by offset: Double) {
      for place in fates.indices {
        fates[place].fate.startMs += offset
        fates[place].fate.endMs += offset
      }
    }
    for place in streams.indices {
      let source = streams[place].parts.first?.source
      let own = source.map { main.contains($0) ? offset : ofSources[$0] ?? 0 } ?? offset
      streams[place].clockMs = own
      streams[place].firstMs = streams[place].firstMs.map { $0 + own }
      streams[place].lastMs = streams[place].lastMs.map { $0 + own }
    }
    clockMs = offset
    shift(&windows, by: offset)
    shift(&captureWindows, by: streams.first { $0.source == .capture }?.clockMs ?? offset)
    for place in attempts.indices { attempts[place].shift(byMs: offset) }
    for place in path.indices { path[place].fromMs += offset }
    for place in spans.indices {
      spans[place].startMs += offset
      spans[place].endMs += offset
    }
    for place in impairments.indices {
      impairments[place].startMs += offset
      impairments[place].endMs += offset
    }
    shift(&fates, by: offset)
    shift(&fatesOfFarEnd, by: offset)
  }
}

extension SetupAttempt {
  fileprivate mutating func shift(byMs offset: Double) {
    startMs = startMs.map { $0 + offset }
    for place in phases.indices { phases[place].startMs = phases[place].startMs.map { $0 + offset } }
  }
}
