import CallModel
import CallStore
import Scoring

/// A call captured in the middle of its path together with its signalling: compares the media of its ends, on the clock
/// of all captures.
struct MidpointCapture {
  private let seen: [Int64: EndActivity]

  /// - Parameter captures: the sources that are captures with media.
  init(_ ends: [EndpointAssessment], events: [StoredEvent], captures: Set<Int64>, in store: Store) throws {
    let media = Dictionary(
      ends.map { ($0.endpoint.key, $0.choice.captured.filter(Self.hasMedia)) }, uniquingKeysWith: +)
    let isOver = events.contains { $0.record.event.isEnd }
    let begun = Self.span(media.values.flatMap { $0 })?.lowerBound
    var seen: [Int64: EndActivity] = [:]
    let byEnd = EventsByEnd(events)
    for end in ends {
      let key = end.endpoint.key
      let own = byEnd[key].filter { $0.endpoint == key && captures.contains($0.source) }
      let established = own.first { $0.record.event == .callEstablished && $0.record.sdk == nil }
      // An end with statistics is judged by those.
      let over = own.last { $0.record.event.isEnd }?.record.timeMs
      // A call of which a capture has only the end was established before its first packet there.
      let before = established != nil && over != nil ? begun : nil
      guard let start = established?.record.timeMs ?? before, end.choice.chosen(.stats).isEmpty else {
        continue
      }
      let last = over ?? own.compactMap(\.record.timeMs).max() ?? start
      var found = EndActivity(
        established: start...max(start, last), expectsAudio: Reception(end.ownEvents).sound)
      found.quiet = end.quiet.map { $0.shifted(byMs: end.onCaptureClock(0)) }
      let received = media[key] ?? []
      // Media seen anywhere on its path counts as received, unless it is seen to stop there.
      let others = media.filter { $0.key != key }
      let sent = others.count == 1 ? others.flatMap(\.value) : []
      let stop = RelayedSound(sent: sent).stop(of: received)
      found.sound = stop == nil ? Self.span(received.filter(Self.maybeSound)) : nil
      found.media = Self.span(received)
      found.stoppedAt = stop
      if let event = own.first(where: { $0.record.note == .oneDirection })?.record {
        found.notCaptured = (true, event[.packets])
      }
      found.isElsewhere = own.contains { $0.record.note == .mediaElsewhere }
      if !isOver, let alone = Self.sendingAlone(received, sent: sent) {
        let loggedMs = own.compactMap(\.record.timeMs).max() ?? start
        let transportMs = try store.pathSpan(ofEndpoint: key)?.upperBound ?? start
        found.sendingAlone = max(loggedMs, transportMs) <= alone.lowerBound + Self.togetherMs ? alone : nil
      }
      seen[key] = found
    }
    self.seen = seen
  }

  /// Whether a stream is or may be audio. A capture names the codec of text and similar media, which have no kind; a
  /// stream with neither could not be identified.
  private static func maybeSound(_ stream: StoredStream) -> Bool {
    stream.facts.kind == .audio || stream.facts.kind == nil && stream.facts.codec == nil
  }

  /// Whether it contains more than padding and empty keepalive packets.
  private static func hasMedia(_ stream: StoredStream) -> Bool {
    (stream.totals.packets ?? 0) > (stream.totals.probes ?? 0)
  }

  private static func span(_ streams: [StoredStream]) -> ClosedRange<Double>? {
    guard let first = streams.compactMap(\.totals.firstMs).min() else { return nil }
    return first...max(first, streams.compactMap(\.totals.lastMs).max() ?? first)
  }

  /// Maximum time after the last media packet that still counts as the same moment, ms.
  private static let togetherMs = 2500.0
  /// A sender with pauses between packets of this length may pause again, ms.
  private static let longestPauseMs = 1000.0

  /// From the last packet received by an end to the last one it sent, from files that have both; nil if its far end had
  /// paused before.
  private static func sendingAlone(_ received: [StoredStream], sent: [StoredStream]) -> ClosedRange<Double>? {
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

  /// Findings on media missing at an end that its own sources do not show.
  func findings(of end: EndpointAssessment) -> [Finding] {
    guard let here = seen[end.endpoint.key], !end.findings.contains(where: { $0.severity == .error }) else {
      return []
    }
    let others = seen.filter { $0.key != end.endpoint.key }.map(\.value)
    return missingSound(at: here, others: others).map { [$0.shifted(byMs: -end.onCaptureClock(0))] } ?? []
  }
}

/// The hosts through which the audio of a two-party call passes, if captures of both directions show relays (session
/// border controllers, media proxies) between its ends.
struct RelayedSound {
  /// Hosts that an end sends from itself, and below those it sends to.
  private let own: Set<String>
  private let next: Set<String>

  /// - Parameter sent: the streams that an end sent, wherever on the path they were seen.
  init(sent: [StoredStream]) {
    let legs = sent.compactMap { row in
      row.facts.remote.flatMap { from in
        row.facts.local.map { (from: AddressText.host(from), to: AddressText.host($0)) }
      }
    }
    let targets = Set(legs.map(\.to))
    let own = Set(legs.map(\.from)).subtracting(targets)
    self.own = own
    next = Set(legs.filter { own.contains($0.from) }.map(\.to))
  }

  /// The relay at which everything sent to the end stopped: it reached a host that this end sends to, but not the end
  /// itself.
  func stop(of received: [StoredStream]) -> String? {
    let reached = Set(received.compactMap { $0.facts.local.map(AddressText.host) })
    guard !reached.isEmpty, !own.isEmpty, reached.isSubset(of: next), reached.isDisjoint(with: own) else {
      return nil
    }
    return reached.min()
  }
}
