import CallModel
import Testing

@testable import Verdicts

@Suite("A medium that is missing")
struct MissingTests {
  @Test(
    "Sound that is proven to be missing, at the threshold and just below",
    arguments: [
      ((0.0, 54.0), "silent by sound-whole"), ((0, 53.9), "silent by sound-third"),
      ((50, 60), "silent by sound-to-end"), ((50.1, 60), "poor by bad-time"),
      ((47, 57), "silent by sound-to-end"), ((46.9, 56.9), "poor by long-gap"),
      ((20, 40), "silent by sound-third"), ((20, 39.9), "poor by long-gap"),
    ])
  func sound(span: (Double, Double), judged: String) {
    #expect(call(end("caller", MadeMedium().missing(span.0, span.1))).judged == judged)
  }

  @Test(
    "A picture the same, and it is never silent for that",
    arguments: [
      ((0.0, 54.0), "no-picture by picture-whole"), ((0, 53.9), "no-picture by picture-third"),
      ((50, 60), "no-picture by picture-to-end"), ((50.1, 60), "poor by bad-time"),
      ((20, 40), "no-picture by picture-third"), ((20, 39.9), "poor by long-gap"),
    ])
  func picture(span: (Double, Double), judged: String) {
    let video = MadeMedium(.video).missing(span.0, span.1)
    #expect(call(end("caller", MadeMedium(), video)).judged == judged)
  }

  @Test(
    "Under five seconds nothing is missing as a whole or for a third, however short the call is",
    arguments: [(5.0, 5.0, true), (5, 4.9, false), (12, 5, true), (12, 4.9, false)])
  func short(seconds: Double, missing: Double, isSilent: Bool) {
    let made = MadeMedium(seconds: seconds).missing(0, missing)
    #expect((call(end("caller", made)).verdict.value == .silent) == isSilent)
  }

  @Test("Five seconds of loss up to the end are enough where the end that was deaf hung up")
  func hungUp() {
    func judged(from start: Double, loss: Bool, hungUp: Bool) -> String {
      call(end("caller", MadeMedium().missing(start, 60, loss: loss), hungUp: hungUp)).judged
    }
    #expect(judged(from: 55, loss: true, hungUp: true) == "silent by sound-lost-at-end")
    #expect(judged(from: 55.1, loss: true, hungUp: true) == "fair by impaired")
    #expect(judged(from: 55, loss: false, hungUp: true) == "fair by impaired")
    #expect(judged(from: 55, loss: true, hungUp: false) == "fair by impaired")
    let picture = MadeMedium(.video).missing(55, 60, loss: true)
    #expect(call(end("caller", picture, hungUp: true)).verdict.value == .fair)
  }

  @Test("Ten seconds are a long gap in a call of any length")
  func longGap() {
    func judged(_ seconds: Double) -> String {
      call(end("caller", MadeMedium(seconds: 600).missing(20, 20 + seconds))).judged
    }
    #expect(judged(10) == "poor by long-gap")
    #expect(judged(9.9) == "good by heard-well")
  }

  @Test("A third is one of the time off hold")
  func hold() {
    let made = MadeMedium().missing(20, 30)
    #expect(call(end("caller", made)).judged == "poor by long-gap")
    #expect(call(end("caller", made.held(30))).judged == "silent by sound-third")
    #expect(call(end("caller", made.held(29.9))).judged == "poor by long-gap")
  }

  @Test("Faults that are 1.5 s apart are one, with the cause of the longest")
  func joined() {
    func verdict(gap: Double) -> Verdict {
      let made = MadeMedium().missing(20, 26, reason: .undecodable)
        .missing(26 + gap, 40 + gap, reason: .notForwarded)
      return call(end("caller", made)).verdict
    }
    #expect(verdict(gap: 1.5).rule == "sound-third")
    #expect(verdict(gap: 1.5).span == 20_000...41_500)
    #expect(verdict(gap: 1.5).reason == .notForwarded)
    #expect(verdict(gap: 1.6).rule == "long-gap")
  }

  @Test("Faults do not depend on the order in which they were found")
  func order() {
    let one = MadeMedium().missing(20, 30).missing(30, 45)
    let other = MadeMedium().missing(30, 45).missing(20, 30)
    #expect(call(end("caller", one)).verdict == call(end("caller", other)).verdict)
    #expect(call(end("caller", one)).verdict.rule == "sound-third")
  }

  @Test("What nothing proves to have been sent was not sent: as a whole, or up to the end")
  func notSent() {
    func judged(_ from: Double, _ to: Double, isTalk: Bool? = nil) -> String {
      call(end("caller", MadeMedium().missing(from, to, proven: false)), isTalk: isTalk).judged
    }
    #expect(judged(0, 60) == "not-sent by not-sent-whole")
    #expect(judged(0, 54) == "not-sent by not-sent-whole")
    #expect(judged(0, 53.9) == "good by heard-well")
    #expect(judged(50, 60) == "not-sent by not-sent-to-end")
    #expect(judged(50.1, 60) == "good by heard-well")
    #expect(judged(20, 40) == "good by heard-well", "it went on, as after a mute")
    func paused(_ from: Double, _ to: Double, isPause: Bool = false) -> String {
      var made = MadeMedium().missing(from, to, proven: false, reason: .notSent)
      made.evidence.faults[0].isPause = isPause
      return call(end("caller", made)).judged
    }
    #expect(paused(20, 40) == "not-sent by not-sent-third")
    #expect(paused(20, 39.9) == "good by heard-well")
    #expect(paused(20, 40, isPause: true) == "good by heard-well", "the numbers of its packets went on")
    #expect(judged(50, 60, isTalk: true) == "silent by sound-to-end", "people talk: somebody was to be heard")
    #expect(judged(50, 60, isTalk: false) == "good by heard-well", "a machine that listens")
    let picture = MadeMedium(.video).missing(0, 60, proven: false)
    #expect(
      call(end("caller", MadeMedium(), picture)).judged == "good by heard-well", "a camera switched off")
  }
}
