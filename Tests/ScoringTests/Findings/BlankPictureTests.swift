import CallModel
import Testing

@Suite("A camera that is off and sends black frames")
struct BlankPictureTests {
  /// A picture that from 10 s to 25 s comes at one frame a second, which a browser counts as freezes until its mean gap has
  /// grown; each of the frames takes `bytes`.
  private func windows(bytesAFrame bytes: Double, lost: Double = 0, pixels: Double = 640) -> [Window] {
    var trace = Trace()
    trace.cleanAudio(trace.stream(.audio), until: 40)
    trace.cleanVideo(trace.stream(.video), until: 40) { time, values in
      let slow = min(max(0, time - 10), 15).rounded(.down)
      let quick = min(time, 10) + max(0, time - 25)
      values[.width] = pixels
      values[.height] = pixels * 3 / 4
      values[.frames] = quick * 20 + slow
      values[.framesReceived] = values[.frames]
      values[.bytes] = quick * 60_000 + slow * bytes
      values[.packets] = quick * 60 + slow * (1 + bytes / 1200).rounded(.down)
      values[.lost] = slow * lost
      values[.freezeCount] = min(slow, 10)
      values[.freezeMs] = min(slow, 10) * 1000
    }
    return trace.windows()
  }

  @Test("stands still, and nobody sees it: no freeze, no low frame rate")
  func isOff() {
    let windows = windows(bytesAFrame: 108)
    #expect(windows.count == 8)
    for window in windows {
      #expect(window.pointsLost?[.freeze] ?? 0 == 0 && window.pointsLost?[.framerate] ?? 0 == 0)
      #expect((window.score ?? 0) > 95, "\(window.startMs)")
    }
    #expect(windows[3].video == nil && windows[3].audioCQ != nil)
  }

  @Test("a large black picture takes more")
  func large() {
    #expect(windows(bytesAFrame: 1200, pixels: 1920).allSatisfy { $0.pointsLost?[.freeze] ?? 0 == 0 })
    #expect(windows(bytesAFrame: 1200)[3].pointsLost?[.freeze] ?? 0 > 20)
  }

  @Test("a picture that the network starves has something in its frames")
  func starved() {
    #expect(windows(bytesAFrame: 3750)[3].pointsLost?[.freeze] ?? 0 > 20)
  }

  @Test("nor is one blank whose packets were lost from the beginning")
  func lost() {
    #expect(windows(bytesAFrame: 108, lost: 4)[3].pointsLost?.values.reduce(0, +) ?? 0 > 20)
  }
}
