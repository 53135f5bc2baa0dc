import CallModel
import CallStore

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
