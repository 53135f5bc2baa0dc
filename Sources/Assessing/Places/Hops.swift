import CallModel
import CallStore
import Scoring
import Verdicts

/// What captures at the ends and between them have of one stream, from its sender to its receiver.
struct Hops {
  /// The share of the packets that is missing: in the sender's own capture, where they reach the relay, where they leave
  /// it, and in the receiver's own capture; nil without a capture there. Without the sender's, how much was sent is told
  /// by the sequence numbers of what reached the relay.
  let sent: Double?
  private(set) var reached: Double?
  private(set) var left: Double?
  private(set) var received: Double?

  /// Share of the stream's length from which a capture covers it: what it lacks then did not come there.
  private static let coveredShare = 0.97

  /// - Parameters:
  ///   - far: the key of the end that sent it, and of the end that was to receive it.
  ///   - streams: all that captures have of the streams of each end, by the end's key.
  init?(_ medium: MediaKind, from far: Int64, to end: Int64, _ streams: [Int64: [StoredStream]]) {
    let all = Sightings(medium, from: far, to: end, streams)
    let back = Sightings(medium, from: end, to: far, streams)
    let relays = all.relays.union(back.relays)
    let ownStream = all.nearestToSender(back)
    guard let stream = ownStream ?? all.intoRelay, let packets = stream.totals.packets, packets > 0,
      let span = stream.span
    else { return nil }
    let expected = Double(packets + max(0, stream.totals.lost ?? 0))
    let bySource = Dictionary(
      grouping: streams.values.joined().filter { $0.facts.source == .capture }, by: \.source)
    // Nearest to the receiver are captures of what left the last relay, and of what the receiver itself sent.
    let received = all.sources(on: all.last).union(back.sources(on: back.first))
    let own = received.subtracting(relays).subtracting([stream.source])
    /// The share that is missing in some captures; nil if they are not of the whole time and have nothing of it.
    func missing(in sources: Set<Int64>, where isMeant: (StoredStream) -> Bool) -> Double? {
      let lengths = sources.map { source in
        let spans = (bySource[source] ?? []).compactMap(\.span)
        return (spans.map(\.upperBound).max() ?? 0) - (spans.map(\.lowerBound).min() ?? 0)
      }
      let isCovered = (lengths.max() ?? 0) >= Self.coveredShare * (span.upperBound - span.lowerBound)
      let seen = all.rows.filter { sources.contains($0.source) && isMeant($0) }
      guard let best = seen.max(by: { $0.totals.packets ?? 0 < $1.totals.packets ?? 0 }),
        let packets = best.totals.packets, packets > 0
      else { return isCovered ? 1 : nil }
      let byNumbers = best.totals.lostShare ?? 0
      return isCovered ? max(byNumbers, (expected - Double(packets)) / expected) : byNumbers
    }
    sent = ownStream?.totals.lostShare
    if !relays.isEmpty {
      reached = missing(in: relays) { Leg($0) == Leg(stream) }
      left = missing(in: relays) { Leg($0) != Leg(stream) }
    }
    if !own.isEmpty { self.received = missing(in: own) { Leg($0) != Leg(stream) || own.contains($0.source) } }
  }
}

extension Hops {
  /// The share that a host lost of what it was to pass on, by one capture that has the stream to it and from it, whatever
  /// SSRC it has there; nil if it lost little, or no more than it got.
  static func lostIn(_ streams: [StoredStream], _ medium: MediaKind) -> Double? {
    let came = streams.filter {
      $0.facts.source == .capture && $0.facts.kind == medium && $0.facts.direction != .outbound
        && $0.totals.packets ?? 0 > 0
    }
    func share(_ row: StoredStream) -> Double { row.totals.lostShare ?? 0 }
    guard came.count == 2, Set(came.map(\.source)).count == 1,
      let into = came.first(where: { one in came.contains { Leg(one)?.hosts.to == Leg($0)?.hosts.from } }),
      let from = came.first(where: { Leg($0)?.hosts.from == Leg(into)?.hosts.to }),
      // The two directions of one way are no relay.
      Leg(from)?.hosts.to != Leg(into)?.hosts.from,
      share(from) >= PlaceFinder.lossShare, share(into) <= PlaceFinder.cleanPart * share(from)
    else { return nil }
    return share(from)
  }
}

/// The way of packets between two addresses.
private struct Leg: Hashable {
  let from: String
  let to: String

  init?(_ row: StoredStream) {
    guard let local = row.facts.local, let remote = row.facts.remote else { return nil }
    (from, to) = row.facts.direction == .outbound ? (local, remote) : (remote, local)
  }

  /// The addresses without their ports.
  var hosts: (from: Substring, to: Substring) { (Self.host(from), Self.host(to)) }

  private static func host(_ address: String) -> Substring {
    address.lastIndex(of: ":").map { address[..<$0] } ?? address[...]
  }
}

/// What all captures have of the stream that one end sent most packets of to another.
private struct Sightings {
  let rows: [StoredStream]
  /// The legs that come first, and last.
  let first: Set<Leg>
  let last: Set<Leg>
  /// The captures that have it on its way to and from a relay.
  let relays: Set<Int64>

  init(_ medium: MediaKind, from far: Int64, to end: Int64, _ streams: [Int64: [StoredStream]]) {
    let sent = (streams[far] ?? []).filter { $0.facts.direction == .outbound }
    let came = (streams[end] ?? []).filter { $0.facts.direction != .outbound }
    let all = (sent + came).filter {
      $0.facts.source == .capture && $0.facts.kind == medium && $0.facts.ssrc != nil
    }
    let ssrc = all.max { ($0.totals.packets ?? 0) < ($1.totals.packets ?? 0) }?.facts.ssrc
    rows = all.filter { $0.facts.ssrc == ssrc }
    let legs = Set(rows.compactMap(Leg.init))
    first = legs.filter { leg in !legs.contains { $0.hosts.to == leg.hosts.from } }
    last = legs.filter { leg in !legs.contains { $0.hosts.from == leg.hosts.to } }
    relays = Set(
      Dictionary(grouping: rows, by: \.source).filter { Set($0.value.compactMap(Leg.init)).count > 1 }.keys)
  }

  func sources(on legs: Set<Leg>) -> Set<Int64> {
    Set(rows.filter { Leg($0).map(legs.contains) ?? false }.map(\.source))
  }

  /// The row of a capture at a relay, where packets reach it.
  var intoRelay: StoredStream? {
    rows.filter { relays.contains($0.source) && Leg($0).map(first.contains) == true }
      .max { ($0.totals.packets ?? 0) < ($1.totals.packets ?? 0) }
  }

  /// The row of the capture nearest to the sender: of the first leg, on its way to a relay. A leg from end to end has
  /// captures of both on it, and only a direction tells them apart.
  ///
  /// - Parameter back: the stream from the receiver to the sender.
  func nearestToSender(_ back: Sightings) -> StoredStream? {
    let receivers = Set(back.first.map(\.hosts.from))
    let toRelays = first.filter { leg in
      receivers.isEmpty ? !last.contains(leg) : !receivers.contains(leg.hosts.to)
    }
    return rows.filter { row in
      !relays.contains(row.source) && !back.relays.contains(row.source)
        && (row.facts.direction == .outbound || Leg(row).map(toRelays.contains) ?? false)
    }.max { ($0.totals.packets ?? 0) < ($1.totals.packets ?? 0) }
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
      })
    else { return nil }
    if let share = Hops.lostIn(streams[end.endpoint.key] ?? [], trouble.medium) {
      return PlacedFault(
        .notRelayed, evidence: "it got what was sent, and \(lossPercent(share)) of that did not leave it")
    }
    guard let way = hops(from: far, to: end, trouble.medium), way.sent ?? 0 < Self.lossShare / 3 else {
      return nil
    }
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

  /// Where the loss was that the verdict takes from the listener's reports alone, if a capture at a relay has all that
  /// they count as lost.
  var lostBehindRelay: PlacedFault? {
    guard verdict.rule == VerdictRule.lossAtFarEnd.rawValue, ends.count == 2,
      let end = ends.first(where: { $0.endpoint.name == verdict.end }),
      let far = ends.first(where: { $0.endpoint.key != end.endpoint.key }),
      let way = hops(from: far, to: end, .audio), way.received == nil, let reached = way.reached,
      let left = way.left,
      let share = evidence.ends.first(where: { $0.name == far.endpoint.name })?.media
        .first(where: { $0.medium == .audio })?.lostAtFarEnd.map(\.share).max(),
      max(way.sent ?? 0, reached, left) <= Self.cleanPart * share
    else { return nil }
    return PlacedFault(
      .downlinkByHops, at: end.endpoint.name,
      evidence: "by its reports \(lossPercent(share)) of what left the relay did not arrive")
  }

  private func hops(from far: EndpointAssessment, to end: EndpointAssessment, _ medium: MediaKind) -> Hops? {
    Hops(medium, from: far.endpoint.key, to: end.endpoint.key, streams)
  }
}

extension StreamTotals {
  /// The share that was lost by the numbers of what came; nil if nothing came.
  fileprivate var lostShare: Double? {
    guard let packets, packets > 0 else { return nil }
    let lost = Double(max(0, self.lost ?? 0))
    return lost / (Double(packets) + lost)
  }
}
