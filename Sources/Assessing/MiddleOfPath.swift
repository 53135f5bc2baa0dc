import CallModel
import CallStore
import Scoring

/// A call that a capture followed from its signalling on: what one end's sound shows of the other's.
struct MiddleOfPath {
  private let seen: [Int64: EndSeen]

  /// - Parameter captures: keys of the call's sources that are captures of media.
  init(_ ends: [EndpointAssessment], events: [StoredEvent], captures: Set<Int64>) {
    var seen: [Int64: EndSeen] = [:]
    for end in ends {
      let own = events.filter { $0.endpoint == end.endpoint.key && captures.contains($0.source) }
      let established = own.first { $0.record.event == "call.established" && $0.record.sdk == nil }
      // Statistics are judged by their own.
      guard let source = established?.source, let start = established?.record.timeMs,
        end.choice.chosen(.stats).isEmpty
      else { continue }
      let streams = end.choice.chosen(.capture).filter {
        $0.source == source && $0.facts.direction != .outbound && Self.hasMedia($0)
      }
      let over = own.last { ["call.ended", "call.failed"].contains($0.record.event) }?.record.timeMs
      let last = over ?? own.compactMap(\.record.timeMs).max() ?? start
      var found = EndSeen(stood: start...max(start, last), isToHear: Reception(end.account).sound)
      found.quiet = quietSpans(end.account)
      found.sound = Self.span(streams.filter(Self.maybeSound))
      found.media = Self.span(end.choice.chosen(.capture).filter(Self.hasMedia))
      seen[end.endpoint.key] = found
    }
    self.seen = seen
  }

  /// Whether a stream is sound, or may be: a capture names the codec of text and the like, which has no kind, while of what has
  /// neither it could not tell.
  private static func maybeSound(_ stream: StoredStream) -> Bool {
    stream.facts.kind == .audio || stream.facts.kind == nil && stream.facts.codec == nil
  }

  /// Whether there is more to it than padding and empty packets that keep a way open.
  private static func hasMedia(_ stream: StoredStream) -> Bool {
    (stream.totals.packets ?? 0) > (stream.totals.probes ?? 0)
  }

  private static func span(_ streams: [StoredStream]) -> ClosedRange<Double>? {
    guard let first = streams.compactMap(\.totals.firstMs).min() else { return nil }
    return first...max(first, streams.compactMap(\.totals.lastMs).max() ?? first)
  }

  /// What an end missed, where it does not say so itself.
  func findings(of end: EndpointAssessment) -> [Finding] {
    guard let here = seen[end.endpoint.key], !end.findings.contains(where: { $0.severity == .error }) else {
      return []
    }
    let others = seen.filter { $0.key != end.endpoint.key }.map(\.value)
    return missingSound(at: here, others: others).map { [$0] } ?? []
  }
}
