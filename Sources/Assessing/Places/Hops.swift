import CallModel
import CallStore
import Scoring

/// What captures at the ends and between them have of one stream, from its sender to its receiver.
struct Hops {
  /// The share of the packets that is missing: in the sender's own capture, where they reach the relay, where they leave
  /// it, and in the receiver's own capture; nil without a capture there.
  let sent: Double
  private(set) var reached: Double?
  private(set) var left: Double?
  private(set) var received: Double?

  /// Share of the stream's length from which a capture covers it: what it lacks then did not come there.
  private static let coveredShare = 0.97

  /// - Parameters:
  ///   - stream: what the sender's own capture has of the stream.
  ///   - streams: all that captures have of the streams of each end, by the end's key.
  init?(of stream: StoredStream, to receiver: Int64, _ streams: [Int64: [StoredStream]]) {
    guard let packets = stream.totals.packets, packets > 0, let span = stream.span else { return nil }
    let expected = Double(packets + max(0, stream.totals.lost ?? 0))
    let bySource = Dictionary(
      grouping: streams.values.joined().filter { $0.facts.source == .capture && $0.source != stream.source },
      by: \.source)
    let relays = Set(bySource.filter { Self.hasTwoLegs($0.value) }.keys)
    let captured = (streams[receiver] ?? []).filter { $0.facts.source == .capture }
    let own = Set(captured.filter { $0.facts.direction == .outbound }.map(\.source)).intersection(
      bySource.keys)
    let sightings = captured.filter {
      $0.facts.direction == .inbound && $0.facts.ssrc == stream.facts.ssrc
        && $0.facts.kind == stream.facts.kind
    }
    /// The share that is missing in some captures; nil if they are not of the whole time and have nothing of it.
    func missing(in sources: Set<Int64>, where isMeant: (StoredStream) -> Bool) -> Double? {
      let lengths = sources.map { source in
        let spans = (bySource[source] ?? []).compactMap(\.span)
        return (spans.map(\.upperBound).max() ?? 0) - (spans.map(\.lowerBound).min() ?? 0)
      }
      let isCovered = (lengths.max() ?? 0) >= Self.coveredShare * (span.upperBound - span.lowerBound)
      let seen = sightings.filter { sources.contains($0.source) && isMeant($0) }
      guard let best = seen.max(by: { $0.totals.packets ?? 0 < $1.totals.packets ?? 0 }),
        let packets = best.totals.packets, packets > 0
      else { return isCovered ? 1 : nil }
      let lost = Double(max(0, best.totals.lost ?? 0))
      let byNumbers = lost / (Double(packets) + lost)
      return isCovered ? max(byNumbers, (expected - Double(packets)) / expected) : byNumbers
    }
    // What arrives at a relay was sent to its address by the sender's; what leaves it was not.
    func isFirstLeg(_ row: StoredStream) -> Bool {
      row.facts.remote == stream.facts.local || row.facts.local == stream.facts.remote
    }
    sent = Double(max(0, stream.totals.lost ?? 0)) / expected
    if !relays.isEmpty {
      reached = missing(in: relays, where: isFirstLeg)
      left = missing(in: relays) { !isFirstLeg($0) }
    }
    if !own.isEmpty { received = missing(in: own) { _ in true } }
  }

  /// Whether a capture has a stream on its way to and from a relay.
  private static func hasTwoLegs(_ rows: [StoredStream]) -> Bool {
    Dictionary(grouping: rows.filter { $0.facts.ssrc != nil }, by: \.facts.ssrc).values.contains {
      Set($0.map(\.facts.local)).count > 1
    }
  }
}

extension PlaceFinder {
  /// By what captures at several hops have of the stream.
  func ofHops(
    _ trouble: Trouble, _ end: EndpointAssessment, _ others: [EndpointAssessment]
  ) -> PlacedFault? {
    guard others.count == 1, let far = others.first, end.choice.judging != .stats,
      trouble.isOfPath || trouble.kind == .missed(.notForwarded),
      // What a capture missed was not lost.
      ![far, end].contains(where: { one in
        (findings[one.endpoint.key] ?? []).contains { $0.code == .captureLoss }
      }),
      let way = hops(from: far, to: end, trouble.medium), way.sent < Self.lossShare / 3
    else { return nil }
    if let reached = way.reached, let left = way.left {
      let total = way.received ?? left
      guard total >= Self.lossShare / 2 else { return nil }
      if reached >= total / 2 {
        let back = hops(from: end, to: far, trouble.medium)?.reached ?? 0
        return back >= reached / 3
          ? PlacedFault(
            .beforeRelay,
            evidence:
              "\(lossPercent(reached)) and \(lossPercent(back)) of what both ends sent did not reach it")
          : PlacedFault(
            .uplinkByHops, at: far.endpoint.name,
            evidence: "\(lossPercent(reached)) of what it sent did not reach the relay")
      }
      guard reached <= Self.cleanPart * total else { return nil }
      if left >= total / 2 {
        return PlacedFault(
          .notRelayed, evidence: "it got what was sent, and \(lossPercent(left)) of it did not leave it")
      }
      guard let received = way.received, left <= Self.cleanPart * total else { return nil }
      return PlacedFault(
        .downlinkByHops, at: end.endpoint.name,
        evidence: "\(lossPercent(received)) of what left the relay did not arrive")
    }
    guard let received = way.received, received >= Self.lossShare / 2 else { return nil }
    return PlacedFault(
      .betweenCaptures, evidence: "\(lossPercent(received)) of what left one end did not arrive at the other")
  }

  /// The stream of most packets that an end's own capture has of what it sent.
  private func hops(from far: EndpointAssessment, to end: EndpointAssessment, _ medium: MediaKind) -> Hops? {
    let sent = (streams[far.endpoint.key] ?? []).filter {
      $0.facts.source == .capture && $0.facts.direction == .outbound && $0.facts.kind == medium
    }.max { ($0.totals.packets ?? 0) < ($1.totals.packets ?? 0) }
    return sent.flatMap { Hops(of: $0, to: end.endpoint.key, streams) }
  }
}
