import CallModel
import Scoring
import Testing

@Suite("Windows")
struct WindowTests {
  @Test("A clean call scores 100 throughout and is reported once")
  func clean() {
    var trace = Trace()
    trace.cleanAudio(trace.stream(.audio), until: 13)
    trace.cleanVideo(trace.stream(.video), until: 13)
    let windows = trace.windows()
    #expect(windows.map(\.score) == [100, 100, 100])
    #expect(windows.map(\.changed) == [true, false, false])
    #expect(windows.allSatisfy { $0.pointsLost?.values.allSatisfy { $0 == 0 } ?? false })
  }

  @Test("Windows begin with the first packet, and end with the last")
  func anchor() throws {
    var trace = Trace()
    trace.cleanAudio(trace.stream(.audio), until: 13)
    let windows = trace.windows()
    let first = try #require(windows.first)
    let last = try #require(windows.last)
    #expect(abs(first.startMs - Trace.start) < 1)
    #expect(windows[1].startMs == first.startMs + 5000)
    #expect(abs(last.endMs - (Trace.start + 13_000)) < 25)
  }

  @Test("A last window of less than two and a half seconds is dropped")
  func shortEnd() {
    var trace = Trace()
    trace.cleanAudio(trace.stream(.audio), until: 12)
    #expect(trace.windows().count == 2)
  }

  @Test("What was concealed before the first report is start-up and costs nothing")
  func startUp() {
    var trace = Trace()
    trace.cleanAudio(trace.stream(.audio), until: 10) { _, values in values[.concealedSamples] = 9000 }
    #expect(trace.windows().map(\.score) == [100, 100])
  }

  @Test("Playout after the last packet is not media")
  func trailingConcealment() {
    var trace = Trace()
    let audio = trace.stream(.audio)
    trace.cleanAudio(audio, until: 9)
    trace.report(
      audio, at: 10,
      [
        .packets: 480, .lost: 0, .totalSamples: 480_000, .concealedSamples: 19_200,
        .silentConcealedSamples: 0,
        .lastPacketMs: Trace.start + 9600,
      ])
    #expect(trace.windows().map(\.score) == [100, 100])
  }

  @Test("Concealment is charged to the window it fell into, to loss as far as packets were lost")
  func concealment() throws {
    var trace = Trace()
    trace.cleanAudio(trace.stream(.audio), until: 10) { time, values in
      guard time > 7.5 else { return }
      values[.concealedSamples] = 4800
      values[.lost] = 3
    }
    let windows = trace.windows()
    #expect(windows[0].score == 100)
    let second = try #require(windows[1].pointsLost)
    // 4800 of 240,000 samples: e = 2 %, of which 3 of 253 packets (1.2 %) were lost.
    #expect(windows[1].score == 82)
    #expect(second[.loss] == 11 && second[.jitter] == 7)
  }

  @Test("Losses of the first second count as far as packets are missing, however late the first report comes")
  func startUpLoss() {
    func score(every seconds: Double) -> [Int?] {
      var trace = Trace()
      trace.cleanAudio(trace.stream(.audio), until: 10, every: seconds) { time, values in
        values[.lost] = 10
        values[.packets] = (values[.packets] ?? 0) - 10
        values[.concealedSamples] = 14_400
      }
      return trace.windows().map(\.score)
    }
    // 200 of the 300 ms concealed: 4 % of the window.
    #expect(score(every: 1) == [69, 100])
    #expect(score(every: 2) == [69, 100])
  }

  @Test("Edges of windows are alike soft, whether reports come every second or twice", arguments: [0.5, 1])
  func softEdges(every seconds: Double) throws {
    var trace = Trace()
    trace.cleanAudio(trace.stream(.audio), until: 20, every: seconds) { time, values in
      values[.concealedSamples] = max(0, time - 10) * 4800
    }
    let windows = trace.windows()
    // A tenth is concealed from 10 s on: a quarter of a second of it is on the other side of the edge.
    #expect(windows[0].score == 100 && windows[3].score == 45)
    #expect(try (95...97).contains(#require(windows[1].score)))
    #expect(try (46...47).contains(#require(windows[2].score)))
  }

  @Test(
    "An eight-second outage in which nothing arrives is stalled, not silent, by however many connections",
    arguments: [1, 2])
  func outage(connections: Int64) {
    var trace = Trace()
    let audio = trace.stream(.audio)
    trace.cleanAudio(audio, until: 30) { time, values in
      let missing = min(max(0, time - 9), 12)
      values[.packets] = ((time - missing) * 50).rounded() + 1
      if missing > 0, missing < 12 { values[.lastPacketMs] = Trace.start + 9000 }
      values[.concealedSamples] = missing * 48_000
      values[.silentConcealedSamples] = max(0, missing - 1) * 48_000
    }
    for time in stride(from: 1.0, through: 30, by: 1) {
      for connection in 0..<connections {
        // Each counts for itself: that of the second stands higher all the time.
        trace.path(at: time, bytes: (time - min(max(0, time - 9), 12)) * 10_000 * Double(connection + 1))
        trace.transports[trace.transports.count - 1].connection = connection
      }
    }
    let windows = trace.windows()
    #expect(windows.map(\.state) == [.active, .active, .stalled, .stalled, .active, .active])
    #expect(windows[2].score == 0)
    #expect(windows[2].pointsLost?[.loss] == 100)
    #expect((windows[4].score ?? 0) < 60)
    #expect(windows[5].score == 100)
  }

  @Test("Nothing to hear while the far end is alive is silence, which has no score")
  func silence() {
    var trace = Trace()
    let audio = trace.stream(.audio)
    trace.cleanAudio(audio, until: 30) { time, values in
      let missing = min(max(0, time - 9), 12)
      values[.packets] = ((time - missing) * 50).rounded() + 1
      if missing > 0, missing < 12 { values[.lastPacketMs] = Trace.start + 9000 }
      values[.concealedSamples] = missing * 48_000
      values[.silentConcealedSamples] = missing * 48_000
    }
    for time in stride(from: 1.0, through: 30, by: 1) { trace.path(at: time, bytes: time * 10_000) }
    let windows = trace.windows()
    #expect(windows.map(\.state) == [.active, .active, .silent, .silent, .active, .active])
    #expect(windows[2].score == nil && windows[2].pointsLost == nil)
    #expect(windows[1].score == 100 && windows[4].score == 100)
  }

  @Test(
    "A capture tells a pause of the sender from an outage by the numbers; Opus and pictures do not pause like that"
  )
  func pauses() {
    /// Twelve seconds without a packet, in which numbers went on or not.
    func states(_ codec: String, lost: Double, _ source: StreamSource = .capture) -> [WindowState] {
      var trace = Trace()
      let audio = trace.stream(.audio)
      (trace.streams[audio].codec, trace.streams[audio].source) = (codec, source)
      trace.cleanAudio(audio, until: 30) { time, values in
        let missing = min(max(0, time - 9), 12)
        let gone = time >= 22 ? lost : 0
        values[.packets] = ((time - missing) * 50).rounded() + 1
        values[.lost] = gone
        values[.expected] = ((time - missing) * 50).rounded() + 1 + gone
        if missing > 0, missing < 12 { values[.lastPacketMs] = Trace.start + 9000 }
        values[.concealedSamples] = missing * 48_000
        values[.silentConcealedSamples] = missing * 48_000
      }
      return trace.windows().map(\.state)
    }
    let pause: [WindowState] = [.active, .active, .silent, .silent, .active, .active]
    let outage: [WindowState] = [.active, .active, .stalled, .stalled, .active, .active]
    #expect(states("PCMU", lost: 0) == pause)
    #expect(states("PCMU", lost: 5) == pause, "a little loss is the usual one")
    #expect(states("PCMU", lost: 600) == outage)
    #expect(states("opus", lost: 0) == outage)
    #expect(states("PCMU", lost: 0, .stats) == outage)
  }

  @Test("Silence is told of every stream and every time, by the sound of another as well as by the path")
  func silences() {
    var trace = Trace()
    for (first, second) in [(9.0, 30.0), (9.0, 30.0), (100.0, 100.0)] {
      let audio = trace.stream(.audio)
      trace.cleanAudio(audio, until: 55) { time, values in
        let missing = min(max(0, time - first), 12) + min(max(0, time - second), 12)
        values[.packets] = ((time - missing) * 50).rounded() + 1
        values[.lastPacketMs] = nil
        values[.concealedSamples] = missing * 48_000
        values[.silentConcealedSamples] = missing * 48_000
      }
    }
    #expect(Set(trace.windows().map(\.state)) == [.active], "one of three is heard all the time")
    let others = trace.steps.filter { $0.stream == 2 }
    trace.steps.removeAll { $0.stream == 2 }
    let alone = trace.windows().map(\.state)
    #expect(
      alone[3] == .stalled && alone[7] == .stalled, "nothing at all arrives from 9 to 21 s and 30 to 42 s")
    for step in others { trace.path(at: (step.time - Trace.start) / 1000, bytes: step.time) }
    let alive = trace.windows().map(\.state)
    #expect(alive[3] == .silent && alive[7] == .silent)
  }

  @Test("Windows on hold are not scored")
  func hold() {
    var trace = Trace()
    trace.cleanAudio(trace.stream(.audio), until: 15)
    let hold = QuietSpan(startMs: Trace.start + 4000, endMs: Trace.start + 11_000)
    #expect(trace.windows(quiet: [hold]).map(\.state) == [.active, .unscored, .active])
  }

  /// A minute with no report from 6 s to `until`, during which packets come or do not.
  private func hole(until end: Double, counting: Bool) -> [Window] {
    var trace = Trace()
    trace.cleanAudio(trace.stream(.audio), until: 60) { time, values in
      let slept = counting ? 0 : min(max(0, time - 6), end - 7)
      values[.packets] = ((time - slept) * 50).rounded(.down) + 1
      if time > 6, counting { values[.concealedSamples] = min(time - 6, 20) * 4800 }
    }
    trace.steps.removeAll { $0.time > Trace.start + 6500 && $0.time < Trace.start + end * 1000 - 500 }
    return trace.windows()
  }

  @Test("A time without reports is not scored where nothing was counted in it", arguments: [46.0, 26])
  func notCounted(until end: Double) {
    let states = hole(until: end, counting: false).map(\.state)
    let unscored = 1..<Int(end / 5)
    #expect(unscored.allSatisfy { states[$0] == .unscored })
    #expect(states.enumerated().allSatisfy { unscored.contains($0) || $1 == .active })
  }

  @Test("Where counters went on, what they show is shared among its windows, with less confidence")
  func counted() throws {
    let windows = hole(until: 46, counting: true)
    // 20 s of a tenth concealed, known only to lie in 40 s.
    #expect(windows[0].score == 100 && windows[11].score == 100)
    #expect(windows[3...6].allSatisfy { ($0.score ?? 100) < 70 && $0.score == windows[3].score })
    #expect(try #require(windows[4].confidence) < #require(windows[0].confidence))
  }

  @Test("Reports every half minute, or every minute, are enough", arguments: [30.02, 60])
  func telemetry(every: Double) {
    var trace = Trace()
    trace.cleanAudio(trace.stream(.audio), until: 600, every: every) { time, values in
      values[.concealedSamples] = time * 4800
      values[.lost] = time * 5
    }
    let scored = trace.windows().filter { $0.state == .active }
    #expect(scored.count > 100)
    #expect(scored.allSatisfy { (40...50).contains($0.score ?? 100) })
  }

  @Test("A counter that starts again is no loss and no gain")
  func reset() {
    var trace = Trace()
    trace.cleanAudio(trace.stream(.audio), until: 15) { time, values in
      values[.concealedSamples] = 5000
      guard time > 7.5 else { return }
      for metric: Metric in [.packets, .totalSamples, .jitterBufferDelayMs, .jitterBufferEmitted] {
        values[metric] = (values[metric] ?? 0) * (time - 7) / time
      }
      values[.concealedSamples] = 200
    }
    #expect(trace.windows().map(\.score) == [100, 100, 100])
  }

  @Test("Nor is it a freeze, and nor is the time before a stream begins anew", arguments: [0.0, 8])
  func resetPicture(unseen: Double) {
    var trace = Trace()
    trace.cleanVideo(trace.stream(.video), until: 30) { time, values in
      guard time > 12.5 else { return }
      for metric: Metric in [.packets, .frames, .bytes, .interFrameDelayMs] {
        values[metric] = (values[metric] ?? 0) * (time - 12) / time
      }
    }
    trace.steps.removeAll { $0.time > Trace.start + 12_500 && $0.time < Trace.start + 12_500 + unseen * 1000 }
    let windows = trace.windows()
    #expect(windows.allSatisfy { $0.score == 100 || $0.state == .unscored })
    #expect(windows.filter { $0.score == 100 }.count >= 3)
  }

  @Test("The client's own score that held at a window's end stands beside ours")
  func clientScore() {
    var trace = Trace()
    trace.cleanAudio(trace.stream(.audio), until: 10)
    let scores = [
      ClientScore(timeMs: Trace.start + 7000, value: 63), ClientScore(timeMs: Trace.start + 5000, value: 98),
    ]
    #expect(trace.windows(clientScores: scores).map(\.clientScore) == [98, 63])
  }

  @Test("Given intervals are scored instead of windows, in their order")
  func intervals() {
    var trace = Trace()
    trace.cleanAudio(trace.stream(.audio), until: 20) { time, values in
      values[.concealedSamples] = time > 12 ? 9600 : 0
    }
    let windows = trace.windows(
      cut: .intervals([
        (Trace.start + 10_000, Trace.start + 18_000), (Trace.start + 2000, Trace.start + 10_000),
        (Trace.start + 100_000, Trace.start + 108_000),
      ]))
    #expect(windows.map(\.state) == [.active, .active, .unscored])
    #expect(windows[1].score == 100)
    #expect((windows[0].score ?? 100) < 80)
  }

  @Test("Samples of unknown streams and broken clocks are ignored")
  func hostile() {
    var trace = Trace()
    let audio = trace.stream(.audio)
    trace.cleanAudio(audio, until: 10)
    trace.report(99, at: 3, [.packets: 1])
    trace.report(audio, at: 4.5, [.packets: .infinity, .lost: .nan])
    trace.report(audio, at: .nan, [.packets: 4])
    trace.report(audio, at: 1e15, [.packets: 5e8])
    #expect(trace.windows().count >= 2)
  }
}
