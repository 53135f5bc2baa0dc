import CallModel
import CallStore
import Scoring

/// What captures at the ends and between them have of one stream, from its sender to its receiver.
struct Hops {
  /// The share of the packets that is missing: in the sender's own capture, where they reach the relay, where they leave
  /// it, and in the receiver's own capture; nil without a capture there.
  private(set) var sent: Double?
  private(set) var reached: Double?
  private(set) var left: Double?
  private(set) var received: Double?

  /// - Parameters:
  ///   - streams: all that captures have of the streams of each end, by the end's key.
  ///   - stream: what the sender's own capture has of the stream.
  init?(of stream: StoredStream, from sender: Int64, to receiver: Int64, _ streams: [Int64: [StoredStream]]) {
    guard let packets = stream.totals.packets, packets > 0 else { return nil }
    let all = (streams[receiver] ?? []).filter { $0.facts.source == .capture }
    let own = Set(all.filter { $0.facts.direction == .outbound }.map(\.source))
    let sightings = all.filter {
      $0.facts.direction == .inbound && $0.facts.ssrc == stream.facts.ssrc
        && $0.facts.kind == stream.facts.kind
    }
    let expected = Double(packets + max(0, stream.totals.lost ?? 0))
    func missing(_ sightings: [StoredStream]) -> Double? {
      let most = sightings.compactMap(\.totals.packets).max()
      return most.map { max(0, expected - Double($0)) / expected }
    }
    sent = Double(max(0, stream.totals.lost ?? 0)) / expected
    let known = Set(all.map(\.source)).union((streams[sender] ?? []).map(\.source))
    let between = known.subtracting(own).subtracting([stream.source])
    // Packets that arrive somewhere come from the sender's address; those that left a relay come from its own.
    let first = sightings.filter { between.contains($0.source) && $0.facts.remote == stream.facts.local }
    let second = sightings.filter { between.contains($0.source) && $0.facts.remote != stream.facts.local }
    if !between.isEmpty {
      reached = missing(first) ?? 1
      left = missing(second) ?? 1
    }
    if !own.subtracting([stream.source]).isEmpty {
      received = missing(sightings.filter { own.contains($0.source) }) ?? 1
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
      let way = hops(from: far, to: end, trouble.medium), (way.sent ?? 1) < Self.lossShare / 3
    else { return nil }
    func percent(_ share: Double) -> String { lossPercent(share) }
    if let reached = way.reached, let left = way.left {
      let total = way.received ?? left
      guard total >= Self.lossShare / 2 else { return nil }
      if reached >= total / 2 {
        let back = hops(from: end, to: far, trouble.medium)?.reached ?? 0
        return back >= reached / 3
          ? PlacedFault(
            .beforeRelay,
            evidence: "\(percent(reached)) and \(percent(back)) of what both ends sent did not reach it")
          : PlacedFault(
            .uplinkByHops, at: far.endpoint.name,
            evidence: "\(percent(reached)) of what it sent did not reach the relay, all of the rest arrived")
      }
      guard reached <= Self.cleanPart * total else { return nil }
      if left >= total / 2 {
        return PlacedFault(
          .notRelayed, evidence: "it got what was sent, and \(percent(left)) of it did not leave it")
      }
      guard let received = way.received, left <= Self.cleanPart * total else { return nil }
      return PlacedFault(
        .downlinkByHops, at: end.endpoint.name,
        evidence: "\(percent(received)) of what left the relay did not arrive")
    }
    guard let received = way.received, received >= Self.lossShare / 2 else { return nil }
    return PlacedFault(
      .betweenCaptures, evidence: "\(percent(received)) of what left one end did not arrive at the other")
  }

  /// The stream of most packets that an end's own capture has of what it sent.
  private func hops(from far: EndpointAssessment, to end: EndpointAssessment, _ medium: MediaKind) -> Hops? {
    let sent = (streams[far.endpoint.key] ?? []).filter {
      $0.facts.source == .capture && $0.facts.direction == .outbound && $0.facts.kind == medium
    }.max { ($0.totals.packets ?? 0) < ($1.totals.packets ?? 0) }
    return sent.flatMap { Hops(of: $0, from: far.endpoint.key, to: end.endpoint.key, streams) }
  }
}
