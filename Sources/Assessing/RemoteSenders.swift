import CallModel
import CallStore
import Scoring

/// What those who send the streams that an end receives tell of them: the statistics of who shares a screen, and a capture on the
/// sender's machine.
struct RemoteSenders: Sendable {
  private let endpoints: [Int64]
  private let clocks: [Int64: EndClock]
  /// Shorter silences at the end of a call are none, ms.
  private static let leastMs = 3000.0

  /// - Parameter clocks: of those ends whose clocks are known to be off.
  init(_ endpoints: [Int64], _ clocks: [Int64: EndClock]) {
    (self.endpoints, self.clocks) = (endpoints, clocks)
  }

  /// When the screens that an end sees moved where they were captured, by SSRC, on that end's clock. An end whose clock is
  /// wrong by nobody knows how much says nothing, and a screen under another SSRC may be any.
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
      for sent in try store.streams(ofEndpoint: other) {
        guard sent.facts.direction == .outbound, sent.facts.source == .stats,
          let ssrc = sent.facts.ssrc,
          seen.contains(ssrc)
        else { continue }
        spans[ssrc, default: []] += try motion(of: sent, from: store).spans(aheadMs: theirs - own)
      }
    }
    return spans.mapValues { SpanSet($0) }
  }

  /// When nobody sent any more of the sound that an end receives, by a capture on its sender's machine to which this end's media
  /// still came; by SSRC, on that end's clock. Empty where that capture saw it go on.
  func unsent(
    _ streams: [[StoredStream]], at endpoint: Int64, from store: Store
  ) throws -> [UInt32: SpanSet] {
    let last = streams.joined().compactMap(\.totals.lastMs).max() ?? -.infinity
    let silent = streams.filter { parts in
      guard let facts = parts.first?.facts, facts.source == .capture, facts.direction == .inbound else {
        return false
      }
      let ownMs = parts.compactMap(\.totals.lastMs).max() ?? last
      return facts.kind == .audio && last - ownMs >= Self.leastMs
    }
    let ssrcs = Set(silent.compactMap(\.first?.facts.ssrc).filter(SSRC.isRandom))
    guard !ssrcs.isEmpty, endpoints.count == 2, let own = aheadMs(endpoint) else { return [:] }
    var spans: [UInt32: SpanSet] = [:]
    for other in endpoints where other != endpoint {
      guard let theirs = aheadMs(other) else { continue }
      let captured = try store.streams(ofEndpoint: other).filter { $0.facts.source == .capture }
      // As long as it heard this end nothing was wrong with the way.
      let heard = captured.filter { $0.facts.direction == .inbound }
      guard let until = heard.compactMap(\.totals.lastMs).max() else { continue }
      for ssrc in ssrcs {
        let sent = captured.filter { $0.facts.ssrc == ssrc && $0.facts.direction == .outbound }
        guard let last = sent.compactMap(\.totals.lastMs).max() else { continue }
        guard until - last >= Self.leastMs else {
          spans[ssrc] = SpanSet([])
          continue
        }
        spans[ssrc] = SpanSet([(last + theirs - own, until + theirs - own)])
      }
    }
    return spans
  }

  /// Until when a capture follows the call after the last packet of sound that came to an end: to the BYE, or to the last packet
  /// of any stream of the call in the same files. Nil where the streams are as long.
  func followed(
    _ streams: [[StoredStream]], at endpoint: Int64, account: [EventRecord], from store: Store
  ) throws -> Double? {
    let sound = streams.joined().filter { $0.facts.direction != .outbound && $0.facts.kind == .audio }
    guard let last = sound.compactMap(\.totals.lastMs).max() else { return nil }
    let files = Set(streams.joined().map(\.source))
    let ended = account.last { $0.event == "call.ended" || $0.event == "call.failed" }?.timeMs
    var seen = last
    for other in endpoints {
      for row in try store.streams(ofEndpoint: other)
      where row.facts.source == .capture && files.contains(row.source) {
        seen = max(seen, row.totals.lastMs ?? seen)
      }
    }
    let until = ended ?? seen
    return until - last >= Self.leastMs ? until : nil
  }

  private func motion(of sent: StoredStream, from store: Store) throws -> SourceMotion {
    let cursor = try store.samples(ofStream: sent.key)
    var motion = SourceMotion()
    var sample = Sample(timeMs: 0)
    while try cursor.next(into: &sample) { motion.add(sample) }
    return motion
  }

  /// What has to be added to an end's times to have them on the call's clock, ms; nil where nobody knows.
  private func aheadMs(_ endpoint: Int64) -> Double? {
    guard let clock = clocks[endpoint] else { return 0 }
    return clock.apartMs == nil ? clock.skew?.offsetMs ?? 0 : nil
  }
}
