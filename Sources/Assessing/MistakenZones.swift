import CallModel
import CallStore
import SetupTime

/// Logs whose zone was mistaken, by what else was recorded at the same end: nothing but whole quarters of an hour lies between them.
///
/// A clock is never off by just that. Stored times stay what they are.
struct MistakenZones {
  /// The furthest zone from another, ms.
  private static let mostMs = 26 * 3_600_000.0
  /// Media begins about when the call is established, and ends about when it is over, ms.
  private static let aboutMs = 60_000.0

  private struct Teller: Hashable {
    var end: Int64
    var source: Int64
  }

  private var errors: [Teller: ClockSkew] = [:]

  init(_ events: [StoredEvent], in store: Store) throws {
    var told: [Teller: [EventRecord]] = [:]
    for event in events {
      if let end = event.endpoint {
        told[Teller(end: end, source: event.source), default: []].append(event.record)
      }
    }
    for (teller, events) in told {
      guard let times = CallTimes(events) else { continue }
      let streams = try store.streams(ofEndpoint: teller.end)
      guard !streams.contains(where: { $0.source == teller.source }),
        let first = streams.compactMap(\.totals.firstMs).min(),
        let last = streams.compactMap(\.totals.lastMs).max()
      else { continue }
      let offset = ZoneOffset.nearest(toMs: first - times.establishedMs)
      guard offset != 0, abs(offset) <= Self.mostMs,
        abs(times.establishedMs + offset - first) <= Self.aboutMs,
        abs(times.overMs + offset - last) <= Self.aboutMs
      else { continue }
      errors[teller] = ClockSkew(
        offsetMs: offset, uncertaintyMs: Self.aboutMs, pairs: 2, evidence: "media at the same end")
    }
  }

  /// The events as they would stand in the right zone.
  func corrected(_ events: [StoredEvent]) -> [StoredEvent] {
    guard !errors.isEmpty else { return events }
    return events.map { event in
      guard let end = event.endpoint, let error = errors[Teller(end: end, source: event.source)] else {
        return event
      }
      var event = event
      event.record = error.aligned(event.record)
      return event
    }.inOrder(by: \.record.timeMs)
  }

  /// What is known of the clocks of the ends, these errors included.
  func added(to clocks: [Int64: EndClock]) -> [Int64: EndClock] {
    var clocks = clocks
    // Of several logs of one end the one that is furthest off is told of.
    for (teller, error) in errors.sorted(by: { $0.key.source < $1.key.source })
    where abs(error.offsetMs) > abs(clocks[teller.end]?.zoneMs ?? 0) {
      clocks[teller.end, default: EndClock()].zoneMs = -error.offsetMs
    }
    return clocks
  }
}
