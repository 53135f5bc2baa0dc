import CallModel
import CallStore
import SetupTime

/// Statistics whose times do not say in which zone they are, beside others that do and tell of the same streams: whole quarters of an
/// hour between the two are the zone.
///
/// At one end the others are believed; an end that has no others has a clock of its own. Stored times stay what they are.
struct ZonelessStatistics {
  /// By end the sources that are left to others, and how far their times are ahead, ms.
  private(set) var twins: [Int64: [Int64: Double]] = [:]
  /// How far the clock of an end is off that of the far end.
  private(set) var skews: [Int64: ClockSkew] = [:]

  init(ofCall call: Int64, in store: Store) throws {
    let zoneless = try store.sources(ofCall: call, noting: SourceNote.noZone)
    guard !zoneless.isEmpty else { return }
    let streams = try store.endpoints(ofCall: call).flatMap { try store.streams(ofEndpoint: $0.key) }
    let sure = Dictionary(grouping: streams.filter { !zoneless.contains($0.source) }) { $0.facts.ssrc }
    let endsWithOthers = Set(sure.values.flatMap { $0 }.map(\.endpoint))
    for stream in streams where zoneless.contains(stream.source) {
      guard let end = stream.endpoint, let ssrc = stream.facts.ssrc else { continue }
      for other in sure[ssrc] ?? [] {
        guard let apart = stream.zone(against: other) else { continue }
        let isSame = other.facts.direction == stream.facts.direction
        if isSame, other.endpoint == end {
          twins[end, default: [:]][stream.source] = apart.zoneMs
        } else if !isSame, other.endpoint != end, !endsWithOthers.contains(end) {
          skews[end] = ClockSkew(
            offsetMs: -apart.zoneMs, uncertaintyMs: apart.restMs, pairs: 2,
            evidence: "the streams that one end sends and the other receives: its times have no zone")
        }
      }
    }
  }
}

extension StoredStream {
  /// Whole quarters of an hour that its times are ahead of another's, and what is left beside them, ms; nil where they are not.
  fileprivate func zone(against other: StoredStream) -> (zoneMs: Double, restMs: Double)? {
    guard let first = totals.firstMs, let last = totals.lastMs, let begin = other.totals.firstMs,
      let end = other.totals.lastMs
    else { return nil }
    let zone = ZoneOffset.nearest(toMs: first - begin)
    let rest = max(abs(first - begin - zone), abs(last - end - zone))
    guard zone != 0, abs(zone) <= MistakenZones.mostMs, rest <= MistakenZones.aboutMs else { return nil }
    return (zone, rest)
  }
}
