import CallModel
import Scoring
import Testing

/// Each rule on the smallest call that shows it.
@Suite("Findings")
struct FindingTests {
  private func codes(_ trace: Trace, _ context: FindingContext = FindingContext()) -> [String] {
    findings(trace, context).map(\.code)
  }

  private func findings(_ trace: Trace, _ context: FindingContext = FindingContext()) -> [Finding] {
    var scan = FindingScan(streams: trace.streams)
    var paths = trace.transports[...]
    for step in trace.steps.enumerated().sorted(by: {
      ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
    }) {
      while let next = paths.first, next.timeMs <= step.element.time {
        scan.addTransport(next)
        paths = paths.dropFirst()
      }
      scan.add(step.element.sample, of: step.element.stream)
    }
    for next in paths { scan.addTransport(next) }
    return scan.finish(context)
  }

  private func events(_ events: (String, Double)...) -> FindingContext {
    var context = FindingContext()
    context.events = events.map { EventRecord(timeMs: Trace.start + $0.1 * 1000, event: $0.0, raw: $0.0) }
    return context
  }

  /// Sound both ways for 40 s over a path that works.
  private func healthy(
    energy: Double = 0.002, received: (Double) -> Double = { $0 }, heard: (Double) -> Double = { $0 },
    change: (Double, inout [Metric: Double]) -> Void = { _, _ in }
  ) -> Trace {
    var trace = Trace()
    let inbound = trace.stream(.audio)
    let outbound = trace.stream(.audio, .outbound)
    for time in stride(from: 1.0, through: 40, by: 1) {
      let got = received(time)
      trace.report(
        inbound, at: time,
        [
          .packets: got * 50, .totalAudioEnergy: got * energy, .totalSamplesDurationMs: time * 1000,
          .lastPacketMs: Trace.start + got * 1000,
        ])
      var sent: [Metric: Double] = [.packets: time * 50]
      change(time, &sent)
      trace.report(outbound, at: time, sent)
      trace.path(at: time, bytes: heard(time) * 10_000)
    }
    return trace
  }

  @Test("A healthy call has none")
  func quiet() {
    #expect(codes(healthy(), events(("ice.connected", -0.2), ("call.ended", 40.1))) == [])
  }

  @Test("Sound sent, none received, path alive: one-way audio")
  func oneWay() throws {
    let found = findings(healthy(received: { min($0, 10) }))
    #expect(found.map(\.code) == ["one-way-audio"])
    let finding = try #require(found.first)
    #expect(finding.severity == .error)
    #expect(abs((finding.startMs ?? 0) - (Trace.start + 12_000)) <= 1500)
  }

  @Test("Reports far apart, what was sent before what was received: sound that came meanwhile is not missing")
  func sparse() {
    func polled(every: Double, received: (Double) -> Double) -> Trace {
      var trace = Trace()
      let outbound = trace.stream(.audio, .outbound)
      let inbound = trace.stream(.audio)
      for time in stride(from: 0.0, through: 120, by: every) {
        trace.report(outbound, at: time, [.packets: time * 50])
        let got = received(time)
        trace.report(inbound, at: time, [.packets: got * 50, .lastPacketMs: Trace.start + got * 1000])
      }
      return trace
    }
    for every in [1, 5, 10, 20.0] {
      #expect(codes(polled(every: every) { $0 }) == [], "every \(every) s")
      #expect(codes(polled(every: every) { min($0, 40) }).contains("one-way-audio"), "every \(every) s")
    }
  }

  @Test("Two reports at once and then one every ten seconds: no machine stood still")
  func settling() {
    var trace = Trace()
    let inbound = trace.stream(.audio)
    for time in [0, 0.6] + Array(stride(from: 10.0, through: 120, by: 10)) {
      trace.report(inbound, at: time, [.packets: time * 50, .lastPacketMs: Trace.start + time * 1000])
    }
    #expect(!codes(trace).contains("rig-fault"))
  }

  @Test("The same on hold is none")
  func held() {
    var context = FindingContext()
    context.quiet = [QuietSpan(startMs: Trace.start + 9000)]
    #expect(codes(healthy(received: { min($0, 10) }), context) == [])
  }

  @Test("Nothing at all any more: dropped in mid-call")
  func dropped() {
    #expect(codes(healthy(received: { min($0, 10) }, heard: { min($0, 10) })) == ["dropped-mid-call"])
    let context = events(("ice.connected", 0), ("ice.disconnected", 30), ("ice.failed", 35))
    #expect(
      codes(healthy(received: { min($0, 29) }, heard: { min($0, 29) }), context) == ["dropped-mid-call"])
  }

  @Test("A break that heals is no drop")
  func healed() {
    #expect(
      codes(healthy(), events(("ice.connected", 0), ("ice.disconnected", 20), ("ice.connected", 24))) == [])
  }

  @Test("Packets in which nothing can be heard are one-way audio too")
  func silentPackets() {
    #expect(codes(healthy(energy: 0)) == ["one-way-audio"])
  }

  @Test("A far end that falls silent is told, not judged")
  func farEndSilent() {
    var trace = healthy()
    trace.steps = trace.steps.map { step in
      var step = step
      if let energy = step.sample[.totalAudioEnergy] { step.sample[.totalAudioEnergy] = min(energy, 0.02) }
      return step
    }
    #expect(findings(trace).map { $0.code + " \($0.severity)" } == ["far-end-silent info"])
  }

  @Test("One of several who are heard is silent: the far end is heard", arguments: [0, 0.4])
  func oneOfSeveralSilent(apart: Double) {
    var trace = Trace()
    let streams = [trace.stream(.audio), trace.stream(.audio)]
    for time in stride(from: 1.0, through: 40, by: 1) {
      for (index, stream) in streams.enumerated() {
        let energy = index == 0 ? time * 0.002 : 0
        trace.report(
          stream, at: time + apart * Double(index), [.packets: time * 50, .totalAudioEnergy: energy])
      }
    }
    #expect(codes(trace) == [])
    trace.steps.removeAll { $0.stream == streams[0] && $0.time > Trace.start + 15_500 }
    #expect(codes(trace) == ["far-end-silent"], "once nobody else is there")
  }

  @Test("A microphone that gives silence, unless it is muted")
  func microphone() {
    let trace = healthy(change: { _, sent in sent[.audioLevel] = 0 })
    #expect(codes(trace) == ["mic-silent"])
    #expect(codes(trace, events(("call.muted", 0.5))) == [])
  }

  @Test("Connected, and no packet of media")
  func noMedia() {
    let trace = healthy(received: { _ in 0 }, heard: { _ in 1 })
    #expect(codes(trace, events(("ice.connected", 0))) == ["no-media"])
  }

  @Test(
    "An end that only sends misses nothing, unless it was to receive: by an answer, or in a call that was taken up"
  )
  func sendOnly() {
    var trace = Trace()
    let outbound = trace.stream(.audio, .outbound)
    for time in stride(from: 1.0, through: 40, by: 1) {
      trace.report(outbound, at: time, [.packets: time * 50])
      trace.path(at: time, bytes: time * 100)
    }
    func codes(_ events: EventRecord...) -> [String] {
      var context = self.events(("ice.connected", 0))
      context.events += events
      return self.codes(trace, context)
    }
    func answer(_ event: String, _ way: String, type: String = "answer", kind: String = "audio")
      -> EventRecord
    {
      EventRecord(
        timeMs: Trace.start - 100, event: event, raw: event,
        args: #"{"type":"\#(type)","sdp":"v=0\r\nm=\#(kind) 9 RTP/AVP 0\r\na=\#(way)\r\n"}"#)
    }
    let missing = ["no-media", "one-way-audio"]
    #expect(codes() == [])
    #expect(codes(answer("sdp.answer-received", "recvonly")) == [])
    #expect(codes(answer("sdp.answer-received", "sendrecv")) == missing)
    #expect(codes(answer("sdp.answer-received", "sendrecv", kind: "video")) == ["no-media"])
    #expect(codes(answer("sdp.local-setting", "sendrecv", type: "offer")) == [])
    #expect(codes(answer("sdp.local-setting", "sendonly")) == [])
    #expect(codes(answer("sdp.local-setting", "recvonly")) == missing)
    func established(_ sdk: String?) -> EventRecord {
      EventRecord(timeMs: Trace.start, event: "call.established", raw: "", sdk: sdk)
    }
    #expect(codes(established("w3c")) == [])
    #expect(codes(established(nil)) == missing)
    #expect(codes(established(nil), answer("sdp.answer-received", "recvonly")) == [])
    var oneSided = established(nil)
    oneSided.args = #"{"sound_from":"caller"}"#
    #expect(codes(oneSided) == [], "the callee is not to send")
    let incoming = EventRecord(timeMs: Trace.start, event: "call.incoming", raw: "")
    #expect(codes(incoming, oneSided) == missing)
  }

  @Test("Seen from the middle of the path: who hears nothing while the other does")
  func middle() throws {
    var here = EndSeen(stood: 0...20_000, isToHear: true)
    var there = here
    there.sound = 100...19_900
    there.media = there.sound
    #expect(missingSound(at: here, others: [there])?.code == "one-way-audio")
    #expect(missingSound(at: there, others: [here]) == nil)
    #expect(missingSound(at: here, others: [here])?.code == "no-media")
    #expect(missingSound(at: here, others: [here])?.severity == .warning, "media may take another way")
    here.quiet = [QuietSpan(startMs: 5000)]
    #expect(missingSound(at: here, others: [there]) == nil)
    #expect(missingSound(at: EndSeen(stood: 0...20_000, isToHear: false), others: [there]) == nil)
    #expect(missingSound(at: EndSeen(stood: 0...4000, isToHear: true), others: [there]) == nil)
  }

  @Test("No way found between the ends")
  func neverConnected() {
    let context = events(("ice.checking", 0), ("ice.failed", 15))
    #expect(codes(Trace(), context) == ["ice-never-connected"])
    #expect(codes(Trace(), events(("ice.checking", 0), ("call.ended", 1))) == [])
  }

  @Test("Media long after the connection stood")
  func lateMedia() {
    #expect(codes(healthy(), events(("ice.connected", -3))) == ["late-media"])
  }

  /// Sound whose first report comes at `first` and counts what came since `began`, s.
  private func reported(first: Double, began: Double, every: Double = 1, emptyBefore: Bool = false) -> Trace {
    var trace = Trace()
    let inbound = trace.stream(.audio)
    if emptyBefore { trace.report(inbound, at: first - every, [.packets: 0]) }
    for time in stride(from: first, through: first + 40, by: every) {
      trace.report(
        inbound, at: time, [.packets: (time - began) * 50, .lastPacketMs: Trace.start + time * 1000])
    }
    return trace
  }

  @Test("The first packet is not as late as the first report of it")
  func firstReport() throws {
    let connected = events(("ice.connected", 0))
    #expect(codes(reported(first: 10, began: 0.3, every: 10), connected) == [], "who knows when it began")
    #expect(codes(reported(first: 6200, began: 0.3), connected) == [], "a window on a long call")
    #expect(codes(reported(first: 10, began: 0.3, every: 10, emptyBefore: true), connected) == [])
    let late = findings(reported(first: 10, began: 6, every: 10, emptyBefore: true), connected)
    #expect(late.map(\.code) == ["late-media"])
    #expect(abs(try #require(late.first?.endMs) - Trace.start - 6000) < 50, "counted back from the packets")
    let seen = findings(reported(first: 5, began: 4.5), connected)
    #expect(seen.map(\.text) == ["Media came 4.5 s after the connection stood."])
  }

  @Test("A handshake that had to be repeated")
  func handshake() {
    #expect(
      codes(Trace(), events(("dtls.retransmitted", 0), ("dtls.retransmitted", 1))) == ["dtls-retransmit"])
  }

  @Test("A relay all the way, and a network that changes")
  func path() {
    var trace = Trace()
    for time in 0..<20 {
      var sample = TransportSample(timeMs: Trace.start + Double(time) * 1000)
      sample.local = "192.0.2.1:\(4000 + time)"
      sample.localType = "relay"
      sample.relayProtocol = "tcp"
      sample.networkType = time < 10 ? "wifi" : "cellular"
      trace.transports.append(sample)
    }
    #expect(codes(trace) == ["relay-only", "network-changed"])
  }

  @Test("Another port of the same address is no other network")
  func port() {
    var trace = Trace()
    for time in 0..<20 {
      var sample = TransportSample(timeMs: Trace.start + Double(time) * 1000)
      sample.local = "[2001:db8::1]:\(4000 + time)"
      sample.localType = time < 2 ? "prflx" : "host"
      trace.transports.append(sample)
    }
    #expect(codes(trace) == [])
  }

  @Test(
    "A sender limited for more than five seconds, by what limits it",
    arguments: [(1.0, "cpu-limited"), (2.0, "bandwidth-starved")])
  func limited(code: Double, finding: String) {
    var trace = Trace()
    let outbound = trace.stream(.video, .outbound)
    for time in stride(from: 1.0, through: 40, by: 1) {
      let limited = time > 20 && time < 30 && time != 25
      trace.report(outbound, at: time, [.packets: time * 50, .limitedBy: limited ? code : 0])
    }
    #expect(codes(trace) == [finding])
  }

  /// The same without any report from 12.5 to 24.5 s.
  private func asleep(_ trace: Trace) -> Trace {
    let hole = Trace.start + 12_500..<Trace.start + 24_500
    var trace = trace
    trace.steps.removeAll { hole.contains($0.time) }
    trace.transports.removeAll { hole.contains($0.timeMs) }
    return trace
  }

  @Test("Reports that fail to come point at the rig")
  func rig() {
    #expect(codes(asleep(healthy())) == ["rig-fault"])
  }

  @Test("What nobody reported is not one-way, nor silent, nor slow")
  func unseen() {
    let slept = healthy(received: { $0 > 12 && $0 <= 25 ? 12 : $0 })
    #expect(codes(asleep(slept)) == ["rig-fault"])
    #expect(
      codes(asleep(healthy(received: { min($0, 12) }))) == ["rig-fault", "one-way-audio"],
      "but what was seen is told")
  }

  @Test("One stream without reports is no machine that stands still")
  func otherStreams() {
    var trace = healthy()
    let video = trace.stream(.video)
    for time in [1.0, 2, 3, 4, 30, 31, 32] { trace.report(video, at: time, [.packets: time * 100]) }
    #expect(codes(trace) == [])
    trace.steps.removeAll { $0.stream != video }
    #expect(codes(trace) == [], "the path was reported meanwhile")
    trace.transports = []
    #expect(codes(trace) == ["rig-fault"])
  }

  @Test("A picture asked for again and again")
  func storm() {
    var trace = Trace()
    trace.cleanVideo(trace.stream(.video), until: 30) { time, values in values[.pli] = time }
    #expect(codes(trace) == ["pli-storm"])
  }

  @Test("What the sources say of themselves")
  func sources() {
    var context = FindingContext()
    context.seenTwice = [
      StreamSeenTwice(ssrc: 7, statsPackets: 1000, capturePackets: 900),
      StreamSeenTwice(ssrc: 8, statsPackets: 1000, capturePackets: 999),
    ]
    context.clockSkewMs = -4200
    context.brokenOff = ["a \"broken\" file"]
    let found = findings(Trace(), context)
    #expect(found.map(\.code) == ["capture-loss", "clock-skew", "truncated"])
    #expect(
      found[0].evidence == #"{"missing_share":0.1,"stats_packets":1000,"capture_packets":900,"ssrc":7}"#)
    #expect(found[1].text == "This end's clock is 4.2 s behind the others.")
    #expect(found[2].evidence == #"{"source":"a \"broken\" file"}"#)
  }
}
