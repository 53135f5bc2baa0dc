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
