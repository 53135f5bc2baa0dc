import CallModel
import Testing

@testable import Verdicts

@Suite("A call as a whole")
struct WholeCallTests {
  @Test(
    "How it ended comes first",
    arguments: [
      (Outcome.failed, "failed by failed"), (.dropped, "dropped by dropped"),
      (.missing, "unjudged by missing"),
      (.rejected, "not-set-up by not-set-up"), (.busy, "not-set-up by not-set-up"),
      (.noAnswer, "not-set-up by not-set-up"), (.cancelled, "not-set-up by not-set-up"),
      (.completed, "good by heard-well"), (.unknown, "good by heard-well"),
    ])
  func outcome(outcome: Outcome, judged: String) {
    #expect(call(end("caller", MadeMedium()), outcome: outcome).judged == judged)
  }

  @Test("A call that dropped, or failed, is that and no other, with what is to blame")
  func trouble() {
    var dropped = call(end("caller", MadeMedium().missing(40, 60)), outcome: .dropped)
    dropped.trouble = .dtls
    #expect(dropped.verdict.value == .dropped)
    #expect(dropped.verdict.reason == .dtls)
    #expect(dropped.verdict.span == 40_000...60_000)
    var failed = call(outcome: .failed)
    #expect(failed.verdict.reason == .unknown)
    failed.trouble = .ice
    #expect(failed.verdict.reason == .ice)
  }

  @Test("A short call in which no sound came to an end is not good for the rest of it")
  func lacksSound() {
    var deaf = end("callee", MadeMedium(.video, seconds: 6))
    #expect(call(end("caller", MadeMedium(seconds: 6)), deaf).judged == "good by heard-well")
    deaf.lacksSound = true
    #expect(call(end("caller", MadeMedium(seconds: 6)), deaf).judged == "unjudged by too-short")
    deaf.media.append(MadeMedium(seconds: 6).missing(0, 6).evidence)
    #expect(call(end("caller", MadeMedium(seconds: 6)), deaf).judged == "silent by sound-whole")
  }

  @Test("A call of which an end played its sound unseen is not judged, unless something is bad")
  func unseen() {
    var hidden = end("callee", MadeMedium())
    hidden.isSoundUnseen = true
    #expect(call(end("caller", MadeMedium()), hidden).judged == "unjudged by sound-unseen")
    hidden.media = [MadeMedium().missing(0, 60).evidence]
    #expect(call(end("caller", MadeMedium()), hidden).judged == "silent by sound-whole")
  }

  @Test("The worst end and medium decides, in whatever order they stand")
  func worst() {
    let fine = end("caller", MadeMedium(), MadeMedium(.video))
    let deaf = end("callee", MadeMedium().missing(40, 60), MadeMedium(.video))
    let blind = end("callee", MadeMedium(), MadeMedium(.video).missing(40, 60))
    let blindCaller = end("caller", MadeMedium(), MadeMedium(.video).missing(0, 60))
    for (ends, word, name, medium) in [
      ([fine, deaf], Verdict.Value.silent, "callee", MediaKind.audio),
      ([fine, blind], .noPicture, "callee", .video),
      ([blindCaller, deaf], .silent, "callee", .audio),
    ] {
      for ends in [ends, ends.reversed()] {
        var made = CallEvidence(outcome: .completed)
        made.ends = ends
        #expect(made.verdict.value == word)
        #expect(made.verdict.end == name)
        #expect(made.verdict.medium == medium)
      }
    }
  }

  @Test("Of two that are as grave, sound comes before the picture")
  func soundFirst() {
    let picture = end("caller", MadeMedium(), MadeMedium(.video, scores: [10, 10]))
    let sound = end("callee", MadeMedium(scores: [10, 10]), MadeMedium(.video))
    for ends in [[picture, sound], [sound, picture]] {
      var made = CallEvidence(outcome: .completed)
      made.ends = ends
      #expect(made.verdict.value == .poor)
      #expect(made.verdict.medium == .audio)
      #expect(made.verdict.end == "callee")
    }
  }

  @Test("Poor comes before what was not sent, that before fair")
  func order() {
    let unsent = end("caller", MadeMedium().missing(0, 60, proven: false))
    let poor = end("callee", MadeMedium(scores: [10, 10]))
    let fair = end("callee", MadeMedium(scores: [10]))
    #expect(call(unsent, poor).verdict.value == .poor)
    #expect(call(unsent, fair).verdict.value == .notSent)
  }

  @Test("Nothing known, too little, or less than half: nobody calls that good")
  func unjudged() {
    #expect(call().judged == "unjudged by no-media-known")
    #expect(call(end("caller")).judged == "unjudged by no-media-known")
    #expect(call(end("caller", MadeMedium(seconds: 4.4))).judged == "unjudged by too-short")
    #expect(call(end("caller", MadeMedium(seconds: 4.5))).judged == "good by heard-well")
    var half = call(end("caller", MadeMedium()))
    half.durationMs = 120_000
    half.ends[0].recordedMs = 60_000
    #expect(half.judged == "good by heard-well")
    half.ends[0].recordedMs = 59_900
    #expect(half.judged == "unjudged by half-unrecorded")
  }

  @Test("What is on hold need not be on record")
  func held() {
    func judged(heldSeconds: Double, recordedMs: Double) -> String {
      var held = call(end("caller", MadeMedium()))
      held.durationMs = 180_000
      held.ends[0].heldMs = heldSeconds * 1000
      held.ends[0].recordedMs = recordedMs
      return held.judged
    }
    #expect(judged(heldSeconds: 120, recordedMs: 60_000) == "good by heard-well")
    #expect(judged(heldSeconds: 120, recordedMs: 29_900) == "unjudged by half-unrecorded")
    #expect(judged(heldSeconds: 0, recordedMs: 60_000) == "unjudged by half-unrecorded")
  }

  @Test(
    "Who heard nothing for a while heard no good call, whoever may have sent nothing; a machine does not mind"
  )
  func unsentMean() {
    var medium = MadeMedium(seconds: 20)
    medium.evidence.meanScore = 74.75
    #expect(call(end("caller", medium)).judged == "fair by impaired")
    #expect(call(end("caller", medium), isTalk: false).judged == "good by heard-well")
    medium.evidence.meanScore = 75
    #expect(call(end("caller", medium)).judged == "good by heard-well")
  }

  @Test("A call too short for a window is that, where its media was measured")
  func tooShort() {
    var short = call(end("caller"))
    short.durationMs = 2000
    #expect(short.judged == "unjudged by too-short")
    short.durationMs = 20_000
    #expect(short.judged == "unjudged by no-media-known")
    short.durationMs = 2000
    short.ends[0].basis = nil
    #expect(short.judged == "unjudged by no-media-known")
  }

  @Test("What is proven to be bad is said, however little is on record; what was not sent is not")
  func alarmBeforeUnjudged() {
    func judged(proven: Bool) -> Verdict.Value {
      var made = call(end("caller", MadeMedium().missing(30, 60, proven: proven)))
      made.durationMs = 600_000
      made.ends[0].recordedMs = 60_000
      return made.verdict.value
    }
    #expect(judged(proven: true) == .silent)
    #expect(judged(proven: false) == .unjudged)
  }

  @Test("It rests on what is on record")
  func basis() {
    func basis(_ bases: [Verdict.Basis?]) -> Verdict.Basis {
      var made = CallEvidence(outcome: .completed)
      made.ends = bases.map { basis in
        var end = end("an end", MadeMedium())
        end.basis = basis
        return end
      }
      return made.verdict.basis
    }
    #expect(basis([.oneEnd, .oneEnd]) == .bothEnds)
    #expect(basis([.oneEnd, nil]) == .oneEnd)
    #expect(basis([.packets, .packets]) == .packets)
    #expect(basis([.oneEnd, .packets]) == .packets)
    #expect(basis([nil]) == .events)
    #expect(basis([.oneEnd, nil, .oneEnd]).rawValue == "2 of 3 ends")
    #expect(Verdict.Basis(rawValue: "2 of 3 ends") == .ends(2, of: 3))
    #expect(Verdict.Basis(rawValue: "2 of 3") == nil)
  }

  @Test("Every rule can be given, and gives the word that the table has for it")
  func everyRule() {
    let made = [
      call(outcome: .failed), call(outcome: .dropped), call(outcome: .busy), call(outcome: .missing), call(),
      call(end("caller", MadeMedium().missing(0, 60))), call(end("caller", MadeMedium().missing(45, 60))),
      call(end("caller", MadeMedium().missing(20, 40))),
      call(end("caller", MadeMedium().missing(54, 60, loss: true), hungUp: true)),
      call(end("caller", MadeMedium(.video).missing(0, 60))),
      call(end("caller", MadeMedium(.video).missing(45, 60))),
      call(end("caller", MadeMedium(.video).missing(20, 40))),
      call(end("caller", MadeMedium(scores: [9, 9]))),
      call(end("caller", MadeMedium(seconds: 5, scores: [9]))),
      call(end("caller", MadeMedium().missing(20, 32))), call(end("caller", MadeMedium().lostAtFarEnd(0.5))),
      call(end("caller", MadeMedium().missing(0, 60, proven: false))),
      call(end("caller", MadeMedium().missing(45, 60, proven: false))),
      call(end("caller", MadeMedium().missing(20, 40, proven: false, reason: .notSent))),
      call(end("caller", MadeMedium(scores: [9]))), call(end("caller", MadeMedium())),
      call(end("caller", MadeMedium(seconds: 3))), call(end("caller", MadeMedium.summed(0.3))),
      call(end("caller", MadeMedium.summed(0.16))), call(end("caller", MadeMedium.summed(0))),
      call(end("caller", MadeMedium.summed(0.05))),
    ]
    var half = call(end("caller", MadeMedium()))
    half.durationMs = 600_000
    var wrong = end("caller", MadeMedium())
    wrong.error = (.audio, .unknown)
    var failed = end("callee")
    failed.failure = .ice
    var unseen = end("caller", MadeMedium())
    unseen.isSoundUnseen = true
    let stopped = MadeMedium(.video).missing(40, 60, proven: false, reason: .notSent)
    let verdicts =
      (made + [
        call(end("caller", MadeMedium(), stopped)), half, call(wrong), call(unseen),
        call(end("caller", MadeMedium()), failed),
      ])
      .map(\.verdict)
    for verdict in verdicts {
      #expect(VerdictRule(rawValue: verdict.rule)?.value == verdict.value, "\(verdict.rule)")
    }
    #expect(Set(verdicts.map(\.rule)) == Set(VerdictRule.allCases.map(\.rawValue)))
  }
}
