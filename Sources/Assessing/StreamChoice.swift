import CallModel
import CallStore
import Scoring

/// Chooses the best source for every stream that several sources describe.
///
/// Statistics are preferred to a capture, because they include playout. Of captures of inbound streams, only the
/// sightings nearest to this end qualify. Then the source with most samples wins, then the longest, then the first by
/// the digest of its source, which does not depend on the import order. Two rows are the same stream if direction and
/// SSRC are equal, or without an SSRC direction, kind and mid. Rows that follow each other in time do not compete: the
/// stream continues in the next file, as with rotated captures.
struct StreamChoice {
  /// The chosen streams by kind of source, each with its parts in time order.
  let tracks: [StreamSource: [[StoredStream]]]
  /// The rows of the chosen streams by kind of source.
  private let rows: [StreamSource: [StoredStream]]
  /// The kind of source that judges the end: statistics if they saw anything received.
  let judging: StreamSource?
  /// All inbound streams of captures, chosen or not, with times on one clock: what was seen anywhere on the path was
  /// sent.
  let captured: [StoredStream]

  /// Streams are compared on one clock; the chosen ones keep their own times.
  ///
  /// - Parameter lost: keys of the streams that did not reach this end.
  init(_ streams: [StoredStream], _ clocks: CaptureClocks, lost: Set<Int64>) {
    let own = Dictionary(streams.map { ($0.key, $0) }) { first, _ in first }
    let streams = streams.map(clocks.aligned)
    captured = streams.filter { $0.facts.source == .capture && $0.facts.direction != .outbound }
    var tracks: [StreamSource: [[StoredStream]]] = [:]
    for source in StreamSource.allCases {
      let described = streams.filter { $0.facts.source == source && !lost.contains($0.key) }
      let candidates = source == .capture ? CapturePoints.reaching(described) : described
      let same = Dictionary(grouping: candidates, by: Identity.init)
      let best = same.values.map { Self.parts($0).compactMap { own[$0.key] } }.sorted { one, other in
        guard let one = one.first, let other = other.first else { return !one.isEmpty }
        return StoredStream.isBefore(one, other)
      }
      if !best.isEmpty { tracks[source] = best }
    }
    let rows = tracks.mapValues { $0.flatMap { $0 } }
    let inbound = StreamSource.allCases.first { source in
      rows[source]?.contains { $0.facts.direction == .inbound && $0.samples > 0 } ?? false
    }
    judging = inbound ?? StreamSource.allCases.first { tracks[$0] != nil }
    (self.tracks, self.rows) = (tracks, rows)
  }

  /// The rows of the chosen streams of a kind of source.
  func chosen(_ source: StreamSource) -> [StoredStream] { rows[source] ?? [] }

  /// The sources of all chosen streams.
  var sources: Set<Int64> { Set(tracks.values.joined().joined().map(\.source)) }

  /// The rows of the streams that judge the end.
  var judges: [StoredStream] { judging.map(chosen) ?? [] }

  /// Periods in which statistics had no stream at all, between the last of some and the first of others.
  var gaps: [ClosedRange<Double>] {
    SpanSet(of: chosen(.stats)).gaps
  }

  /// The source of most of the chosen streams of a kind.
  func mainSource(of kind: StreamSource) -> Int64? {
    let chosen = chosen(kind)
    let counts = Dictionary(grouping: chosen, by: \.source).mapValues(\.count)
    let digests = Dictionary(chosen.map { ($0.source, $0.sourceDigest) }) { first, _ in first }
    return counts.min { a, b in
      (b.value, digests[a.key] ?? "", a.key) < (a.value, digests[b.key] ?? "", b.key)
    }?.key
  }

  /// The main source, and those in which its streams continue.
  func mainSources(of kind: StreamSource) -> Set<Int64> {
    guard let main = mainSource(of: kind) else { return [] }
    let going = (tracks[kind] ?? []).filter { parts in parts.contains { $0.source == main } }
    return Set(going.flatMap { $0 }.map(\.source)).union([main])
  }

  /// Inbound streams seen by both statistics and a capture, with the packet counts of each.
  var seenTwice: [StreamSeenTwice] {
    let captured = (tracks[.capture] ?? []).filter {
      $0.first?.facts.direction == .inbound && $0.first?.facts.ssrc != nil
    }
    return chosen(.stats).compactMap { stream in
      guard stream.facts.direction == .inbound, let packets = stream.totals.packets,
        let other = captured.first(where: { $0.first?.facts.ssrc == stream.facts.ssrc })
      else { return nil }
      let counted = other.compactMap { part in
        part.totals.packets.map {
          Double($0) + Double(part.totals.probes ?? 0) + Double(part.totals.fec ?? 0)
        }
      }
      guard counted.count == other.count else { return nil }
      // Browsers count retransmissions and padding as packets of the medium, a capture counts them separately.
      let repeats = stream.facts.kind == .video ? stream.totals.rtx ?? 0 : 0
      return StreamSeenTwice(
        ssrc: stream.facts.ssrc, statsPackets: Double(packets) - Double(repeats),
        capturePackets: counted.reduce(0, +))
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

  /// The best of the rows of one stream, and those in which it continues before and after it, in time order.
  private static func parts(_ rows: [StoredStream]) -> [StoredStream] {
    let isComing = rows.first.map { $0.facts.source == .capture && $0.facts.direction != .outbound } ?? false
    let ranked = (isComing ? CapturePoints(rows).nearest : rows).sorted(by: isBetter)
    guard let best = ranked.first else { return [] }
    guard best.facts.ssrc != nil || best.facts.source == .figures, best.span != nil else { return [best] }
    var line: [(span: ClosedRange<Double>, row: StoredStream)] = []
    for row in ranked {
      guard let span = row.span else { continue }
      let place = place(of: span.lowerBound, in: line)
      let isFree =
        (place == 0 || line[place - 1].span.upperBound < span.lowerBound)
        && (place == line.count || span.upperBound < line[place].span.lowerBound)
      if isFree { line.insert((span, row), at: place) }
    }
    guard let middle = line.firstIndex(where: { $0.row.key == best.key }) else { return [best] }
    func goesOn(_ place: Int) -> Bool {
      line[place].span.lowerBound - line[place - 1].span.upperBound <= RotatedFiles.maxGapMs
    }
    var (from, to) = (middle, middle)
    while from > 0, goesOn(from) { from -= 1 }
    while to + 1 < line.count, goesOn(to + 1) { to += 1 }
    return line[from...to].map(\.row)
  }

  /// Where to insert a span with the given start, after spans with an equal start.
  private static func place(of first: Double, in line: [(span: ClosedRange<Double>, row: StoredStream)])
    -> Int
  {
    line.endOfPrefix { $0.span.lowerBound <= first }
  }

  private static func isBetter(_ a: StoredStream, _ b: StoredStream) -> Bool {
    if a.samples != b.samples { return a.samples > b.samples }
    let (spanA, spanB) = (a.lastedMs, b.lastedMs)
    return spanA == spanB ? StoredStream.isBefore(a, b) : spanA > spanB
  }
}

extension StoredStream {
  /// First and last time, if both are known.
  var span: ClosedRange<Double>? {
    guard let first = totals.firstMs, let last = totals.lastMs, first <= last else { return nil }
    return first...last
  }

  fileprivate var lastedMs: Double { (totals.lastMs ?? 0) - (totals.firstMs ?? 0) }
}

extension SpanSet {
  /// When any of some streams was there.
  init(of streams: some Sequence<StoredStream>) {
    self.init(streams.compactMap(\.span).map { ($0.lowerBound, $0.upperBound) })
  }
}
