import CallModel
import CallStore
import SetupTime

/// The clocks of the captures of one call, compared with that of the capture that judges all ends, otherwise with that of
/// the one that has most of the setup.
///
/// A capture sees both ends of a call, so its clock is not that of an end. Only offsets that are certain and matter are
/// known; stored times are never changed.
struct CaptureClocks {
  /// By source; the reference and captures without evidence have none.
  private(set) var skews: [Int64: ClockSkew]
  private var reference: Int64?

  /// - Parameter captures: the sources of the call that are captures.
  init(
    _ events: [StoredEvent], captures: Set<Int64>, of ends: [StoredEndpoint],
    _ streams: [Int64: [StoredStream]]
  ) {
    skews = [:]
    guard captures.count > 1 else { return }
    let bySource = Dictionary(grouping: events.filter { captures.contains($0.source) }, by: \.source)
    let ranked = rankedBySetup(bySource)
    skews = clockSkews(of: ranked)
    reference = ranked.first?.key
    guard !skews.isEmpty else { return }
    let judging = Set(
      ends.map { StreamChoice(streams[$0.key] ?? [], self, lost: []).mainSource(of: .capture) })
    if judging.count == 1, let only = judging.first.flatMap({ $0 }) { refer(to: only) }
  }

  /// Compares with another capture from now on.
  private mutating func refer(to source: Int64) {
    guard let reference, let own = skews.removeValue(forKey: source) else { return }
    for other in skews.keys { skews[other]?.offsetMs -= own.offsetMs }
    skews[reference] = own
    skews[reference]?.offsetMs = -own.offsetMs
    self.reference = source
  }

  /// The events with those of captures on one clock.
  func aligned(_ events: [StoredEvent]) -> [StoredEvent] {
    guard !skews.isEmpty else { return events }
    return events.map { event in
      var event = event
      if let skew = skews[event.source] { event.record = skew.aligned(event.record) }
      return event
    }.inOrder(by: \.record.timeMs)
  }

  /// The value to add to a source's times to convert them to that clock, ms.
  func offsetMs(_ source: Int64?) -> Double { source.flatMap { skews[$0]?.offsetMs } ?? 0 }

  /// A stream with its times on that clock.
  func aligned(_ stream: StoredStream) -> StoredStream {
    guard let offset = skews[stream.source]?.offsetMs else { return stream }
    var stream = stream
    stream.totals.firstMs = stream.totals.firstMs.map { $0 + offset }
    stream.totals.lastMs = stream.totals.lastMs.map { $0 + offset }
    stream.sourceSpan = stream.sourceSpan.map { ($0.lowerBound + offset)...($0.upperBound + offset) }
    return stream
  }
}

extension [StoredEvent] {
  /// The events with other times.
  func shifted(byMs offset: Double) -> [StoredEvent] {
    guard offset != 0 else { return self }
    return map { event in
      var event = event
      event.record = event.record.shifted(byMs: offset)
      return event
    }
  }
}
