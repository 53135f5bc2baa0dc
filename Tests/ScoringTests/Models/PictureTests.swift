import CallModel
import Scoring
import Testing

@Suite("Picture, delay and poll interval")
struct PictureTests {
  @Test("A freeze lies before the report that books it, across windows")
  func freezeAcrossWindows() throws {
    var trace = Trace()
    trace.cleanVideo(trace.stream(.video), until: 15) { time, values in
      // Nothing is shown from 4 s to 8 s; the counters say so at 9 s.
      let lost = min(max(0, time - 4), 4)
      values[.frames] = (time - lost) * 20
      values[.freezeMs] = time > 8.5 ? 4000 : 0
      values[.freezeCount] = time > 8.5 ? 1 : 0
    }
    let windows = trace.windows()
    let shares = windows.compactMap(\.inputs.freezeShare)
    #expect(abs(shares[0] - 0.2) < 0.02)
    #expect(abs(shares[1] - 0.6) < 0.02)
    #expect(shares[2] == 0)
    #expect(try #require(windows[0].pointsLost)[.freeze] ?? 0 > 30)
  }

  @Test("A picture that stands still to the end is a freeze though no counter says so")
  func endlessFreeze() {
    var trace = Trace()
    trace.cleanVideo(trace.stream(.video), until: 15) { time, values in values[.frames] = min(time, 7) * 20 }
    let windows = trace.windows()
    #expect(windows[0].score == 100)
    #expect(abs((windows[1].inputs.freezeShare ?? 0) - 0.6) < 0.05)
    #expect(windows[2].video == 0)
  }

  @Test(
    "A pause that the browser counts as one is a pause, whatever it books beside it", arguments: [0.0, 1])
  func pauseBesideFreeze(freezes: Double) {
    var trace = Trace()
    trace.cleanVideo(trace.stream(.video), until: 30) { time, values in
      let still = min(max(0, time - 10), 7)
      values[.frames] = (time - still) * 20
      values[.pauseCount] = time > 17.5 ? 1 : 0
      values[.pauseMs] = time > 17.5 ? 7200 : 0
      values[.freezeCount] = time > 17.5 ? freezes : 0
      values[.freezeMs] = time > 17.5 ? freezes * 300 : 0
    }
    var scorer = EndpointScorer(streams: trace.streams)
    for step in trace.steps { scorer.add(step.sample, of: step.stream) }
    _ = scorer.finish()
    #expect(scorer.frozenSpans.map(\.isPause) == [true])
    #expect(scorer.frozenSpans.map(\.pausedMs) == [7200])
  }

  @Test(
    "A picture that comes slowly from its first frame on is slow and not frozen, unless something was lost",
    arguments: [1.0, 2])
  func slowFromTheFirstFrame(rate: Double) {
    func frozenShares(isLossy: Bool) -> [Double] {
      var trace = Trace()
      trace.cleanVideo(trace.stream(.video), until: 30) { time, values in
        let gaps = max(0, time * rate - 1)
        values[.frames] = time * rate
        values[.packets] = time * rate * 5
        values[.lost] = isLossy ? time : 0
        values[.interFrameDelayMs] = gaps * 1000 / rate
        values[.squaredInterFrameDelayS2] = gaps / rate / rate
      }
      return trace.windows().compactMap(\.inputs.freezeShare)
    }
    #expect(frozenShares(isLossy: false).dropFirst().allSatisfy { $0 == 0 })
    #expect(frozenShares(isLossy: true).dropFirst().contains { $0 > 0.3 })
  }

  /// Two pictures, of which the second is received and not one frame of it decoded.
  private func besideDark(_ change: (Double, inout [Metric: Double]) -> Void) -> [Window] {
    var trace = Trace()
    trace.cleanVideo(trace.stream(.video), until: 15)
    trace.cleanVideo(trace.stream(.video), until: 15) { time, values in
      values[.framesReceived] = time * 15
      (values[.frames], values[.width], values[.height], values[.interFrameDelayMs]) = (0, nil, nil, nil)
      change(time, &values)
    }
    return trace.windows()
  }

  @Test(
    "A picture that is received and never decoded costs as the one beside it would; probes of the path are no picture"
  )
  func dark() {
    #expect(besideDark { _, _ in }.map(\.score) == [62, 50, 50])
    let sized = besideDark { _, values in (values[.width], values[.height]) = (0, 0) }
    #expect(sized.map(\.score) == [62, 50, 50], "a size of nothing is none")
    for payload in [0.0, 56] {
      let probes = besideDark { time, values in
        values[.bytes] = time * 100 * payload
        values[.framesReceived] = 0
      }
      #expect(probes.map(\.score) == [100, 100, 100], "\(payload) bytes a packet")
      #expect(probes.allSatisfy { $0.inputs.freezeShare == 0 })
    }
  }

  /// A slide after five seconds of motion: a frame a second. Counters book that as freezes, as they do for a camera.
  private func slides(screen: Bool, _ trouble: [Metric: Double] = [:]) -> [Window] {
    var trace = Trace()
    let picture = trace.stream(.video)
    trace.streams[picture].screen = screen
    trace.cleanVideo(picture, until: 15) { time, values in
      let still = max(0, time - 5)
      values[.frames] = (time - still) * 20 + still
      values[.framesReceived] = values[.frames]
      values[.freezeCount] = min(still, 3)
      values[.freezeMs] = min(still, 3) * 1000
      for (metric, growth) in trouble { values[metric] = (values[metric] ?? 0) + still * growth }
    }
    return trace.windows()
  }

  @Test("A shared screen stands still at no cost where nothing went wrong")
  func screen() {
    #expect(slides(screen: true).map(\.score) == [100, 100, 100])
    #expect(slides(screen: false)[1].score ?? 100 < 60)
    for trouble: [Metric: Double] in [[.lost: 1], [.pli: 1], [.framesReceived: 10]] {
      let window = slides(screen: true, trouble)[1]
      #expect(window.pointsLost?[.freeze] ?? 0 > 20, "\(trouble)")
    }
  }

  @Test("A camera that comes back has no rate in the time that it was off")
  func cameraComesBack() {
    var trace = Trace()
    trace.cleanAudio(trace.stream(.audio), until: 40)
    trace.cleanVideo(trace.stream(.video), until: 40) { time, values in
      let off = min(max(0, time - 10), 14)
      for metric: Metric in [.packets, .frames, .bytes, .interFrameDelayMs] {
        values[metric] = (values[metric] ?? 0) * (time - off) / time
      }
      if off > 0, off < 14 { values[.lastPacketMs] = Trace.start + 9990 }
    }
    #expect(trace.windows().map(\.score) == Array(repeating: 100, count: 8))
  }

  @Test("A dead picture leaves the sound its part")
  func deadPicture() {
    var trace = Trace()
    trace.cleanAudio(trace.stream(.audio), until: 15)
    trace.cleanVideo(trace.stream(.video), until: 15) { time, values in values[.frames] = min(time, 5) * 20 }
    #expect(trace.windows().last?.score == 30)
  }

  @Test("A smaller picture than before costs resolution")
  func smallerPicture() {
    var trace = Trace()
    trace.cleanVideo(trace.stream(.video), until: 15) { time, values in
      values[.width] = time > 9 ? 320 : 640
      values[.height] = time > 9 ? 180 : 360
    }
    let windows = trace.windows()
    #expect(windows[0].score == 100)
    #expect(windows[2].score == 81)
    #expect(windows[2].pointsLost?[.resolution] == 19)
  }

  @Test("A sender that finds its size in the first seconds is held against none that it left at once")
  func findsItsSize() {
    var trace = Trace()
    trace.cleanVideo(trace.stream(.video), until: 15) { time, values in
      // As Chromium's H.264 encoder does it at the beginning of a call on a good network.
      let isSmall = time > 2 && time <= 7
      values[.width] = isSmall ? 480 : 640
      values[.height] = isSmall ? 270 : 360
    }
    #expect(trace.windows().map(\.score) == [100, 100, 100])
  }

  @Test("The round trip of reports goes before that of connectivity checks")
  func roundTrip() {
    var trace = Trace()
    let audio = trace.stream(.audio)
    let outbound = trace.stream(.audio, .outbound)
    trace.cleanAudio(audio, until: 15)
    for time in stride(from: 1.0, through: 15, by: 1) { trace.path(at: time, bytes: time, rttMs: 900) }
    trace.report(outbound, at: 3, [.rttMs: 100])
    trace.report(outbound, at: 8, [.rttMs: 200])
    let windows = trace.windows()
    #expect(windows.map { $0.inputs.rttMs?.rounded() } == [100, 140, 200])
    // rtt/2 + 30 ms in the buffer + 25 ms of packetisation and look-ahead
    #expect(windows.map { $0.inputs.delayMs?.rounded() } == [105, 125, 155])
  }

  @Test("Polling half as often gives the same score", arguments: [0.5, 1.0, 2.0])
  func pollInterval(every: Double) {
    var trace = Trace()
    trace.cleanAudio(trace.stream(.audio), until: 30, every: every) { time, values in
      values[.concealedSamples] = time * 300
      values[.lost] = time / 2
    }
    trace.cleanVideo(trace.stream(.video), until: 30, every: every) { time, values in
      values[.lost] = time * 2
    }
    #expect(trace.windows().map(\.score) == [95, 95, 95, 95, 95, 95])
  }
}
