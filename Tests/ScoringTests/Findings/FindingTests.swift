import CallModel
import Scoring
import Testing

/// Each rule on the smallest call that shows it.
@Suite("Findings")
struct FindingTests: FindingSuite {
  @Test("A healthy call has none")
  func quiet() {
    #expect(codes(healthy(), events((.iceConnected, -0.2), (.callEnded, 40.1))) == [])
  }

  @Test("Nothing at all any more: dropped in mid-call")
  func dropped() {
    #expect(codes(healthy(received: { min($0, 10) }, heard: { min($0, 10) })) == ["dropped-mid-call"])
    let context = events((.iceConnected, 0), (.iceDisconnected, 30), (.iceFailed, 35))
    #expect(
      codes(healthy(received: { min($0, 29) }, heard: { min($0, 29) }), context) == ["dropped-mid-call"])
  }

  @Test("A break that heals is no drop")
  func healed() {
    #expect(
      codes(healthy(), events((.iceConnected, 0), (.iceDisconnected, 20), (.iceConnected, 24))) == [])
  }

  @Test("Connected, and no packet of media")
  func noMedia() {
    let trace = healthy(received: { _ in 0 }, heard: { _ in 1 })
    #expect(codes(trace, events((.iceConnected, 0))) == ["no-media"])
  }

  @Test("No path found between the ends")
  func neverConnected() {
    let context = events((.iceChecking, 0), (.iceFailed, 15))
    #expect(codes(Trace(), context) == ["ice-never-connected"])
    #expect(codes(Trace(), events((.iceChecking, 0), (.callEnded, 1))) == [])
  }

  @Test("A receiver that cannot decode is not short of processor", arguments: [0.0, 14])
  func undecodable(decoded: Double) {
    var trace = Trace()
    trace.cleanVideo(trace.stream(.video), until: 30) { time, values in
      values[.framesReceived] = time * 20
      values[.framesDropped] = time * 4
      values[.frames] = time * decoded
    }
    #expect(codes(trace).contains("cpu-limited") == (decoded > 0))
  }

  /// A connection of which nothing but the states of its transport is known: second, ICE, DTLS.
  private func states(_ states: [(Double, String, String)], bytes: Double = 0) -> Trace {
    var trace = Trace()
    let sent = trace.stream(.audio, .outbound)
    for (time, ice, dtls) in states {
      trace.report(sent, at: time, [.packets: 0])
      var sample = TransportSample(timeMs: Trace.start + time * 1000)
      (sample.iceState, sample.dtlsState, sample.bytesReceived) = (ice, dtls, bytes)
      trace.transports.append(sample)
    }
    return trace
  }

  @Test("No path found between the ends, as the states in statistics alone tell")
  func neverConnectedByStates() {
    func found(_ trace: Trace, _ before: FindingContext = FindingContext()) -> [Finding] {
      var scan = FindingScan(streams: trace.streams)
      for sample in trace.transports { scan.addTransport(sample) }
      var context = before
      context.events = scan.completing(before.events)
      return findings(trace, context).filter { $0.severity == .error }
    }
    let checked = states([
      (0, "checking", "new"), (14, "checking", "new"), (15, "failed", "new"), (20, "failed", "new"),
    ])
    #expect(found(checked).map(\.name) == ["ice-never-connected"])
    #expect(found(checked).map(\.text) == ["No path between the ends was found in 15 s."])
    let late = found(states([(0, "closed", "failed"), (5, "closed", "failed")]))
    #expect(late.map(\.name) == ["ice-never-connected"])
    #expect(late.map(\.text) == ["No path between the ends was found."], "since when is not known")
    #expect(late.first.map { $0.evidence.json.contains("tried_ms") } == false)
    #expect(found(states([(0, "checking", "new"), (4, "connected", "connected")])) == [])
    #expect(found(states([(0, "checking", "new"), (4, "checking", "new")])) == [], "nobody knows yet")
    let patient = found(states([(0, "checking", "new"), (14, "checking", "new")]))
    #expect(patient.map(\.text) == ["No path between the ends was found in 14 s."])
    #expect(patient.first?.evidence.json.contains(#""ended_by":"end of the recording""#) == true)
    let closed = found(states([(0, "checking", "new"), (9, "checking", "new"), (14, "closed", "closed")]))
    #expect(closed.map(\.text) == ["No path between the ends was found in 9 s."])
    let lost = states([
      (0, "connected", "connected"), (9, "disconnected", "connected"), (19, "failed", "connected"),
    ])
    #expect(found(lost).map(\.name) == ["dropped-mid-call"])
    let back = states([
      (0, "connected", "connected"), (9, "failed", "connected"), (12, "connected", "connected"),
    ])
    #expect(found(back) == [], "ICE was restarted")
    #expect(found(checked, events((.iceChecking, 0), (.iceConnected, 1))) == [], "its events know better")
  }

  @Test("Media long after the connection was established")
  func lateMedia() {
    #expect(codes(healthy(), events((.iceConnected, -3))) == ["late-media"])
    let keyed = events((.iceConnected, -3), (.dtlsStarted, -3), (.dtlsConnected, -0.1))
    #expect(codes(healthy(), keyed) == [], "no connection stands without keys")
    let open = events((.iceConnected, -3), (.dtlsStarted, -3))
    #expect(codes(healthy(), open) == [], "nobody knows since when")
  }

  @Test(
    "Media is not late that nobody had offered when the connection was established", arguments: [-1.0, -3])
  func lateOffer(answered: Double) {
    var context = events((.iceConnected, -14))
    for (time, kind) in [(-14.0, "application"), (answered, "audio")] {
      var answer = EventRecord(timeMs: Trace.start + time * 1000, event: .sdpAnswerReceived, raw: "test")
      answer.args = #"{"sdp":"v=0\r\nm=\#(kind) 9 X 0\r\na=sendrecv\r\n"}"#
      context.events.append(answer)
    }
    let late = findings(healthy(), context)
    #expect(late.map(\.text) == (answered < -2 ? ["Media came 3 s after it was agreed upon."] : []))
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
    let connected = events((.iceConnected, 0))
    #expect(codes(reported(first: 10, began: 0.3, every: 10), connected) == [], "who knows when it began")
    #expect(codes(reported(first: 6200, began: 0.3), connected) == [], "a window on a long call")
    #expect(codes(reported(first: 10, began: 0.3, every: 10, emptyBefore: true), connected) == [])
    let late = findings(reported(first: 10, began: 6, every: 10, emptyBefore: true), connected)
    #expect(late.map(\.name) == ["late-media"])
    #expect(abs(try #require(late.first?.endMs) - Trace.start - 6000) < 50, "counted back from the packets")
    let seen = findings(reported(first: 5, began: 4.5), connected)
    #expect(seen.map(\.text) == ["Media came 4.5 s after the connection was established."])
  }

  @Test("A handshake that had to be repeated")
  func handshake() {
    #expect(
      codes(Trace(), events((.dtlsRetransmitted, 0), (.dtlsRetransmitted, 1))) == ["dtls-retransmit"])
    func found(_ args: String) -> [String] {
      var again = events((.dtlsRetransmitted, 0))
      again.events[0].args = args
      return findings(Trace(), again).map { "\($0.severity) \($0.text.hasSuffix("were lost in the setup."))" }
    }
    #expect(found(#"{"waited_ms":1003}"#) == ["warning true"])
    #expect(found(#"{"waited_ms":55}"#) == ["info false"], "so short a timer runs out with nothing lost")
    #expect(found(#"{"waited_ms":1003,"lost":"no"}"#) == ["info false"])
    #expect(found(#"{"waited_ms":55,"lost":"yes"}"#) == ["warning true"], "however short the timer")
    var large = events((.dtlsRetransmitted, 0), (.dtlsRetransmitted, 1))
    func part(_ part: String, _ came: Int) -> String {
      #"{"lost":"yes","missing":"\#(part)","missing_bytes":1208,"longest_came_bytes":\#(came)}"#
    }
    func isOfSize(_ first: String, _ second: String) -> Bool {
      (large.events[0].args, large.events[1].args) = (first, second)
      return findings(Trace(), large).first?.text.contains("no large packet") ?? false
    }
    #expect(isOfSize(part("bytes 0 to 1207", 271), part("bytes 0 to 1207", 271)))
    #expect(!isOfSize(part("bytes 0 to 1207", 271), part("bytes 1208 to 1478", 1208)), "now this, now that")
    #expect(!isOfSize(part("bytes 0 to 1207", 1300), part("bytes 0 to 1207", 1300)), "larger ones came")
    for wild in ["-1e300", "1e400", "99999999999999999999", #""nan""#] {
      #expect(found(#"{"waited_ms":\#(wild)}"#) == ["warning true"], "what a log says may be anything")
    }
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

  @Test(
    "A low estimate starves a sender who uses it; of one who has little to send it tells nothing",
    arguments: [(70_000.0, true), (26_000, false)])
  func estimate(sentBps: Double, isStarved: Bool) {
    var trace = Trace()
    let outbound = trace.stream(.video, .outbound)
    for time in stride(from: 1.0, through: 40, by: 1) {
      trace.report(outbound, at: time, [.packets: time * 10, .limitedBy: 0])
      trace.path(at: time, bytes: time * 10_000)
      trace.transports[trace.transports.count - 1].bytesSent = time * sentBps / 8
      trace.transports[trace.transports.count - 1].availableOutgoingBps = 100_000
    }
    #expect(codes(trace) == (isStarved ? ["bandwidth-starved"] : []))
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
    #expect(found.map(\.name) == ["capture-loss", "clock-skew", "truncated"])
    #expect(
      found[0].evidence.json == #"{"missing_share":0.1,"stats_packets":1000,"capture_packets":900,"ssrc":7}"#)
    #expect(found[1].text == "This end's clock is 4.2 s behind the others.")
    #expect(found[2].evidence.json == #"{"source":"a \"broken\" file"}"#)
  }

  @Test(
    "what a capture missed by the receiver's reports is named from 2 % on", arguments: [(250, 1), (19, 0)])
  func missedByCapture(missing: Int, count: Int) {
    var context = FindingContext()
    context.events = [
      EventRecord(
        timeMs: 6400, event: .unknown, raw: "capture.missed",
        args: #"{"ssrc":7,"missing":\#(missing),"expected":1000,"until_ms":16800}"#)
    ]
    let found = findings(Trace(), context)
    #expect(found.map(\.name) == Array(repeating: "capture-loss", count: count))
    #expect(found.allSatisfy { $0.startMs == 6400 && $0.endMs == 16_800 })
    context.events[0].args = #"{"ssrc":7,"missing":1e300,"expected":1e300,"until_ms":16800}"#
    #expect(findings(Trace(), context).isEmpty)
  }
}
