import CallModel
import Scoring
import Testing

/// The ways of several connections of one end.
@Suite("Findings on the path")
struct PathFindingTests: FindingSuite {
  /// One connection a second, from one second to another, from an address.
  private func way(
    _ connection: Int64, _ address: String, from: Double = 1, to: Double = 40,
    change: (Double, inout TransportSample) -> Void = { _, _ in }
  ) -> [TransportSample] {
    stride(from: from, through: to, by: 1).map { time in
      var sample = TransportSample(timeMs: Trace.start + time * 1000 + Double(connection))
      sample.connection = connection
      sample.pair = "CP\(connection)"
      sample.local = "\(address):\(4000 + connection)"
      sample.localType = "host"
      sample.bytesReceived = time * 5000
      change(time, &sample)
      return sample
    }
  }

  private func codes(_ ways: [[TransportSample]], _ trace: Trace = Trace()) -> [String] {
    var trace = trace
    trace.transports = ways.flatMap { $0 }.sorted { $0.timeMs < $1.timeMs }
    return codes(trace)
  }

  @Test("Two connections from two addresses are no network that changes")
  func publisherAndSubscriber() {
    #expect(codes([way(1, "10.0.0.1"), way(2, "[2001:db8::5]")]) == [])
    #expect(codes([way(1, "10.0.0.1"), way(2, "[2001:db8::5]", from: 9)]) == [], "one after the other")
  }

  @Test("A change of one of them is one, whatever the other does")
  func oneMoves() {
    let moving = way(1, "10.0.0.1") { time, sample in
      if time > 20 { sample.local = "192.0.2.7:4001" }
    }
    #expect(codes([moving, way(2, "[2001:db8::5]")]) == ["network-changed"])
  }

  @Test("ICE that goes over from IPv4 to IPv6 has not left its network")
  func otherFamily() {
    let moving = way(1, "10.0.0.1") { time, sample in
      if time > 2 { sample.local = "[2001:db8::5]:4001" }
    }
    #expect(codes([moving]) == [])
  }

  @Test("Connections made anew from elsewhere, once the old ones are gone, are a change")
  func reconnected() {
    let old = [way(1, "10.0.0.1", to: 20), way(2, "10.0.0.1", to: 20)]
    #expect(
      codes(old + [way(3, "192.0.2.7", from: 22), way(4, "192.0.2.7", from: 23)]) == ["network-changed"])
    #expect(codes(old + [way(3, "10.0.0.1", from: 22), way(4, "10.0.0.1", from: 23)]) == [], "a reload")
  }

  @Test(
    "A move behind a NAT, which a capture saw, and the statistics could not", arguments: ["prflx", "host"])
  func behindNAT(type: String) {
    var elsewhere = PathHistory()
    for sample in way(1, "10.0.0.1", to: 20) + way(1, "10.9.0.1", from: 21) { _ = elsewhere.see(sample) }
    var trace = Trace()
    trace.transports = way(0, "198.51.100.9") { $1.localType = type }
    var context = FindingContext()
    context.pathsSeenElsewhere = elsewhere.steps
    #expect(codes(trace, context) == (type == "host" ? [] : ["network-changed"]))
  }

  /// A picture sent by one of two connections, whose encoder calls its rate too low, with what is found for it and what of it is used.
  private func limited(targetBps: Double, foundBps: Double, sentBps: Double) -> [String] {
    var trace = Trace()
    let outbound = trace.stream(.video, .outbound)
    for time in stride(from: 1.0, through: 40, by: 1) {
      trace.report(
        outbound, at: time, [.packets: time * 50, .limitedBy: 2, .targetBps: targetBps])
    }
    return codes(
      [
        way(0, "10.0.0.1") { time, sample in
          sample.bytesSent = time * sentBps / 8
          sample.availableOutgoingBps = foundBps
        },
        way(1, "10.0.0.1") { time, sample in
          sample.bytesSent = time * 100
          sample.availableOutgoingBps = 5_000_000
        },
      ], trace)
  }

  @Test(
    "An encoder that calls its rate too low is starved where the network is used, not where the application holds it down"
  )
  func whoLimits() {
    #expect(limited(targetBps: 250_000, foundBps: 300_000, sentBps: 280_000) == ["bandwidth-starved"])
    #expect(
      limited(targetBps: 120_000, foundBps: 300_000, sentBps: 250_000) == ["bandwidth-starved"],
      "what is sent again is in no target")
    #expect(limited(targetBps: 60_000, foundBps: 3_500_000, sentBps: 110_000) == [], "maxBitrate")
    #expect(
      limited(targetBps: 5_000_000, foundBps: 6_000_000, sentBps: 5_000_000) == [], "enough for any picture")
  }

  @Test("A change that an SDK tells with its beginning and its end is one")
  func toldTwice() {
    func changed(_ second: Double, _ state: String?) -> EventRecord {
      EventRecord(
        timeMs: Trace.start + second * 1000, event: .networkChanged, raw: "ipChange", sdk: "kandy-link",
        args: state.map { #"{"state":"\#($0)"}"# } ?? "{}")
    }
    func codes(_ events: [EventRecord]) -> [String] {
      var context = FindingContext()
      context.events = events
      return self.codes(Trace(), context)
    }
    #expect(codes([changed(10, "started"), changed(16.7, "ended")]) == ["network-changed"])
    #expect(codes([changed(16.7, "ended")]) == ["network-changed"], "its beginning is not on record")
    #expect(
      codes([changed(10, "started"), changed(13, "ended"), changed(30, "started"), changed(33, "ended")])
        == ["network-changed", "network-changed"])
    #expect([changed(10, "started"), changed(16.7, "ended")].serviceOutages.isEmpty, "no outage by itself")
  }

}
