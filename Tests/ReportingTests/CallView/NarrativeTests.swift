import CallModel
import Testing
import Timeline

@testable import Rendering
@testable import CallViews

@Suite("A call is described in words that anyone understands")
struct NarrativeTests {
  static func narrative(_ account: CallAccount) -> String {
    Narrative(account).sentences.joined(separator: " ")
  }

  @Test("a dropped call with loss says what was heard and where it was lost")
  func dropped() {
    let bad = (0..<6).map { SampleAccount.window($0, [.loss: 50, .freeze: 9], loss: 0.096, audio: 41) }
    let account = SampleAccount.call(
      outcome: .dropped,
      ends: [
        SampleAccount.end("caller", (0..<6).map { SampleAccount.window($0) }),
        SampleAccount.end("callee", bad),
      ])
    #expect(
      Self.narrative(account) == """
        Dropped after 4:12. The callee heard poor sound for 30 s: score 41; of the sound 9.6 % was lost on the wire. \
        The caller had good quality: score 100. Most points went to loss (50 of 59), then to freezes (9), at the callee. Without loss the score would be 91.
        """)
  }

  @Test("a picture is called poor where a verdict would: a small one is not")
  func smallPicture() {
    func told(_ score: Double) -> String {
      let windows = (0..<6).map { index in
        var window = SampleAccount.window(index, [.resolution: 21, .coding: 7])
        window.video = score
        return window
      }
      return Self.narrative(SampleAccount.call(ends: [SampleAccount.end("caller", windows)]))
    }
    #expect(told(QualityBand.poorPictureBelow).contains("The caller had impaired quality, score 72."))
    #expect(told(QualityBand.poorPictureBelow - 1).contains("saw 30 s of poor picture"))
  }

  @Test("the first screen has the figure of a delay that cost most, and of no other")
  func delay() {
    func told(_ points: ByCause<Int>) -> String {
      let windows = (0..<6).map { index in
        var window = SampleAccount.window(index, points, audio: 90)
        window.inputs.delayMs = 361
        return window
      }
      let account = SampleAccount.call(ends: [SampleAccount.end("caller", windows)])
      return Narrative(account, briefly: true).sentences.joined(separator: " ")
    }
    #expect(told([.delay: 15, .coding: 2]).contains("score 83; 361 ms from mouth to ear."))
    #expect(!told([.delay: 5, .coding: 12]).contains("mouth to ear"))
  }

  @Test("of an end whose files end early no more is praised than is on record")
  func cutShort() {
    let account = SampleAccount.call(
      ends: [
        SampleAccount.end("caller", (0..<9).map { SampleAccount.window($0) }),
        SampleAccount.end("callee", [SampleAccount.window(0), SampleAccount.window(1)]),
      ])
    #expect(Self.narrative(account).contains("Of the callee the last 35 s of the call are not on record."))
  }

  @Test("what arrives late is speech, where there is any", arguments: [true, false])
  func late(hasSound: Bool) {
    let windows = (0..<3).map { index in
      var window = SampleAccount.window(index, [.delay: 40], audio: 60)
      if !hasSound { window.audioLQ = nil }
      window.inputs.delayMs = 620
      return window
    }
    let text = Self.narrative(SampleAccount.call(ends: [SampleAccount.end("callee", windows)]))
    #expect(text.contains("; 620 ms from \(hasSound ? "mouth to ear" : "camera to screen")."), "\(text)")
  }

  @Test("how much was lost and concealed is told of the whole, beside the time in which it was poor")
  func wholeAndPoor() {
    let windows = (0..<7).map { index in
      var window = SampleAccount.window(index, [.loss: 40], loss: 0.08, audio: index == 4 ? 50 : 65)
      window.inputs.concealedShare = 0.043
      return window
    }
    let text = Self.narrative(SampleAccount.call(ends: [SampleAccount.end("callee", windows)]))
    #expect(
      text.contains(
        "heard poor sound for 5 s of 35 s: score 60; of the sound 8 % was lost on the wire and 4.3 % concealed."
      ), "\(text)")
  }

  @Test(
    "a failed call that carried media is not said to have never been connected", arguments: [true, false])
  func failed(hasMedia: Bool) {
    var end = SampleAccount.end("caller", [SampleAccount.window(0)])
    end.streams = [
      StreamAccount(
        key: 1, source: .stats, chosen: true, direction: .inbound, kind: .audio, screen: false,
        figures: ["packets": .integer(hasMedia ? 900 : 0)])
    ]
    let text = Self.narrative(SampleAccount.call(outcome: .failed, ends: [end]))
    #expect(text.hasPrefix(hasMedia ? "Failed. " : "Failed: the call was never connected."), "\(text)")
  }

  @Test("media that came to an end without keys reached nobody")
  func keyless() {
    var end = SampleAccount.end("caller", [])
    end.streams = [
      StreamAccount(
        key: 1, source: .capture, chosen: true, direction: .inbound, kind: .audio, screen: false,
        figures: ["packets": .integer(55)])
    ]
    let events = [SampleAccount.event(.iceConnected), SampleAccount.event(.dtlsFailed, atMs: 900)]
    let text = Self.narrative(SampleAccount.call(outcome: .failed, ends: [end], events: events))
    #expect(text.hasPrefix("Failed: the call was never connected. DTLS never connected:"), "\(text)")
  }

  @Test("what a capture concealed in pauses is none of what an end is said to have missed")
  func pausesOfCapture() {
    var window = SampleAccount.window(0, [.loss: 40], loss: 0.08, audio: 50)
    window.inputs.concealedShare = 0.043
    var end = SampleAccount.end("callee", [window])
    end.streams = [
      StreamAccount(
        key: 1, source: .capture, chosen: true, direction: .inbound, kind: .audio, screen: false,
        figures: [
          "packets": .integer(900), "concealed_share": .real(0.34), "concealed_samples": .integer(34_000),
          "silent_concealed_samples": .integer(26_000), "total_samples": .integer(100_000),
          "extra": .text("{\"paused_concealed\":25000}"),
        ])
    ]
    end.windowSource = .capture
    let text = Self.narrative(SampleAccount.call(ends: [end]))
    #expect(text.contains("and 12 % concealed"), "\(text)")
    #expect(StreamWords.received(end, .audio) == "codec unknown, 12 % concealed")
  }

  @Test("the same problem twice is reported once, with its end", arguments: [Outcome.completed, .failed])
  func twice(outcome: Outcome) {
    let ends = ["caller", "callee"].map { SampleAccount.end($0, [SampleAccount.window(0)]) }
    let findings = [9.5, 12].map { seconds in
      var finding = Finding(
        .oneWayAudio, .error, evidence: Evidence().with("without_packets_ms", Double(seconds) * 1000),
        text: "Sound is sent but none is received for \(seconds) s.")
      (finding.startMs, finding.endMs) = (SampleAccount.startMs, SampleAccount.startMs + seconds * 1000)
      return AccountFinding(end: "callee", finding: finding)
    }
    let text = Self.narrative(SampleAccount.call(outcome: outcome, ends: ends, findings: findings))
    #expect(
      text.contains("At the callee 2 times, at the longest: Sound is sent but none is received for 12.0 s."),
      "\(text)")
    #expect(!text.contains("9.5 s"))
  }

  @Test("what the other end reports as lost is reported beside a good score")
  func reportedLoss() {
    let finding = Finding(
      .remoteLoss, .warning, evidence: Evidence().with("kind", "audio"),
      text: "The other end reports 21 % of the sound it was sent as lost.")
    let account = SampleAccount.call(
      ends: [SampleAccount.end("caller", [SampleAccount.window(0)])],
      findings: [AccountFinding(end: "caller", finding: finding)])
    #expect(
      Self.narrative(account).hasSuffix(
        "The caller had good quality: score 100. The other end reports 21 % of the sound it was sent as lost."
      ))
  }

  @Test("a score from a capture is not called good where its end reports loss that did not pass there")
  func lostBeyond() {
    let ends = ["caller", "callee"].map { name in
      var end = SampleAccount.end(name, [SampleAccount.window(0)])
      end.windowSource = .capture
      return end
    }
    let finding = Finding(
      .remoteLoss, .warning, evidence: Evidence().with("kind", "audio"),
      text: "The other end reports 10 % of the sound it was sent as lost.")
    let account = SampleAccount.call(
      ends: ends, findings: [AccountFinding(end: "callee", finding: finding)])
    #expect(
      Self.narrative(account) == """
        Completed after 4:12. The callee had good quality: score 100. At the callee: The other end reports 10 % of the \
        sound it was sent as lost. The score of the caller, 100, does not include it.
        """)
  }

  @Test("jitter is said to have made sound late only as far as it did", arguments: [0.08, 0.0])
  func lateShare(loss: Double) {
    var inputs = WindowInputs()
    (inputs.lossShare, inputs.concealedShare) = (loss, 0.067)
    #expect(
      Cause.jitter.evidence(inputs, at: "the callee")
        == (loss > 0
          ? "sound slowed down or sped up by the jitter buffer" : "6.7 % of the sound came too late"))
    #expect(
      Cause.jitter.evidence(inputs, at: "the callee", isEstimated: true)
        == (loss > 0
          ? "sound that came too late, by an estimate" : "an estimated 6.7 % of the sound came too late")
    )
  }

  @Test("a clean call takes one sentence")
  func clean() {
    let ends = ["caller", "callee"].map {
      SampleAccount.end($0, [SampleAccount.window(0), SampleAccount.window(1)])
    }
    #expect(
      Self.narrative(SampleAccount.call(ends: ends))
        == "Completed after 4:12. Both ends heard each other well: score 100.")
  }

  @Test("a score is not called good beside sound that never came", arguments: ["one-way-audio", "no-media"])
  func withoutSound(code: String) {
    let ends = ["caller", "callee"].map { SampleAccount.end($0, [SampleAccount.window(0)]) }
    let error = Finding(named: code, .error, evidence: Evidence(), text: "No sound came.")
    let findings = [AccountFinding(end: "caller", finding: error)]
    #expect(
      Self.narrative(SampleAccount.call(ends: ends, findings: findings)) == """
        Completed after 4:12. At the caller: No sound came. The callee had good quality: score 100. \
        The score of the caller, 100, covers only the packets that arrived.
        """)
    let alone = SampleAccount.call(outcome: .unknown, ends: [ends[0]], findings: findings)
    #expect(!Self.narrative(alone).contains("good"))
  }

  @Test("an outage is named with its place in the call")
  func outage() {
    let windows =
      [0, 1].map { SampleAccount.window($0) }
      + [2, 3].map { SampleAccount.window($0, [.loss: 100], state: .stalled) }
    var end = SampleAccount.end("callee", windows)
    end.fates = [
      (.video, Fate(.lost, from: SampleAccount.startMs + 10_000, to: SampleAccount.startMs + 18_200))
    ]
    let text = Self.narrative(SampleAccount.call(ends: [end]))
    #expect(text.contains("Outage: nothing reached the callee for 8.2 s, from 0:10 to 0:18."))
  }

  @Test("a picture that is not sent any more is reported beside a good score, and nobody saw well")
  func stillPicture() {
    let ends = ["caller", "callee"].map { name in
      var window = SampleAccount.window(0)
      window.video = 100
      return SampleAccount.end(name, [window])
    }
    let finding = Finding(
      .videoPaused, .info, evidence: Evidence(), text: "The picture stands still for 18 s.")
    let still = [AccountFinding(end: "callee", finding: finding)]
    #expect(
      Self.narrative(SampleAccount.call(ends: ends, findings: still)).hasSuffix(
        "Both ends heard each other well: score 100. At the callee: The picture stands still for 18 s."))
    #expect(Self.narrative(SampleAccount.call(ends: ends)).contains("heard and saw each other well"))
  }

  @Test("what is not known of many ends alike is said once")
  func manyUnknown() {
    func sentences(_ names: [String]) -> [String] {
      Unknowns(SampleAccount.call(ends: names.map { SampleAccount.end($0, []) })).sentences
        .filter { $0.contains("quality") }
    }
    let rest = "no received stream is on record."
    #expect(sentences(["anna", "ben"]) == ["The quality at anna and ben: \(rest)"])
    #expect(sentences((1...12).map { "end\($0)" }) == ["The quality at all 12 ends: \(rest)"])
    var account = SampleAccount.call(ends: (1...6).map { SampleAccount.end("end\($0)", []) })
    account.ends.append(SampleAccount.end("heard", [SampleAccount.window(0)]))
    #expect(Unknowns(account).sentences.contains("The quality at end1, end2, end3 and 3 more: \(rest)"))
  }

  @Test("a call without anything says what is not known")
  func nothing() {
    let account = SampleAccount.call(outcome: .unknown)
    #expect(Self.narrative(account) == "How it ended is not known; the files cover 4:12.")
    #expect(Unknowns(account).sentences.contains("How the call ended: no event says so."))
    var withReason = account
    withReason.call.endReason = "another participant ended the conference"
    #expect(
      Unknowns(withReason).sentences.contains(
        "How the call ended: the reason is known (another participant ended the conference), but not whether it was"
          + " answered."))
  }

  @Test("a call whose media is on record as another's names that")
  func elsewhere() {
    var account = SampleAccount.call()
    let ended = EventRecord(
      timeMs: 1, event: .unknown, raw: "capture.media-elsewhere", args: #"{"call":"a@b"}"#)
    account.events.append(AccountEvent(end: "caller", record: ended, source: 1))
    #expect(Unknowns(account).sentences.contains { $0.hasSuffix("under another call (Call-ID a@b).") })
  }

  @Test(
    "durations are as short as they can be",
    arguments: [
      (0.0, "0 ms"), (586.4, "586 ms"), (4200, "4.2 s"), (9960, "10 s"), (31_000, "31 s"), (120_000, "2 min"),
      (252_000, "4 min 12 s"), (-130_000, "-2 min 10 s"), (3_723_000, "1 h 2 min"),
    ])
  func durations(_ ms: Double, _ text: String) {
    #expect(Measure.duration(ms) == text)
  }

  @Test("only what lies in the total is named as its longest part, and a restart is reported as a recovery")
  func setup() {
    func phase(_ name: PhaseName, _ from: Double, _ lasted: Double, waited: Double) -> Phase {
      var phase = Phase(name, .measured)
      (phase.startMs, phase.durationMs) = (SampleAccount.startMs + from, lasted)
      phase.waitedMs = waited
      return phase
    }
    var attempt = SetupAttempt(
      attempt: 1, direction: .outgoing, outcome: .dropped,
      phases: [
        phase(.gathering, 10, 140, waited: 10), phase(.ringing, 20, 1580, waited: 0),
        phase(.ice, 1600, 40, waited: 40),
      ])
    (attempt.startMs, attempt.setupMs, attempt.setupWallMs) = (SampleAccount.startMs, 66, 1646)
    var restart = SetupAttempt(attempt: 2, direction: .outgoing, outcome: .completed, phases: [])
    (restart.fromEvent, restart.setupMs, restart.setupWallMs) = (SetupAttempt.restart, 6557, 6557)
    var end = SampleAccount.end("caller", [])
    end.attempts = [attempt, restart]
    var account = SampleAccount.call(ends: [end])
    account.call.setupMs = 66
    account.call.ringingMs = 1580
    #expect(
      Self.narrative(account) == """
        Completed after 4:12. Setup took 66 ms, 40 ms of it finding a path (ICE); it rang for 1.6 s. \
        The connection was lost; an ICE restart brought it back in 6.6 s.
        """)
    #expect(SetupChart(attempt).rows.filter(\.isSlowest).map(\.name) == ["ice"])
    attempt.phases.removeLast()
    attempt.setupWallMs = 1600
    let longest = SetupChart(attempt).rows.first { $0.name == "gathering" }
    #expect(longest?.cause == "10 ms of it in the total, the rest beside a person's time")
    #expect(SetupWords.title(restart, of: end) == "ICE restart of the caller, attempt 2 (completed)")
  }
}
