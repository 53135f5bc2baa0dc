import CallModel
import Testing

@testable import Verdicts

@Suite("A medium that came, and was heard or seen badly")
struct BadTimeTests {
  private func judged(_ seconds: Double, _ scores: [Double], _ kind: MediaKind = .audio) -> String {
    call(end("caller", MadeMedium(kind, seconds: seconds, scores: scores))).judged
  }

  private func windows(_ count: Int, of score: Double = 50) -> [Double] {
    Array(repeating: score, count: count)
  }

  @Test("Two bad windows and a tenth of the time")
  func share() {
    #expect(judged(100, windows(2)) == "poor by bad-time")
    #expect(judged(105, windows(2)) == "fair by impaired", "9.5 %")
    #expect(judged(10, windows(1)) == "fair by impaired", "one window, though it is half of the call")
  }

  @Test("The last window may be short, but not so short")
  func lastWindow() {
    let fine = windows(7, of: 95)
    #expect(judged(42.5, fine + windows(2)) == "poor by bad-time")
    #expect(judged(42.4, fine + windows(2)) == "fair by impaired")
  }

  @Test("Sound of which nothing was good is poor, however short; a picture may have been about to begin")
  func throughout() {
    #expect(judged(5, windows(1, of: 0)) == "poor by bad-throughout")
    #expect(judged(7.4, windows(2)) == "poor by bad-throughout")
    #expect(judged(5, windows(1, of: 30), .video) == "fair by impaired")
    #expect(judged(4, windows(1)) == "unjudged by too-short")
  }

  @Test("A bad minute is one in any call")
  func total() {
    #expect(judged(1500, windows(12)) == "poor by bad-time")
    #expect(judged(1500, windows(11)) == "good by heard-well")
  }

  @Test("Sound is bad under 60, a picture under 40")
  func bars() {
    #expect(judged(60, windows(2, of: 59.9)) == "poor by bad-time")
    #expect(judged(60, windows(2, of: 60)) == "good by heard-well")
    #expect(judged(60, windows(2, of: 39.9), .video) == "poor by bad-time")
    #expect(judged(60, windows(2, of: 40), .video) == "good by heard-well")
  }

  @Test(
    "Windows of which 40 % were missed are bad, whatever their score", arguments: [MediaKind.audio, .video])
  func missed(kind: MediaKind) {
    func judged(_ share: Double) -> String {
      var made = MadeMedium(kind)
      for place in 2...4 { made.evidence.scored[place].missedShare = share }
      return call(end("caller", made)).judged
    }
    #expect(judged(0.4) == "poor by bad-time")
    #expect(judged(0.39) == "good by heard-well")
  }

  @Test("Time in which nothing came is bad time")
  func missing() {
    let made = MadeMedium(scores: [50]).missing(30, 34)
    #expect(call(end("caller", made)).judged == "poor by bad-time")
    #expect(call(end("caller", MadeMedium().missing(30, 34))).judged == "fair by impaired")
    let unsent = MadeMedium(scores: [50]).missing(30, 34, proven: false)
    #expect(call(end("caller", unsent)).judged == "fair by impaired", "what was not sent is none")
  }

  @Test("A mean under 75 is fair, of sound alone; so is a twentieth of bad time")
  func fair() {
    #expect(judged(60, windows(12, of: 74.9)) == "fair by impaired")
    #expect(judged(60, windows(12, of: 75)) == "good by heard-well")
    #expect(judged(60, windows(12, of: 50), .video) == "good by heard-well", "a small picture")
    #expect(judged(100, windows(1)) == "fair by impaired")
    #expect(judged(105, windows(1)) == "good by heard-well")
  }

  @Test(
    "What the far end reports lost counts where it is a tenth, of sound, and for a tenth of the time or a minute"
  )
  func farEnd() {
    #expect(call(end("caller", MadeMedium().lostAtFarEnd(0.1))).judged == "poor by loss-at-far-end")
    #expect(call(end("caller", MadeMedium().lostAtFarEnd(0.099))).judged == "good by heard-well")
    #expect(call(end("caller", MadeMedium(.video).lostAtFarEnd(0.5))).judged == "good by heard-well")
    let poor = "poor by loss-at-far-end"
    #expect(call(end("caller", MadeMedium().sendingOnly.lostAtFarEnd(0.2))).judged == poor)
    #expect(
      call(end("caller", MadeMedium().sendingOnly.lostAtFarEnd(0.09))).judged == "unjudged by no-media-known")
    #expect(
      call(end("caller", MadeMedium().lostAtFarEnd(0.2, for: 12, of: 600))).judged == "good by heard-well")
    #expect(call(end("caller", MadeMedium().lostAtFarEnd(0.2, for: 12, of: 120))).judged == poor)
    #expect(call(end("caller", MadeMedium().lostAtFarEnd(0.2, for: 60, of: 3600))).judged == poor)
    let twice = MadeMedium().lostAtFarEnd(0.2, for: 6, of: 120).lostAtFarEnd(0.2, for: 6, of: 120)
    #expect(call(end("caller", twice)).judged == poor)
  }

  @Test("An error about media that no other rule tells of makes a call poor")
  func otherError() {
    var made = end("caller", MadeMedium())
    #expect(call(made).judged == "good by heard-well")
    made.error = (.audio, .notSent)
    #expect(call(made).judged == "poor by error-finding")
    #expect(call(made).verdict.medium == .audio && call(made).verdict.reason == .notSent)
    var unsent = end("caller", MadeMedium().missing(0, 60, proven: false))
    unsent.error = (.audio, .unknown)
    #expect(call(unsent).judged == "not-sent by not-sent-whole", "that tells of it")
  }

  @Test("the first seconds of a stream do not decide, unless all that followed was bad too")
  func starting() {
    var picture = MadeMedium(.video, scores: [30])
    #expect(call(end("caller", picture)).judged == "fair by impaired")
    picture.evidence.scored[0].isTransition = true
    #expect(call(end("caller", picture)).judged == "good by heard-well")
    var short = MadeMedium(seconds: 10, scores: [9, 9])
    short.evidence.scored[0].isTransition = true
    #expect(call(end("caller", short)).judged == "poor by bad-time")
  }
}
