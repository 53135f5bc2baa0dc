import CallModel
import Testing

@testable import CallViews

@Suite("The packets on the page of a call")
struct PagePacketsTests {
  private static func account() -> CallAccount {
    var end = SampleAccount.end(
      "callee", (0..<60).map { SampleAccount.window($0, $0 == 40 ? [.loss: 60] : [:]) })
    func stream(_ ssrc: Int64, _ direction: StreamDirection, _ codec: String?, lost: Int64) -> StreamAccount {
      StreamAccount(
        key: ssrc, source: .capture, chosen: true, direction: direction, kind: .audio, codec: codec,
        ssrc: ssrc, screen: false, firstMs: SampleAccount.startMs, lastMs: SampleAccount.startMs + 300_000,
        figures: [
          "packets": .integer(15_000), "expected": .integer(15_000), "lost": .integer(lost),
          "local": .text("192.0.2.2:4000"), "remote": .text("192.0.2.9:5000"),
        ], parts: [StreamAccount.Part(key: ssrc, source: 1)])
    }
    end.streams = [
      stream(1, .outbound, "opus", lost: 0), stream(2, .inbound, nil, lost: 500),
      stream(3, .inbound, "opus", lost: 5),
      stream(4, .inbound, "opus", lost: 50),
    ]
    var account = SampleAccount.call(ends: [end])
    account.sources = [
      SourceFacts(
        key: 1, path: "/calls/a b.pcap", format: "pcap", status: "ok", reason: nil, skewMs: nil, rejected: 0,
        prunedMs: nil, notes: [])
    ]
    return account
  }

  @Test("are of received media first, the worst of it first, then of what repairs it, then of what is sent")
  func order() throws {
    let requests = PacketRequest.all(of: Self.account())
    #expect(requests.map(\.ssrc) == [4, 3, 2, 1])
    let first = try #require(requests.first)
    #expect(first.source == "192.0.2.9:5000" && first.destination == "192.0.2.2:4000")
    #expect(requests.last?.source == "192.0.2.2:4000")
    #expect(first.title == "audio to the callee, opus, SSRC 4")
    #expect(first.command == "callqa packets '/calls/a b.pcap' --stream 4 --csv")
  }

  /// A packet each 20 ms by a clock that is 1 s behind that of the call; the third is missing.
  private func excerpt(_ count: Int) throws -> PacketExcerpt {
    let request = try #require(PacketRequest.all(of: Self.account()).first)
    let firstMs = SampleAccount.startMs - 1000
    var excerpt = PacketExcerpt(request, packets: count, firstMs: firstMs)
    for number in 0..<count {
      guard number != 2 else {
        excerpt.take(PacketRow(missing: 2))
        continue
      }
      excerpt.take(
        PacketRow(
          frame: number + 1, timeMs: firstMs + 20 * Double(number), sequence: UInt16(number), timestamp: 0,
          payloadType: 111, marker: false, bytes: 80, deltaMs: 20, jitterMs: 0, state: .ok))
    }
    return excerpt
  }

  @Test("are all there of a short stream, on the clock of the call")
  func whole() throws {
    let excerpt = try excerpt(1000)
    #expect(excerpt.rows.count == 1000 && excerpt.total == 1000 && excerpt.gaps.isEmpty)
    #expect(excerpt.rows.first?.timeMs == SampleAccount.startMs && excerpt.rows[2].state == .lost)
  }

  @Test("are those of the worst moments of a long stream, and what is left out is counted")
  func excerpts() throws {
    let excerpt = try excerpt(15_000)
    #expect(excerpt.total == 15_000 && excerpt.rows.count < PacketExcerpt.maxRows)
    let bad = excerpt.rows.filter { ($0.timeMs ?? 0) >= SampleAccount.startMs + 200_000 }.prefix(200)
    #expect(bad.count == 200 && bad.first?.sequence == 10_000, "the window that lost 60 points")
    #expect(excerpt.rows.contains { $0.state == .lost }, "a missing packet is where its neighbours are")
    #expect(excerpt.gaps.count == 2, "before the worst window, and before the end")
    #expect(excerpt.gaps.reduce(0) { $0 + $1.count } + excerpt.rows.count == 15_000)
  }

  @Test("are all there of a short stream of which every packet came late, with two rows each")
  func late() throws {
    let request = try #require(PacketRequest.all(of: Self.account()).first)
    var excerpt = PacketExcerpt(request, packets: 1900, firstMs: SampleAccount.startMs)
    for number in 0..<1900 {
      let timeMs = SampleAccount.startMs + 20 * Double(number)
      excerpt.take(PacketRow(missing: UInt16(number)))
      excerpt.take(
        PacketRow(
          frame: number, timeMs: timeMs, sequence: UInt16(number), timestamp: 0, payloadType: 111,
          marker: false,
          bytes: 80, deltaMs: 20, jitterMs: 0, state: .late))
    }
    #expect(excerpt.rows.count == 3799 && excerpt.total == 3800, "a row before the first packet has no time")
  }

  @Test("never are more than a page can carry")
  func bounded() throws {
    var request = try #require(PacketRequest.all(of: Self.account()).first)
    request.times = (0..<200).map { place in
      let from = SampleAccount.startMs + Double(place) * 20_000
      return from...(from + 10_000)
    }
    var excerpt = PacketExcerpt(request, packets: 1_000_000, firstMs: SampleAccount.startMs)
    for number in 0..<200_000 {
      excerpt.take(
        PacketRow(
          frame: number, timeMs: SampleAccount.startMs + 2 * Double(number),
          sequence: UInt16(number & 0xFFFF),
          timestamp: 0, payloadType: 96, marker: false, bytes: 1200, deltaMs: 2, jitterMs: 0, state: .ok))
    }
    #expect(excerpt.rows.count == PacketExcerpt.maxRows && excerpt.total == 200_000)
  }
}
