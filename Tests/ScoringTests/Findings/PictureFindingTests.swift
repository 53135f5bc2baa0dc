import CallModel
import Scoring
import Testing

/// Pictures that stop, or begin late.
@Suite("Findings on pictures")
struct PictureFindingTests: FindingSuite {
  /// Sound for 40 s, and a picture of which nothing comes any more after 12 s.
  private func stopped(
    reportedUntil: Double = 40, soundUntil: Double = 40, source: StreamSource = .stats,
    isScreen: Bool = false
  ) -> Trace {
    var trace = Trace()
    let sound = trace.stream(.audio, .inbound, source)
    let picture = trace.stream(.video, .inbound, source)
    trace.streams[picture].screen = isScreen
    for time in stride(from: 1.0, through: 40, by: 1) {
      let received = min(time, soundUntil)
      trace.report(sound, at: time, [.packets: received * 50, .lastPacketMs: Trace.start + received * 1000])
      guard time <= reportedUntil else { continue }
      let seen = min(time, 12)
      trace.report(
        picture, at: time,
        [
          .packets: seen * 80, .frames: seen * 20, .freezeCount: 0, .pauseCount: 0,
          .lastPacketMs: Trace.start + seen * 1000,
        ])
    }
    return trace
  }

  @Test(
    "A picture that stops for good while sound goes on stands still",
    arguments: [StreamSource.stats, .capture])
  func forGood(source: StreamSource) throws {
    let found = findings(stopped(source: source))
    #expect(found.map { "\($0.name) \($0.severity)" } == ["video-paused warning"])
    let pause = try #require(found.first)
    #expect(pause.startMs == Trace.start + 12_000)
    #expect(pause.endMs == Trace.start + 40_000)
  }

  @Test(
    "It does not where it was taken away, where everything stopped, on hold, or of a screen that is shared")
  func noPause() {
    #expect(codes(stopped(reportedUntil: 14)) == [], "no report has it any more")
    #expect(codes(stopped(soundUntil: 13)) == [], "the call was over")
    #expect(codes(stopped(isScreen: true)) == [], "nothing changed on it")
    var held = FindingContext()
    held.quiet = [QuietSpan(startMs: Trace.start + 11_000, kind: .video)]
    #expect(codes(stopped(), held) == [])
    var other = stopped()
    let second = other.stream(.video)
    for time in stride(from: 13.0, through: 40, by: 1) {
      other.report(second, at: time, [.packets: time * 80, .frames: time * 20])
    }
    #expect(codes(other) == [], "another picture took its place")
  }

  @Test("A capture samples a stopped picture for half a minute; it stands still for as long as sound goes on")
  func noLongerSampled() throws {
    let pause = try #require(findings(stopped(reportedUntil: 30, source: .capture)).first)
    #expect(pause.endMs == Trace.start + 40_000)
  }

  @Test("A camera that is switched on in mid-call has as long to find its rate as one from the start")
  func cameraSwitchedOn() {
    func limited(_ seconds: Double) -> Trace {
      var trace = Trace()
      let sound = trace.stream(.audio, .outbound)
      let picture = trace.stream(.video, .outbound)
      for time in stride(from: 1.0, through: 60, by: 1) {
        trace.report(sound, at: time, [.packets: time * 50])
        guard time > 20 else { continue }
        trace.report(
          picture, at: time,
          [.packets: (time - 20) * 50, .limitedBy: time < 20 + seconds ? 2 : 0])
      }
      return trace
    }
    #expect(codes(limited(11)) == [])
    #expect(codes(limited(30)) == ["bandwidth-starved"])
  }

  @Test("So has its estimate: what was found for sound alone is too little for a picture at first")
  func estimateForSound() {
    var trace = Trace()
    let sound = trace.stream(.audio, .outbound)
    let picture = trace.stream(.video, .outbound)
    for time in stride(from: 1.0, through: 60, by: 1) {
      trace.report(sound, at: time, [.packets: time * 50])
      if time > 20 { trace.report(picture, at: time, [.packets: (time - 20) * 50]) }
      var path = TransportSample(timeMs: Trace.start + time * 1000)
      path.availableOutgoingBps = time < 29 ? 100_000 : 900_000
      trace.transports.append(path)
    }
    #expect(codes(trace) == [])
  }

  @Test("A picture asked for again and again")
  func storm() {
    var trace = Trace()
    trace.cleanVideo(trace.stream(.video), until: 30) { time, values in values[.pli] = time }
    #expect(codes(trace) == ["pli-storm"])
  }

  @Test(
    "Key frames asked for now and then are no storm, however often the statistics are read",
    arguments: [1.0, 2, 5])
  func nowAndThen(every: Double) {
    var trace = Trace()
    trace.cleanVideo(trace.stream(.video), until: 60) { time, values in
      values[.pli] = (time / 4).rounded(.down)
    }
    trace.steps.removeAll { ($0.time / every).rounded() * every != $0.time }
    #expect(codes(trace) == [])
  }

  @Test("Packets of a picture of which no frame was ever decoded are no picture, with sound or without")
  func neverDecoded() {
    func pauses(frames: Double?, sound: Bool) -> [Finding] {
      var trace = Trace()
      if sound { trace.cleanAudio(trace.stream(.audio), until: 20) }
      trace.cleanVideo(trace.stream(.video), until: 20) { time, values in
        values[.frames] = frames.map { time * $0 }
        values[.interFrameDelayMs] = nil
      }
      return findings(trace).filter { $0.name == "video-paused" }
    }
    for sound in [true, false] {
      let found = pauses(frames: 0, sound: sound)
      #expect(found.map(\.severity) == [.warning])
      #expect(found.first?.text.contains("not one frame could be decoded") == true)
      #expect(pauses(frames: 20, sound: sound).isEmpty)
      #expect(pauses(frames: nil, sound: sound).isEmpty, "nobody counts frames")
    }
  }

  @Test(
    "What was lost explains that no frame was decoded, if it was much",
    arguments: [(0.4, "40 % of its packets are lost"), (0.01, "its packets come")])
  func lostAndNotDecoded(share: Double, words: String) throws {
    var trace = Trace()
    trace.cleanVideo(trace.stream(.video), until: 20) { time, values in
      values[.frames] = 0
      values[.interFrameDelayMs] = nil
      let sent = values[.packets] ?? 0
      values[.lost] = (sent * share).rounded()
      values[.packets] = sent - (sent * share).rounded()
    }
    let pause = try #require(findings(trace).first { $0.name == "video-paused" })
    #expect(pause.text.contains(words), "\(pause.text)")
    #expect(pause.evidence.has("lost_share") == (share > 0.1))
  }
}
