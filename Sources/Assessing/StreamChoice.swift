import CallModel
import CallStore
import Scoring

/// Chooses, for every stream that several sources describe, the one that describes it best.
///
/// Statistics judge an end before a capture does: they know what was played. Among statistics the source with most
/// samples wins, then the longest, then the one with the smaller key. What makes two rows one stream is its direction and
/// SSRC; without an SSRC, its direction, kind and mid.
struct StreamChoice {
  /// Streams that judge the end, one source each, by kind of source.
  private(set) var chosen: [StreamSource: [StoredStream]] = [:]

  init(_ streams: [StoredStream]) {
    for source in StreamSource.allCases {
      let candidates = streams.filter { $0.facts.source == source }
      let same = Dictionary(grouping: candidates, by: Identity.init)
      let best = same.values.compactMap { $0.min(by: Self.isBetter) }.sorted { $0.key < $1.key }
      if !best.isEmpty { chosen[source] = best }
    }
  }

  /// The kind of source that judges the end: statistics if they saw anything come in.
  var judging: StreamSource? {
    let inbound = StreamSource.allCases.filter { source in
      chosen[source]?.contains { $0.facts.direction == .inbound && $0.samples > 0 } ?? false
    }
    return inbound.first ?? StreamSource.allCases.first { chosen[$0] != nil }
  }

  /// The source that most of the chosen streams of a kind come from.
  func mainSource(of kind: StreamSource) -> Int64? {
    let counts = Dictionary(grouping: chosen[kind] ?? [], by: \.source).mapValues(\.count)
    return counts.min { ($1.value, $0.key) < ($0.value, $1.key) }?.key
  }

  /// Inbound streams that both the statistics and a capture saw, with the packets that each counted.
  var seenTwice: [StreamSeenTwice] {
    let captured = (chosen[.capture] ?? []).filter { $0.facts.direction == .inbound && $0.facts.ssrc != nil }
    return (chosen[.stats] ?? []).compactMap { stream in
      guard stream.facts.direction == .inbound, let packets = stream.totals.packets,
        let other = captured.first(where: { $0.facts.ssrc == stream.facts.ssrc }),
        let seen = other.totals.packets
      else { return nil }
      // Browsers count retransmissions and padding with the medium, a capture apart.
      let repeats = stream.facts.kind == .video ? stream.totals.rtx ?? 0 : 0
      return StreamSeenTwice(
        ssrc: stream.facts.ssrc, statsPackets: Double(packets - repeats),
        capturePackets: Double(seen + (other.totals.probes ?? 0) + (other.totals.fec ?? 0)))
    }
  }

  private struct Identity: Hashable {
    var direction: StreamDirection
    var ssrc: UInt32?
    var without: String?

    init(_ stream: StoredStream) {
      direction = stream.facts.direction
      ssrc = stream.facts.ssrc
      without = ssrc == nil ? "\(stream.facts.kind?.rawValue ?? "") \(stream.facts.mid ?? "")" : nil
    }
  }

  private static func isBetter(_ a: StoredStream, _ b: StoredStream) -> Bool {
    if a.samples != b.samples { return a.samples > b.samples }
    let (spanA, spanB) = (span(a), span(b))
    return spanA == spanB ? a.key < b.key : spanA > spanB
  }

  private static func span(_ stream: StoredStream) -> Double {
    (stream.totals.lastMs ?? 0) - (stream.totals.firstMs ?? 0)
  }
}
