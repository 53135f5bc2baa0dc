import CallModel
import SetupTime
import Testing

@Suite("Where the setup time went")
struct PhaseTests {
  @Test("an outgoing call of an SDK: the person who answered is not the system's time")
  func outgoing() throws {
    let attempt = try #require(
      setupAttempts(
        of: script(
          "0 call.created", "40 call.request-sent", "240 call.ringing", "5240 call.answered",
          "5300 sdp.remote-set",
          "5310 ice.checking", "5500 ice.connected", "5600 dtls.connected", "5610 call.established",
          "5650 media.first-packet", "65610 call.ended", sdk: "kandy-link")
      ).first)
    #expect(attempt.direction == .outgoing)
    #expect(attempt.outcome == .completed)
    #expect(attempt.lasted(.signalling) == 200)
    #expect(attempt.lasted(.ringing) == 5000)
    #expect(attempt.phase(.ringing)?.cause == "a person")
    #expect(attempt.lasted(.negotiation) == 60)
    #expect(attempt.lasted(.ice) == 190)
    #expect(attempt.lasted(.dtls) == 100)
    #expect(attempt.lasted(.firstPacket) == 50)
    #expect(attempt.postDialDelayMs == 240)
    #expect(attempt.setupWallMs == 5610)
    #expect(attempt.setupMs == 610)
    #expect(attempt.startMs == 1_000_000)
    #expect(attempt.fromEvent == .callCreated)
    #expect(!attempt.isFromOfferOn)
    #expect(attempt.state(.capture) == .unknown, "this SDK does not say when it asked for the camera")
    #expect(attempt.state(.firstFrame) == .unknown)
  }

  @Test(
    "the post-dial delay of a call that a capture tells is from the INVITE to ringing, or to the far end's tone",
    arguments: [
      (["0 call.request-sent", "1200 call.ringing", "6000 call.answered"], 1200.0),
      (["0 call.request-sent", "900 call.early-media", "1200 call.ringing", "6000 call.answered"], 900),
      (["0 call.request-sent", "6000 call.answered"], nil),
    ] as [([String], Double?)])
  func postDialDelay(lines: [String], expected: Double?) throws {
    let attempt = try #require(setupAttempts(of: lines.flatMap { script($0) }).first)
    #expect(attempt.direction == .outgoing)
    #expect(attempt.postDialDelayMs == expected)
  }

  @Test("an incoming call begins for this end when it is accepted")
  func incoming() throws {
    let attempt = try #require(
      setupAttempts(
        of: script(
          "0 call.incoming", "20 call.alerting", "4020 call.created", "4500 call.established", sdk: "x")
      ).first)
    #expect(attempt.direction == .incoming)
    #expect(attempt.lasted(.ringing) == 4020)
    #expect(attempt.setupMs == 480)
    #expect(attempt.setupWallMs == 4500)
    #expect(attempt.postDialDelayMs == nil)
    #expect(attempt.state(.signalling) == .absent)
  }

  @Test(
    "where nobody logged the answer, ringing and setup are unknown, not nothing and not all",
    arguments: [
      ["0 call.incoming", "9000 call.established", "30000 call.ended"],
      ["0 call.created", "500 call.ringing", "9500 call.established"],
    ])
  func unloggedAnswer(lines: [String]) throws {
    let attempt = try #require(setupAttempts(of: lines.flatMap { script($0, sdk: "cisco-rem") }).first)
    #expect(attempt.state(.ringing) == .unknown)
    #expect(attempt.phase(.ringing)?.cause == "the answer is not in the log: 9000 ms at most")
    #expect(attempt.setupMs == nil)
    #expect((attempt.setupWallMs ?? 0) >= 9000)
  }

  @Test("an SDK whose established is the answer, and an answer told by SDP, end the ringing")
  func answerInOtherWords() throws {
    let lines = ["0 call.created", "500 call.ringing", "4500 call.established"]
    let answer = ["0 call.created", "500 call.ringing", #"4500 call.established {"is_answer":true}"#]
    let rebtel = try #require(setupAttempts(of: answer.flatMap { script($0, sdk: "rebtel") }).first)
    #expect(rebtel.lasted(.ringing) == 4000)
    #expect(rebtel.setupMs == 500)
    let sdp = try #require(
      setupAttempts(of: (lines + ["4200 sdp.answer-received"]).flatMap { script($0, sdk: "x") }).first)
    #expect(sdp.lasted(.ringing) == 3700)
    #expect(sdp.setupMs == 800)
  }

  @Test("a call that was refused: what never began is absent, not 0 and not unknown")
  func busy() throws {
    let attempt = try #require(
      setupAttempts(
        of: script("0 call.created", "50 call.request-sent", #"350 call.failed {"outcome":"busy"}"#, sdk: "x")
      ).first)
    #expect(attempt.outcome == .busy)
    #expect(attempt.lasted(.signalling) == 300)
    #expect(attempt.phase(.signalling)?.toEvent == .callFailed)
    for name in [PhaseName.ringing, .negotiation, .ice, .dtls, .firstPacket, .firstFrame, .firstAudio] {
      #expect(attempt.state(name) == .absent, "\(name)")
    }
    #expect(attempt.setupMs == nil)
  }

  @Test("ICE failed: its time is shown where it went, and nothing after it happened")
  func iceFailed() throws {
    let attempt = try #require(
      setupAttempts(
        of: script(
          "0 call.created", "10 sdp.offer-created", "20 sdp.local-set", "60 sdp.answer-received",
          "70 ice.checking",
          "15070 ice.disconnected", "15071 call.failed", "17000 call.ended", sdk: "w3c")
      ).first)
    #expect(attempt.outcome == .failed)
    #expect(attempt.lasted(.ice) == 15001)
    #expect(attempt.phase(.ice)?.toEvent == .callFailed)
    #expect(attempt.phase(.ice)?.cause?.contains("failed here") == true)
    #expect(attempt.state(.dtls) == .absent)
    #expect(attempt.state(.ringing) == .unknown, "a PeerConnection knows nothing of ringing")
  }

  @Test("a phase of 0 ms is measured")
  func zero() throws {
    let attempt = try #require(
      setupAttempts(
        of: script("0 call.created", "5 ice.checking", "5 ice.connected", "5 dtls.connected", sdk: "w3c")
      ).first)
    #expect(attempt.lasted(.ice) == 0)
    #expect(attempt.lasted(.dtls) == 0)
  }

  @Test("where nothing splits ICE from DTLS, the sum stands alone")
  func unsplit() throws {
    let attempt = try #require(
      setupAttempts(
        of: script(
          "0 call.created", "10 ice.connecting", "500 dtls.connected", "500 call.established", sdk: "w3c")
      ).first)
    #expect(attempt.state(.ice) == .unknown)
    #expect(attempt.state(.dtls) == .unknown)
    #expect(attempt.lasted(.iceAndDtls) == 490)
  }

  @Test("trickle ICE: gathering overlaps with signalling, and both are whole")
  func overlap() throws {
    let attempt = try #require(
      setupAttempts(
        of: script(
          "0 call.created", "10 sdp.local-set", "12 ice.gathering-started", "100 sdp.answer-received",
          "130 ice.gathering-complete", "150 call.established", sdk: "w3c")
      ).first)
    #expect(attempt.lasted(.gathering) == 118)
    #expect(attempt.lasted(.signalling) == 90)
    #expect(attempt.setupMs == 150)
  }

  @Test("an end that was called gathers for its answer, not while it rings")
  func gatheringOfCallee() throws {
    func gathering(_ lines: String...) throws -> Phase {
      try #require(setupAttempts(of: script(lines, sdk: "x")).first?.phase(.gathering))
    }
    let logged = try gathering(
      "0 call.incoming", "100 call.alerting", "20000 call.answered", "20060 ice.gathering-complete",
      "20400 call.established")
    #expect(logged.durationMs == 60)
    #expect(logged.fromEvent == .callAnswered)
    #expect(logged.cause == nil)
    let created = try gathering(
      "0 call.incoming", "9000 call.answered", "9100 call.created", "9500 ice.gathering-complete",
      "9600 call.media-pending", "9700 call.established")
    #expect(created.durationMs == 400)
    let unanswered = try gathering("0 call.incoming", "50 ice.gathering-complete", "9000 call.answered")
    #expect(unanswered.state == .unknown)
    let started = try gathering(
      "0 call.incoming", "10 ice.gathering-started", "210 ice.gathering-complete", "9000 call.answered")
    #expect(started.durationMs == 200)
  }

  @Test("permission asked within the setup belongs to the user")
  func capture() throws {
    let attempt = try #require(
      setupAttempts(
        of: script(
          "0 call.created", "10 media.local-requested", "3010 media.local-acquired", "3500 call.established",
          sdk: "x")
      ).first)
    #expect(attempt.lasted(.capture) == 3000)
    #expect(attempt.setupMs == 500)
    #expect(attempt.setupWallMs == 3500)
  }

  @Test("vanilla ICE: gathering lasts until the request goes out, and a missing relay is named")
  func vanilla() throws {
    let first = try #require(
      setupAttempts(
        of: script(
          "0 call.created", #"2500 call.request-sent {"ice":"vanilla"}"#, "2600 call.ringing", sdk: "x")
      ).first)
    #expect(first.lasted(.gathering) == 2500)
    let second = try #require(
      setupAttempts(
        of: script(
          "0 call.created", #"5000 ice.gathering-complete {"result":"no-relay"}"#, "5010 call.request-sent",
          sdk: "x")
      ).first)
    #expect(second.phase(.gathering)?.cause == "ICE collection timed out without a relay candidate")
  }

  @Test("a handshake over a second has waited for its timer; TURN only is said")
  func causes() throws {
    let attempt = try #require(
      setupAttempts(
        of: script(
          #"0 call.created {"policy":"relay"}"#, "5 sdp.offer-created", "10 ice.checking", "40 ice.connected",
          "1090 dtls.connected", "1090 call.established", sdk: "w3c")
      ).first)
    #expect(attempt.phase(.dtls)?.cause?.hasPrefix("DTLS retransmission") == true)
    #expect(attempt.phase(.ice)?.cause?.hasPrefix("TURN only") == true)
  }

  @Test("events without a time bound nothing")
  func timeless() throws {
    let attempt = try #require(
      setupAttempts(of: script("- call.created", "- call.established", sdk: "x")).first)
    #expect(attempt.setupMs == nil)
    #expect(attempt.phases.allSatisfy { $0.state != .measured })
  }

  @Test("ICE of the end that called counts from the answer, however early a peer-reflexive candidate came")
  func lateAnswer() throws {
    let attempt = try #require(
      setupAttempts(
        of: script(
          "0 call.created", "30 call.request-sent", "1100 ice.checking", "1500 call.ringing",
          "2600 sdp.answer-received", "2630 sdp.remote-set", "2631 ice.connected", "2640 dtls.connected",
          "2640 call.established", sdk: "w3c")
      ).first)
    #expect(attempt.lasted(.ice) == 31)
    #expect(attempt.phase(.ice)?.fromEvent == .sdpAnswerReceived)
    #expect(attempt.phase(.ice)?.cause == nil)
  }

  static let called = [
    "0 call.incoming", "1000 call.answered", "1030 sdp.offer-received", "1040 sdp.remote-set",
    "1050 sdp.answer-created", "1060 ice.checking", "1070 ice.connected", "2580 dtls.connected",
    "2580 call.established",
  ]

  @Test("DTLS of the end that was called waits until the caller has the answer: known where both ends tell")
  func heldAnswer() throws {
    let events = Self.called.flatMap { script($0, sdk: "w3c") }
    let known = try #require(setupAttempts(of: events, answersReceivedMs: [1_002_570]).first)
    #expect(known.lasted(.dtls) == 10)
    #expect(known.phase(.dtls)?.cause == nil)
    #expect(known.lasted(.signalling) == 1520)
    let alone = try #require(setupAttempts(of: events).first)
    #expect(alone.lasted(.dtls) == 1510)
    #expect(alone.phase(.dtls)?.cause?.contains("or the answer reached the far end late") == true)
    let short = try #require(setupAttempts(of: events, answersReceivedMs: [1_001_100]).first)
    #expect(short.state(.signalling) == .absent, "30 ms of 1.5 s explain nothing")
    let prompt = try #require(setupAttempts(of: events, answersReceivedMs: [1_001_055]).first)
    #expect(prompt.phase(.dtls)?.cause?.hasPrefix("DTLS retransmission") == true)
  }

  @Test("video that a later offer added has no part in the setup of an audio call")
  func upgrade() throws {
    let lines = [
      "0 call.created", #"20 media.remote-stream {"kind":"audio"}"#, "100 dtls.connected",
      "100 call.established",
      #"120 media.first-packet {"kind":"audio"}"#, "304000 sdp.offer-received",
      #"304010 media.remote-stream {"kind":"video"}"#, "304900 media.first-frame",
    ]
    let attempt = try #require(setupAttempts(of: lines.flatMap { script($0, sdk: "w3c") }).first)
    #expect(attempt.state(.firstFrame) == .absent)
    #expect(attempt.lasted(.firstPacket) == 20)
  }

  /// The same, stamped by a clock of whole seconds.
  private func wholeSeconds(_ lines: String...) -> [EventRecord] {
    script(lines, sdk: "w3c").map { event in
      var event = event
      event.clockStepMs = 1000
      return event
    }
  }

  @Test("one step of a clock of whole seconds is no duration, and has no cause", arguments: [0, 1000])
  func oneStep(step: Int) throws {
    let attempt = try #require(
      setupAttempts(
        of: wholeSeconds(
          "0 sdp.offer-created", "0 sdp.answer-received", "0 ice.checking", "0 ice.connected",
          "\(step) dtls.connected", "\(step) call.established", "31000 call.ended")
      ).first)
    #expect(attempt.state(.dtls) == .unknown)
    #expect(
      attempt.phase(.dtls)?.cause
        == "too short for a clock of whole seconds: less than \(step == 0 ? 1 : 2) s")
    #expect(attempt.phase(.dtls)?.isBelowClock == true)
    #expect(attempt.setupMs == nil)
    #expect(attempt.setupWallMs == nil)
    #expect(attempt.isBelowClock)
    #expect(attempt.outcome == .completed)
  }

  @Test(
    "what took longer than a clock of whole seconds is off by is measured, and slow where it must have been")
  func moreSteps() throws {
    let attempt = try #require(
      setupAttempts(
        of: wholeSeconds(
          "0 call.created", "0 sdp.offer-created", "0 sdp.answer-received", "0 ice.checking",
          "2000 ice.connected",
          "5000 dtls.connected", "5000 call.established")
      ).first)
    #expect(attempt.lasted(.ice) == 2000)
    #expect(attempt.phase(.ice)?.cause?.hasPrefix("slow") == true)
    #expect(attempt.phase(.dtls)?.cause?.hasPrefix("DTLS retransmission") == true)
    #expect(attempt.setupMs == 5000)
    #expect(attempt.isOfWholeSeconds)
    #expect(!attempt.isBelowClock)
  }

  @Test("what a phase spent beside ringing or a permission is not in the total")
  func counted() throws {
    let attempt = try #require(
      setupAttempts(
        of: script(
          "0 call.created", "10 call.request-sent", "12 ice.gathering-started", "30 call.ringing",
          "150 ice.gathering-complete", "1600 call.answered", "1620 sdp.remote-set", "1650 call.established",
          sdk: "x")
      ).first)
    let gathering = try #require(attempt.phase(.gathering))
    #expect(attempt.setupMs == 80)
    #expect(gathering.durationMs == 138)
    #expect(gathering.waitedMs == 18)
    let prompt = try #require(
      setupAttempts(
        of: script(
          "0 call.incoming", "1000 call.answered", "1001 media.local-requested", "4000 media.local-acquired",
          "4050 sdp.remote-set", "4090 call.established", sdk: "x")
      ).first)
    let negotiation = try #require(prompt.phase(.negotiation))
    #expect(negotiation.durationMs == 3050)
    #expect(negotiation.waitedMs == 51)
  }

  @Test("media pending until they flow, by the states of an SDK that tells neither ICE nor DTLS")
  func mediaPending() throws {
    let lines = ["0 call.dialing", "1000 call.ringing", "5000 call.media-pending"]
    let established = try #require(
      setupAttempts(of: script(lines + ["17000 call.established"], sdk: "x")).first)
    #expect(established.lasted(.iceAndDtls) == 12_000)
    #expect(established.lasted(.ringing) == 4000)
    let ended = try #require(setupAttempts(of: script(lines + ["28000 call.ended"], sdk: "x")).first)
    #expect(ended.phase(.iceAndDtls)?.cause == "given up here: the SDK was still waiting for media")
    let logged = lines + ["5100 ice.checking", "6000 ice.connected", "17000 call.established"]
    #expect(setupAttempts(of: script(logged, sdk: "x")).first?.phase(.iceAndDtls) == nil)
  }

}
