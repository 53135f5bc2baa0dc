import CallModel
import CallStore
import Scoring

/// What the senders of the streams received by an end have recorded: statistics of the end that shares a screen, and a
/// capture on the sender's machine.
struct RemoteSenders: Sendable {
  private let endpoints: [Int64]
  private let streams: [Int64: [StoredStream]]
  private let clocks: [Int64: EndClock]
  private let captures: CaptureClocks
  /// Minimum length of a silence at the end of a call, ms.
  private static let minMs = 3000.0

  /// - Parameters:
  ///   - streams: the streams of each end.
  ///   - clocks: the clocks of ends that are known to be off.
  init(
    _ endpoints: [Int64], _ streams: [Int64: [StoredStream]], _ clocks: [Int64: EndClock],
    _ captures: CaptureClocks
  ) {
    (self.endpoints, self.streams, self.clocks, self.captures) = (endpoints, streams, clocks, captures)
  }

  /// When the screen shares that an end receives moved at their source, by SSRC, on that end's clock. Ends with an
  /// unknown clock offset are skipped; a screen share under another SSRC cannot be identified.
  func motion(
    of streams: [[StoredStream]], at endpoint: Int64, from store: Store
  ) throws -> [UInt32: SpanSet] {
    let seen = Set(
      streams.compactMap(\.first?.facts).filter { $0.screen == true && $0.direction != .outbound }
        .compactMap(\.ssrc).filter(SSRC.isRandom))
    guard !seen.isEmpty, let own = aheadMs(endpoint) else { return [:] }
    var spans: [UInt32: [(start: Double, end: Double)]] = [:]
    for other in endpoints where other != endpoint {
      guard let theirs = aheadMs(other) else { continue }
      for sent in (self.streams[other] ?? []) {
        guard sent.facts.direction == .outbound, sent.facts.source == .stats,
          let ssrc = sent.facts.ssrc,
          seen.contains(ssrc)
        else { continue }
        spans[ssrc, default: []] += try motion(of: sent, from: store).spans(aheadMs: theirs - own)
      }
    }
    return spans.mapValues { SpanSet($0) }
  }

  /// When the audio that an end receives was no longer sent, according to a capture on the sender's machine that still
  /// received this end's media; by SSRC, on that end's clock. The set is empty if the capture shows that it was sent.
  func unsent(
    _ streams: [[StoredStream]], at endpoint: Int64, from store: Store
  ) throws -> [UInt32: SpanSet] {
    let last = streams.joined().compactMap(\.totals.lastMs).max() ?? -.infinity
    let silent = streams.filter { parts in
      guard let facts = parts.first?.facts, facts.source == .capture, facts.direction == .inbound else {
        return false
      }
      let ownMs = parts.compactMap(\.totals.lastMs).max() ?? last
      return facts.kind == .audio && last - ownMs >= Self.minMs
    }
    let ssrcs = Set(silent.compactMap(\.first?.facts.ssrc).filter(SSRC.isRandom))
    guard !ssrcs.isEmpty, endpoints.count == 2, let ahead = aheadMs(endpoint) else { return [:] }
    let own = ahead + captures.offsetMs(silent.first?.first?.source)
    var spans: [UInt32: SpanSet] = [:]
    for other in endpoints where other != endpoint {
      guard let theirs = aheadMs(other) else { continue }
      let captured = (self.streams[other] ?? []).filter { $0.facts.source == .capture }
        .map(captures.aligned)
      // While the capture received this end's media, the path was working.
      let received = captured.filter { $0.facts.direction == .inbound }
      guard let until = received.compactMap(\.totals.lastMs).max() else { continue }
      for ssrc in ssrcs {
        let sent = captured.filter { $0.facts.ssrc == ssrc && $0.facts.direction == .outbound }
        guard let last = sent.compactMap(\.totals.lastMs).max() else { continue }
        guard until - last >= Self.minMs else {
          spans[ssrc] = SpanSet([])
          continue
        }
        spans[ssrc] = SpanSet([(last + theirs - own, until + theirs - own)])
      }
    }
    return spans
  }

  /// Until when a capture follows the call after the last audio packet an end received: to the BYE, or to the last
  /// packet of any stream of the call in the same files. Nil if the audio lasts as long.
  func followed(
    _ streams: [[StoredStream]], at endpoint: Int64, ownEvents: [EventRecord], from store: Store
  ) throws -> Double? {
    let sound = streams.joined().filter { $0.facts.direction != .outbound && $0.facts.kind == .audio }
    guard let last = sound.compactMap(\.totals.lastMs).max() else { return nil }
    let files = Set(streams.joined().map(\.source))
    let ownMs = captures.offsetMs(sound.first?.source)
    let ended = ownEvents.last { $0.event.isEnd }?.timeMs
    var seen = last
    for other in endpoints {
      for row in (self.streams[other] ?? [])
      where row.facts.source == .capture && files.contains(row.source) {
        seen = max(seen, captures.aligned(row).totals.lastMs.map { $0 - ownMs } ?? seen)
      }
    }
    let until = ended ?? seen
    return until - last >= Self.minMs ? until : nil
  }

  private func motion(of sent: StoredStream, from store: Store) throws -> SourceMotion {
    let cursor = try store.samples(ofStream: sent.key)
    var motion = SourceMotion()
    var sample = Sample(timeMs: 0)
    while try cursor.next(into: &sample) { motion.add(sample) }
    return motion
  }

  /// The value to add to an end's times to convert them to the call's clock, ms; nil if unknown.
  private func aheadMs(_ endpoint: Int64) -> Double? {
    guard let clock = clocks[endpoint] else { return 0 }
    return clock.apartMs == nil ? clock.skew?.offsetMs ?? 0 : nil
  }
}
