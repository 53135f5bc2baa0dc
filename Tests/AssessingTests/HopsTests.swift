import CallModel
@testable import CallStore
import Testing

@testable import Assessing

@Suite("What captures at three hops have of one stream")
struct HopsTests {
  private static let (caller, relay, callee) = ("192.0.2.1:4000", "192.0.2.9:30000", "192.0.2.2:5000")

  /// A sighting of the caller's sound: where it was captured, and between which addresses.
  private func sighting(
    _ direction: StreamDirection, in source: Int64, local: String, remote: String, packets: Int,
    ssrc: UInt32 = 7, fromMs: Double = 0
  ) -> StoredStream {
    var stream = StoredStream(
      key: source, connection: source, source: source, chosen: true, facts: StreamFacts(),
      totals: StreamTotals(), samples: 1)
    stream.facts.source = .capture
    (stream.facts.direction, stream.facts.kind, stream.facts.ssrc) = (direction, .audio, ssrc)
    (stream.facts.local, stream.facts.remote) = (local, remote)
    stream.totals.packets = packets
    (stream.totals.firstMs, stream.totals.lastMs) = (fromMs, 20_000)
    return stream
  }

  /// The way of 1,000 packets: how many a capture at the relay has of what came and of what left, and one at the callee,
  /// which may begin late.
  private func hops(
    came: Int? = nil, left: Int? = nil, received: Int? = nil, fromMs: Double = 0, answers: Bool = true,
    isDirected: Bool = true
  ) throws -> Hops {
    let sent = sighting(.outbound, in: 1, local: Self.caller, remote: Self.relay, packets: 1000)
    let atRelay = [
      came.map { sighting(.inbound, in: 2, local: Self.relay, remote: Self.caller, packets: $0) },
      left.map { sighting(.inbound, in: 2, local: Self.callee, remote: Self.relay, packets: $0) },
    ].compactMap { $0 }
    // The callee's own capture is known by what the callee sends, that at a relay by the two legs of that.
    let own = [
      sighting(
        .outbound, in: 3, local: Self.callee, remote: Self.relay, packets: 1000, ssrc: 8, fromMs: fromMs),
      received.map {
        sighting(.inbound, in: 3, local: Self.callee, remote: Self.relay, packets: $0, fromMs: fromMs)
      },
    ].compactMap { $0 }
    let back = [
      sighting(.inbound, in: 2, local: Self.relay, remote: Self.callee, packets: 1000, ssrc: 8),
      sighting(.inbound, in: 2, local: Self.caller, remote: Self.relay, packets: 1000, ssrc: 8),
    ]
    let hasRelay = came != nil || left != nil
    var streams: [Int64: [StoredStream]] = [
      10: [sent] + (hasRelay ? back : []), 20: atRelay + (answers ? own : Array(own.dropFirst())),
    ]
    if !isDirected {
      // As without a name or a time to live that tells which end captured: all is what an end received.
      streams = [
        10: back + own.filter { $0.facts.direction == .outbound }.map(turned),
        20: [turned(sent)] + atRelay + own.filter { $0.facts.direction == .inbound },
      ]
    }
    return try #require(Hops(.audio, from: 10, to: 20, streams))
  }

  /// The same packets, as the other end receives them.
  private func turned(_ stream: StoredStream) -> StoredStream {
    var turned = stream
    (turned.facts.local, turned.facts.remote) = (stream.facts.remote, stream.facts.local)
    turned.facts.direction = .inbound
    return turned
  }

  @Test("what is missing at each hop is its share of what was sent")
  func shares() throws {
    let way = try hops(came: 1000, left: 950, received: 900)
    #expect(way.sent == 0 && way.reached == 0 && way.left == 0.05 && way.received == 0.1)
  }

  @Test("a capture that has nothing of it misses all; a place without a capture tells nothing")
  func absent() throws {
    #expect(try hops(came: 1000, received: 900).left == 1)
    let two = try hops(received: 900)
    #expect(two.reached == nil && two.left == nil && two.received == 0.1)
    #expect(try hops(came: 1000, left: 1000).received == 1)
  }

  @Test("of an end without a capture of its own the numbers at the relay tell what did not reach it")
  func withoutSender() throws {
    var came = sighting(.inbound, in: 2, local: Self.relay, remote: Self.caller, packets: 950)
    came.totals.lost = 50
    var left = sighting(.inbound, in: 2, local: Self.callee, remote: Self.relay, packets: 900)
    left.totals.lost = 100
    let received = sighting(.inbound, in: 3, local: Self.callee, remote: Self.relay, packets: 800)
    let answer = sighting(.outbound, in: 3, local: Self.callee, remote: Self.relay, packets: 1000, ssrc: 8)
    func hops(_ rows: [StoredStream]) -> Hops? { Hops(.audio, from: 10, to: 20, [10: [], 20: rows]) }
    let way = try #require(hops([came, left, received, answer]))
    #expect(way.sent == nil && way.reached == 0.05 && way.left == 0.1 && way.received == 0.2)
    let relayAlone = try #require(hops([came, left]))
    #expect(relayAlone.reached == 0.05 && relayAlone.left == 0.1 && relayAlone.received == nil)
    // A capture that has one leg alone is not at a relay.
    #expect(hops([left]) == nil)
  }

  @Test("what a capture did not see because it began late is not missing there")
  func late() throws {
    #expect(try hops(came: 1000, left: 1000, received: 500, fromMs: 10_000).received == 0)
    #expect(try hops(came: 1000, left: 1000, fromMs: 10_000).received == nil)
  }

  @Test("a capture is known by the leg that it has, also of an end that sends nothing")
  func silent() throws {
    let way = try hops(received: 900, answers: false)
    #expect(way.reached == nil && way.left == nil && way.received == 0.1)
  }

  @Test("captures of which nothing tells whose they are tell the same")
  func undirected() throws {
    let way = try hops(came: 1000, left: 950, received: 900, isDirected: false)
    #expect(way.sent == 0 && way.reached == 0 && way.left == 0.05 && way.received == 0.1)
    let uplink = try hops(came: 800, left: 800, received: 800, isDirected: false)
    #expect(uplink.reached == 0.2 && uplink.left == 0.2 && uplink.received == 0.2)
    #expect(try hops(came: 1000, left: 1000, isDirected: false).received == 1)
  }
}
