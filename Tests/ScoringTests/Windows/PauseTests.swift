import CallModel
import Testing

@Suite("Pauses of the sender, and packets that come seldom")
struct PauseTests {
  /// What packets there are when a stream sends at the given times.
  private struct Flow {
    var times: [Double]

    /// Counters at an instant, numbers without a gap.
    func report(_ time: Double, _ values: inout [Metric: Double]) {
      let came = times.prefix { $0 <= time }
      values[.packets] = Double(came.count)
      values[.lastPacketMs] = came.last.map { Trace.start + $0 * 1000 }
    }

    /// Speech of 20 ms a packet and, in every second `span`, one packet in 400 ms.
    static func discontinuous(_ span: Double, until end: Double) -> Flow {
      var times: [Double] = []
      var time = 0.0
      while time <= end {
        times.append(time)
        time += Int(time / span) % 2 == 0 ? 0.02 : 0.4
      }
      return Flow(times: times)
    }

    /// Sound in packets of a length that stops for three seconds of every twelve.
    static func talking(until end: Double) -> Flow {
      Flow(
        times: stride(from: 0, through: end, by: 0.02).filter {
          $0.truncatingRemainder(dividingBy: 12) < 9
        })
    }
  }

  /// What a source says of sound concealed.
  enum Concealment: CaseIterable {
    case unknown, none, silent
  }

  @Test(
    "A flow of few packets is no outage, however often someone looks",
    arguments: [0.5, 1, 2, 5, 10], Concealment.allCases)
  func discontinuous(every: Double, stated: Concealment) {
    let flow = Flow.discontinuous(20, until: 60)
    var trace = Trace()
    trace.cleanAudio(trace.stream(.audio), until: 60, every: every) { time, values in
      flow.report(time, &values)
      switch stated {
      case .unknown:
        for metric: Metric in [.totalSamples, .concealedSamples, .silentConcealedSamples] {
          values[metric] = nil
        }
      case .none: break
      case .silent:
        let quiet = min(max(0, time - 20), 20) * 44_000
        (values[.concealedSamples], values[.silentConcealedSamples]) = (quiet, quiet)
      }
    }
    let windows = trace.windows()
    #expect(windows.count > 9 && windows.allSatisfy { $0.score == 100 || $0.state == .unscored })
  }

  @Test("Nor are packets of 60 ms", arguments: [1.0, 2, 5, 10])
  func longPackets(every: Double) {
    let flow = Flow(times: Array(stride(from: 0, through: 60, by: 0.06)))
    for isCounted in [true, false] {
      var trace = Trace()
      trace.cleanAudio(trace.stream(.audio), until: 60, every: every) { time, values in
        flow.report(time, &values)
        if !isCounted { values[.concealedSamples] = nil }
      }
      #expect(trace.windows().allSatisfy { $0.score == 100 || $0.state == .unscored })
    }
  }

  @Test("Sound that ends within the last report was not late", arguments: [0.6, 0.9])
  func hungUp(early: Double) {
    let flow = Flow(times: Array(stride(from: 0, through: 32 - early, by: 0.02)))
    var trace = Trace()
    trace.cleanAudio(trace.stream(.audio), until: 32) { time, values in
      flow.report(time, &values)
      let missing = max(0, time - 32 + early)
      values[.concealedSamples] = missing * 48_000
      values[.silentConcealedSamples] = max(0, missing - 0.15) * 48_000
    }
    #expect(trace.windows().compactMap(\.score) == [100, 100, 100, 100, 100, 100])
  }

  @Test("Lost packets weigh what sound they held")
  func lostLongPackets() throws {
    let flow = Flow(times: Array(stride(from: 0, through: 30, by: 0.06)))
    var trace = Trace()
    trace.cleanAudio(trace.stream(.audio), until: 30) { time, values in
      flow.report(time, &values)
      guard time > 22.5 else { return }
      values[.lost] = 5
      (values[.concealedSamples], values[.silentConcealedSamples]) = (14_400, 14_400)
    }
    // 300 ms in 5 s.
    let window = trace.windows()[4]
    #expect(abs(try #require(window.inputs.concealedShare) - 0.06) < 0.005)
  }

  /// A stream that stops for 3 s of every 12, polled every so many seconds; what its player makes up fades at once.
  private func stopping(
    every: Double, lost: Double = 0, in source: StreamSource = .stats, beside: (inout Trace) -> Void
  ) -> [Window] {
    let flow = Flow.talking(until: 60)
    var trace = Trace()
    trace.cleanAudio(trace.stream(.audio, .inbound, source), until: 60, every: every) { time, values in
      flow.report(time, &values)
      let rounds = (time / 12).rounded(.down)
      let missing = rounds * 3 + max(0, time - rounds * 12 - 9)
      let faded = rounds * 0.12 + min(0.12, max(0, time - rounds * 12 - 9))
      values[.concealedSamples] = missing * 48_000
      values[.silentConcealedSamples] = (missing - faded) * 48_000
      values[.lost] = rounds * lost
    }
    beside(&trace)
    return trace.windows()
  }

  @Test("A sender that pauses loses nothing while its picture comes", arguments: [0.5, 1, 2])
  func pauses(every: Double) {
    let windows = stopping(every: every) { $0.cleanVideo($0.stream(.video), until: 60, every: every) }
    #expect(windows.compactMap(\.score).min() ?? 0 >= 97)
  }

  @Test("Where numbers skip, or nothing else comes either, it is an outage")
  func outages() {
    let skipping = stopping(every: 1, lost: 150) { $0.cleanVideo($0.stream(.video), until: 60) }
    let alone = stopping(every: 1) { _ in }
    let together = stopping(every: 1) { trace in
      let picture = trace.stream(.video)
      trace.cleanVideo(picture, until: 60) { time, values in
        let rounds = (time / 12).rounded(.down)
        let missing = rounds * 3 + max(0, time - rounds * 12 - 9)
        values[.packets] = ((time - missing) * 100).rounded()
        values[.lastPacketMs] = Trace.start + min(time, rounds * 12 + 9) * 1000 - 4
      }
    }
    for windows in [skipping, alone, together] {
      #expect(windows.filter { ($0.score ?? 100) < 60 }.count >= 5)
    }
  }

  /// What the far end's reports are like in each poll.
  enum Answers: CaseIterable {
    case stated, changing, repeated
  }

  @Test(
    "Reports of the far end that come meanwhile show a pause; the last one told again does not",
    arguments: Answers.allCases)
  func answers(_ answers: Answers) {
    let windows = stopping(every: 1) { trace in
      let sent = trace.stream(.audio, .outbound)
      for time in stride(from: 1.0, through: 60, by: 1) {
        var values: [Metric: Double] = [.packets: time * 50, .lost: 0, .rttMs: 40]
        if answers == .stated { values[.jitterMs] = 2 }
        if answers == .changing { values[.rttMs] = 40 + time.truncatingRemainder(dividingBy: 2) }
        trace.report(sent, at: time, values)
      }
    }
    if answers == .repeated {
      #expect(windows.filter { ($0.score ?? 100) < 60 }.count >= 5)
    } else {
      #expect(windows.compactMap(\.score).min() ?? 0 >= 97)
    }
    #expect(windows.allSatisfy { abs(($0.inputs.rttMs ?? 0) - 40) < 1 }, "a value told again still holds")
  }

  @Test(
    "In a capture the far end was heard of while nothing of it was missing: it did not send",
    arguments: [0.0, 150])
  func arrivals(lost: Double) {
    let windows = stopping(every: 1, lost: lost, in: .capture) { trace in
      for round in 0..<5 {
        for after in [0.6, 1.1, 2.1] { trace.sign(at: Double(round) * 12 + 9 + after) }
      }
    }
    if lost == 0 {
      #expect(windows.compactMap(\.score).min() ?? 0 >= 97)
    } else {
      #expect(
        windows.filter { ($0.score ?? 100) < 60 }.count >= 5, "who is heard of may have lost it all the same")
    }
  }

  @Test(
    "Where nothing is missing from the numbers of a capture, no point goes to loss", arguments: [0.0, 150])
  func stalled(lost: Double) {
    let windows = stopping(every: 1, lost: lost, in: .capture) { _ in }
    func points(_ cause: Cause) -> Int { windows.compactMap { $0.pointsLost?[cause] }.reduce(0, +) }
    #expect(windows.filter { ($0.score ?? 100) < 60 }.count >= 5)
    #expect((lost == 0 ? points(.loss) : points(.jitter)) < 10)
    #expect((lost == 0 ? points(.jitter) : points(.loss)) > 200)
  }

  @Test("A muted sender from whom the way takes a few packets loses no more than their sound")
  func mutedOutage() {
    var flow = Flow.discontinuous(20, until: 60)
    flow.times.removeAll { (26..<29.4).contains($0) }
    var trace = Trace()
    trace.cleanAudio(trace.stream(.audio, .inbound, .capture), until: 60) { time, values in
      flow.report(time, &values)
      values[.lost] = time < 29.4 ? 0 : 9
      let quiet = min(max(0, time - 20), 20) * 44_000
      (values[.concealedSamples], values[.silentConcealedSamples]) = (quiet, quiet)
    }
    #expect(trace.windows().compactMap(\.score).min() ?? 0 >= 70)
  }

  @Test(
    "A picture of which numbers are missing was sent, whoever was heard of meanwhile", arguments: [0.0, 800])
  func lostPicture(lost: Double) {
    var trace = Trace()
    trace.cleanAudio(trace.stream(.audio, .inbound, .capture), until: 60)
    trace.cleanVideo(trace.stream(.video, .inbound, .capture), until: 60) { time, values in
      let missing = min(max(0, time - 20), 8)
      values[.packets] = (time - missing) * 100
      values[.frames] = (time - missing) * 20
      values[.lost] = time > 28 ? lost : 0
      values[.lastPacketMs] = Trace.start + (missing > 0 && time <= 28 ? 20 : time) * 1000 - 10
    }
    let points = trace.windows().compactMap { $0.pointsLost?[.freeze] }.reduce(0, +)
    #expect(lost == 0 ? points == 0 : points > 100)
  }

  @Test("A far end that is still heard of sent nothing, as far as its capture shows")
  func neverAgain() {
    var trace = Trace()
    let flow = Flow(times: Array(stride(from: 0, through: 30, by: 0.02)))
    trace.cleanAudio(trace.stream(.audio, .inbound, .capture), until: 60) { time, values in
      flow.report(time, &values)
      let missing = max(0, time - 30)
      values[.concealedSamples] = missing * 48_000
      values[.silentConcealedSamples] = max(0, missing - 0.12) * 48_000
    }
    for time in stride(from: 30.6, through: 60, by: 1) { trace.sign(at: time) }
    let states = trace.windows().map(\.state)
    #expect(!states.contains(.stalled) && states.suffix(5).allSatisfy { $0 == .silent })
  }
}
