import CallModel
import CallStore
import Scoring

/// Streams of which one capture has packets, and another, nearer to their receiver, not one: they were lost in between.
///
/// The other capture must have seen the opposite direction of the same path, so it would have seen the stream if that
/// had come so far. If it had been nearer to the sender, the stream would have passed it first.
struct LostBetweenCaptures {
  /// Maximum number of captured streams of a call that are compared.
  private static let most = 512

  /// The streams that did not reach their end, as far as the other capture shows it, with times on the clock of all
  /// captures.
  private var lost: [StoredStream] = []

  /// None, as without two captures.
  init() {}

  /// Compares what the captures of a call have of the media of its ends.
  init(
    of ends: [StoredEndpoint], _ streams: [Int64: [StoredStream]], _ clocks: CaptureClocks,
    _ events: [StoredEvent]
  ) {
    let partial = Set(events.filter { $0.record.note == .oneDirection }.map(\.source))
    let seen = ends.flatMap { streams[$0.key] ?? [] }
      .compactMap { Sighting(clocks.aligned($0)) }
    let sources = Set(seen.map(\.row.source))
    guard sources.count > 1, seen.count <= Self.most else { return }
    lost = Dictionary(grouping: seen, by: \.ssrc).values.flatMap { sightings -> [StoredStream] in
      let others = sources.subtracting(partial).subtracting(sightings.map(\.row.source))
      let missing = others.map { other in sightings.compactMap { $0.missing(in: other, all: seen) } }
        .filter { $0.count == sightings.count }
      // Of several captures without it, the one that covers most of its time.
      func lengthMs(_ rows: [StoredStream]) -> Double {
        rows.reduce(0) { $0 + ($1.totals.lastMs ?? 0) - ($1.totals.firstMs ?? 0) }
      }
      return missing.max { lengthMs($0) < lengthMs($1) } ?? []
    }
  }

  /// Keys of the streams that ends are said to have received.
  var received: Set<Int64> { Set(lost.lazy.filter { $0.facts.direction != .outbound }.map(\.key)) }

  /// The findings of an end, with those about such streams in place of others about the same time.
  func completing(_ findings: [Finding], of end: EndpointAssessment, _ ends: [EndpointAssessment])
    -> [Finding]
  {
    let own = [MediaKind.audio, .video].compactMap { finding($0, at: end, ends) }
    return findings.filter { finding in
      guard let start = finding.startMs, let stop = finding.endMs, stop > start else { return true }
      return !own.contains { lost in
        guard lost.code == finding.code, let from = lost.startMs, let to = lost.endMs else { return false }
        return min(stop, to) - max(start, from) > (stop - start) / 2
      }
    } + own
  }

  private func finding(_ kind: MediaKind, at end: EndpointAssessment, _ ends: [EndpointAssessment])
    -> Finding?
  {
    // A capture on the sender's machine has the stream as sent by it.
    let rows = lost.filter { row in
      guard row.facts.kind == kind else { return false }
      let isOwn = row.endpoint == end.endpoint.key
      return row.facts.direction == .outbound ? !isOwn && ends.count == 2 : isOwn
    }
    guard let first = rows.compactMap(\.totals.firstMs).min(),
      let last = rows.compactMap(\.totals.lastMs).max()
    else { return nil }
    return Finding(
      kind == .audio ? .oneWayAudio : .noPicture, .error, from: first, to: last,
      Evidence().with("without_packets_ms", (last - first).rounded())
        .with("by", MediaSpan.Proof.otherEnd.rawValue),
      "\(kind == .audio ? "No sound" : "No picture") came for \(durationText(last - first)): a capture nearer to its sender has its packets, and one nearer to this end has none of them."
    ).shifted(byMs: -end.onCaptureClock(0))
  }
}

/// A stream in a capture, with the hosts it goes from and to.
private struct Sighting {
  /// Minimum share of a stream's time that the other capture, and the opposite direction in it, must cover.
  private static let coveredShare = 0.5

  let row: StoredStream
  let ssrc: UInt32
  private let kind: MediaKind
  private let from: String
  private let to: String
  private let span: ClosedRange<Double>

  init?(_ row: StoredStream) {
    guard row.facts.source == .capture, row.totals.packets ?? 0 > 0, let ssrc = row.facts.ssrc,
      let kind = row.facts.kind, let local = row.facts.local.map(AddressText.host),
      let remote = row.facts.remote.map(AddressText.host), let first = row.totals.firstMs,
      let last = row.totals.lastMs, last >= first
    else { return nil }
    (self.row, self.ssrc, self.kind) = (row, ssrc, kind)
    (from, to) = row.facts.direction == .outbound ? (local, remote) : (remote, local)
    span = first...last
  }

  /// The part of this stream that should be in a capture without it: the capture has the opposite direction of its path,
  /// and no other stream of the medium in this direction. Nil if that is not so.
  func missing(in other: Int64, all: [Sighting]) -> StoredStream? {
    guard span.upperBound - span.lowerBound >= Threshold.missingMedium.value else { return nil }
    let opposite = Set(
      all.filter { $0.row.source == row.source && $0.kind == kind && $0.from == to && $0.to == from }
        .map(\.ssrc))
    let ways = all.filter {
      $0.row.source == other && opposite.contains($0.ssrc) && share($0.row.sourceSpan) >= Self.coveredShare
        && share($0.span) >= Self.coveredShare
    }
    guard let file = ways.first?.row.sourceSpan,
      !all.contains(where: { one in
        one.row.source == other && one.kind == kind && share(one.span) >= Self.coveredShare
          && ways.contains { $0.from == one.to && $0.to == one.from }
      })
    else { return nil }
    var part = row
    part.totals.firstMs = max(span.lowerBound, file.lowerBound)
    part.totals.lastMs = min(span.upperBound, file.upperBound)
    return part
  }

  /// The share of its time that a period covers.
  private func share(_ period: ClosedRange<Double>?) -> Double {
    guard let period else { return 0 }
    let common = min(period.upperBound, span.upperBound) - max(period.lowerBound, span.lowerBound)
    return max(0, common) / (span.upperBound - span.lowerBound)
  }
}
