import CallModel
import Scoring
import Testing

/// The ten worked examples of the scoring design, to the printed digit.
@Suite("Worked examples")
struct VectorTests {
  private func audio(
    loss: Double = 0, late: Double = 0, restored: Double = 0, delay: Double? = nil, codec: String = "opus"
  ) -> MediumScore {
    var a = AudioImpairments(codec: codec)
    a.lostShare = loss / 100
    a.lateShare = late / 100
    a.restoredShare = restored / 100
    a.delayMs = delay
    return audioScore(a, firstAudio)
  }

  private func video(
    frozen: Double = 0, freezes: Double = 0, fps: Double = 24, pixels: Double = 1, loss: Double = 0
  ) -> MediumScore {
    var v = VideoImpairments()
    v.freezeShare = frozen
    v.freezes = freezes
    v.frameRate = fps
    v.frameRateReference = 24
    v.pixels = pixels
    v.pixelsReference = 1
    v.lossShare = loss / 100
    return videoScore(v, VideoConstants())
  }

  private var firstAudio: AudioConstants {
    if case .callqa(let audio, _, _) = ScoreModel.callqa1.formula { audio } else { AudioConstants() }
  }

  private func expect(
    _ audio: MediumScore?, _ video: MediumScore?, a: Double?, v: Double?, s: Double, score: Int,
    lost: ByCause<Double>, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    guard let result = callScore(audio: audio, video: video) else {
      Issue.record("no score", sourceLocation: sourceLocation)
      return
    }
    func near(_ x: Double?, _ y: Double?) -> Bool { abs((x ?? -1) - (y ?? -1)) < 0.0051 }
    #expect(near(audio?.conversing, a), "audio", sourceLocation: sourceLocation)
    #expect(near(video?.conversing, v), "video", sourceLocation: sourceLocation)
    #expect(near(result.exact, s), "combined", sourceLocation: sourceLocation)
    #expect(result.score == score, sourceLocation: sourceLocation)
    for cause in Cause.allCases {
      #expect(
        near(result.exactLost[cause] ?? 0, lost[cause] ?? 0), "\(cause)", sourceLocation: sourceLocation)
    }
    #expect(result.lost.values.reduce(0, +) == 100 - score, sourceLocation: sourceLocation)
  }

  @Test("1 a clean call")
  func clean() {
    expect(audio(delay: 65), video(), a: 100, v: 100, s: 100, score: 100, lost: [:])
  }

  @Test("2 audio with 1 % concealed")
  func concealed() {
    expect(audio(loss: 1), nil, a: 90.92, v: nil, s: 90.92, score: 91, lost: [.loss: 9.08])
  }

  @Test("3 loss, lateness and delay")
  func lossLateDelay() {
    expect(
      audio(loss: 2, late: 1, delay: 250), nil, a: 66.35, v: nil, s: 66.35, score: 66,
      lost: [.loss: 16.49, .jitter: 8.24, .delay: 8.92])
  }

  @Test("4 G.711 bears loss better")
  func g711() {
    expect(audio(loss: 2, codec: "PCMU"), nil, a: 91.20, v: nil, s: 91.20, score: 91, lost: [.loss: 8.80])
  }

  @Test("5 one freeze of a second")
  func freeze() {
    expect(
      nil, video(frozen: 0.2, freezes: 1), a: nil, v: 64.40, s: 64.40, score: 64, lost: [.freeze: 35.60])
  }

  @Test("6 fewer frames, fewer pixels")
  func smaller() {
    expect(
      nil, video(fps: 15, pixels: 0.25), a: nil, v: 76.34, s: 76.34, score: 76,
      lost: [.resolution: 18.49, .framerate: 5.17])
  }

  @Test("7 a bit of everything")
  func mixed() {
    expect(
      audio(loss: 1, delay: 150), video(frozen: 0.1, freezes: 1, fps: 20, loss: 3), a: 90.75, v: 72.24,
      s: 77.79, score: 78, lost: [.freeze: 15.54, .loss: 5.48, .framerate: 1.14, .delay: 0.05])
  }

  @Test("8 a dead picture")
  func deadPicture() {
    var dead = VideoImpairments()
    dead.dead = true
    expect(
      audio(), videoScore(dead, VideoConstants()), a: 100, v: 0, s: 30, score: 30, lost: [.freeze: 70])
  }

  @Test("9 error correction repairs most, not all")
  func errorCorrection() {
    expect(
      audio(loss: 0.25, restored: 4.75), nil, a: 87.02, v: nil, s: 87.02, score: 87, lost: [.loss: 12.98])
  }

  @Test("10 a very bad call")
  func veryBad() {
    expect(
      audio(loss: 10, late: 3, delay: 400),
      video(frozen: 0.4, freezes: 2, fps: 10, pixels: 0.25, loss: 10), a: 13.96, v: 26.74, s: 16.52,
      score: 17,
      lost: [
        .loss: 39.14, .delay: 19.26, .jitter: 11.44, .freeze: 9.78, .resolution: 2.34, .framerate: 1.53,
      ])
  }
}
