import CallModel
import Testing

@Suite("Packets that the capture saw twice")
struct SeenTwiceTests {
  typealias C = CaptureBuilder

  /// Each frame twice, a moment apart; without its IPv4 identification where asked.
  private func doubled(
    _ builder: C, afterUs: Int64 = 20, withoutIDs: Bool = false, only: (Int) -> Bool = { _ in true }
  ) -> C {
    var twice = builder
    twice.frames = builder.frames.enumerated().flatMap { n, frame in
      var first = frame
      if withoutIDs { first.bytes.replaceSubrange(18..<20, with: [0, 0]) }
      var second = first
      second.timeUs += afterUs
      return only(n) ? [first, second] : [first]
    }
    return twice
  }

  @Test("what is sent once is not sent again because it was captured twice", arguments: [false, true])
  func setup(withoutIDs: Bool) throws {
    for builder in [CallBuilder.webRTC(), CallBuilder.sipCall()] {
      let once = try Recorder.read(builder.pcap(), name: "caller.pcap")
      let twice = try Recorder.read(doubled(builder, withoutIDs: withoutIDs).pcap(), name: "caller.pcap")
      #expect(twice.events.map(\.event) == once.events.map(\.event))
      #expect(twice.events.map(\.args) == once.events.map(\.args))
      #expect(twice.events.map(\.anomaly) == once.events.map(\.anomaly))
      #expect(
        twice.transports.values.flatMap { $0 }.map(\.rttMs)
          == once.transports.values.flatMap { $0 }.map(\.rttMs))
      #expect(twice.notes.contains { $0.contains("were captured twice") })
      for (before, after) in zip(once.streams, twice.streams) {
        #expect(after.totals.packets == before.totals.packets && after.totals.duplicates == 0)
        #expect(after.totals.captureDuplicates == before.totals.packets)
      }
    }
  }

  @Test("of a thousand datagrams at one moment all are known again, each time the capture is read")
  func many() throws {
    var builder = C()
    for sender in 0..<900 {
      builder.addUDP(
        [0, 1, 0, 0, 0x21, 0x12, 0xA4, 0x42] + [UInt8](repeating: 9, count: 12), atMs: Double(sender) / 500,
        from: 10_000 + sender, to: 3478)
    }
    builder.frames = doubled(builder, afterUs: 2000).frames.sorted { $0.timeUs < $1.timeUs }
    for _ in 0..<2 {
      let notes = try Recorder.read(builder.pcap()).notes
      #expect(notes.contains("900 datagrams beside RTP were captured twice: counted once"))
    }
  }

  @Test("what comes again later was sent again")
  func sentAgain() throws {
    let builder = CallBuilder.sipCall()
    let later = try Recorder.read(doubled(builder, afterUs: 50_000, withoutIDs: true).pcap())
    let once = try Recorder.read(builder.pcap())
    func again(_ read: Recorder) -> Int { read.events.count { $0.anomaly == "sent again" } }
    #expect(again(later) > again(once))
  }

  @Test("without identifications the network repeats some packets, and the capture all of them")
  func withoutIDs() throws {
    var builder = C()
    builder.addVoice(count: 500)
    let some = try Recorder.read(doubled(builder, withoutIDs: true) { $0 % 50 == 30 }.pcap())
    #expect(some.streams.first?.totals.duplicates == 10)
    #expect(some.streams.first?.totals.captureDuplicates == 0)
    let most = try Recorder.read(doubled(builder, withoutIDs: true) { $0 % 50 != 30 }.pcap())
    #expect(most.streams.first?.totals.captureDuplicates == 490)
    // Of a mirror that begins in the middle the first few are not told yet.
    let half = try Recorder.read(doubled(builder, withoutIDs: true) { $0 >= 250 }.pcap())
    #expect(try #require(half.streams.first?.totals.captureDuplicates) >= 240)
  }

  /// Voice through a router that passes on what it is told to, captured on both its sides.
  private func routed(_ count: Int, passes: (Int) -> Bool) throws -> (StreamFacts, totals: StreamTotals) {
    var builder = C()
    builder.addVoice(count: count)
    builder.frames = builder.frames.enumerated().flatMap { n, frame in
      var behind = frame
      behind.bytes[22] -= 1
      behind.timeUs += 40
      return passes(n) ? [frame, behind] : [frame]
    }
    return try #require(try Recorder.read(builder.pcap()).streams.first)
  }

  @Test("what went into a router that the capture was taken on, and did not come out of it, was lost there")
  func router() throws {
    let tenth = try routed(500) { $0 % 10 != 9 }.totals
    #expect(tenth.packets == 450 && tenth.lost == 49, "the last may yet come")
    #expect(tenth.captureDuplicates == 450)
    #expect(tenth.extra?.contains(#""not_passed_on":50"#) == true, "\(tenth.extra ?? "")")
    let most = try routed(500) { $0 % 5 < 2 }.totals
    #expect(abs(Double(most.lost ?? 0) - 300) < 30)
  }

  @Test(
    "one packet that a router sends back now and then makes no router of the capture, nor does one that passes no more"
  )
  func noRouter() throws {
    #expect(try routed(500) { $0 % 50 == 0 }.totals.lost == 0)
    let changed = try routed(1000) { $0 < 200 }.totals
    #expect(changed.lost == 250 && changed.packets == 750, "5 s of it are missed")
  }
}
