import CallModel
import CallStore
import Scoring

/// A call that a capture followed from its signalling on: what one end's sound shows of the other's.
struct MiddleOfPath {
  private let seen: [Int64: EndSeen]

  init(_ ends: [EndpointAssessment], events: [StoredEvent], ofCall call: Int64, in store: Store) throws {
    let captures = try store.mediaCaptures(ofCall: call)
    let media = Dictionary(
      ends.map { ($0.endpoint.key, $0.choice.captured.filter(Self.hasMedia)) }, uniquingKeysWith: +)
    let isOver = events.contains { Self.endings.contains($0.record.event) }
    var seen: [Int64: EndSeen] = [:]
    for end in ends {
      let key = end.endpoint.key
      let own = events.filter { $0.endpoint == key && captures.contains($0.source) }
      let established = own.first { $0.record.event == "call.established" && $0.record.sdk == nil }
      // Statistics are judged by their own.
      guard let start = established?.record.timeMs, end.choice.chosen(.stats).isEmpty else { continue }
      let over = own.last { Self.endings.contains($0.record.event) }?.record.timeMs
      let last = over ?? own.compactMap(\.record.timeMs).max() ?? start
      var found = EndSeen(stood: start...max(start, last), isToHear: Reception(end.account).sound)
      found.quiet = quietSpans(end.account)
      let received = media[key] ?? []
      // What passed anywhere on its way came, unless it is seen to have stopped there.
      let others = media.filter { $0.key != key }
      let sent = others.count == 1 ? others.flatMap(\.value) : []
      let stop = RelayedSound(sent: sent).stop(of: received)
      found.sound = stop == nil ? Self.span(received.filter(Self.maybeSound)) : nil
      found.media = Self.span(received)
      found.stoppedAt = stop
      if let told = own.first(where: { $0.record.raw == "capture.one-direction" })?.record {
        found.notCaptured = (true, told.argument("packets").flatMap { Int($0) })
      }
      found.isElsewhere = own.contains { $0.record.raw == "capture.media-elsewhere" }
      if !isOver, let alone = Self.alone(received, sent: sent) {
        let toldMs = own.compactMap(\.record.timeMs).max() ?? start
        let signsMs = try store.pathSpan(ofEndpoint: key)?.upperBound ?? start
        found.alone = max(toldMs, signsMs) <= alone.lowerBound + Self.togetherMs ? alone : nil
      }
      seen[key] = found
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

  private static let endings: Set<String> = ["call.ended", "call.failed"]
  /// What comes within this of the last packet of media is of the same moment, ms.
  private static let togetherMs = 2500.0
  /// Who pauses for so long between packets may do so again, ms.
  private static let longestPauseMs = 1000.0

  /// From the last packet that came to an end to the last that it sent, each by the files that have both; nil where its far end
  /// had paused before.
  private static func alone(_ received: [StoredStream], sent: [StoredStream]) -> ClosedRange<Double>? {
    func last(_ rows: [StoredStream]) -> [Int64: Double] {
      Dictionary(rows.compactMap { row in row.totals.lastMs.map { (row.source, $0) } }, uniquingKeysWith: max)
    }
    let (came, went) = (last(received), last(sent))
    guard !came.isEmpty, received.allSatisfy({ ($0.totals.maxDeltaMs ?? 0) < longestPauseMs }) else {
      return nil
    }
    let spans = came.compactMap { source, cameMs in went[source].map { (cameMs, $0) } }
    guard spans.count == came.count, spans.allSatisfy({ $0.0 < $0.1 }) else { return nil }
    return spans.map { $0.0...$0.1 }.min { $0.upperBound - $0.lowerBound < $1.upperBound - $1.lowerBound }
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
