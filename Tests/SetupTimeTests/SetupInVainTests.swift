import CallModel
import SetupTime
import Testing

@Suite("Setups that came to nothing, and where they stopped")
struct SetupInVainTests {
  private func attempts(_ lines: [String]) -> [SetupAttempt] {
    setupAttempts(of: lines.flatMap { script($0, sdk: "w3c") })
  }

  @Test("an answer that never came: the time is the signalling's, and ICE of this end did not begin")
  func answerLost() throws {
    let lines = [
      "0 call.created", "10 sdp.offer-created", "20 sdp.local-set", "600 ice.checking", "600 ice.connecting",
      "26000 call.ended",
    ]
    let attempt = try #require(attempts(lines).first)
    #expect(attempt.outcome == .cancelled)
    #expect(attempt.lasted(.signalling) == 25_980)
    #expect(
      attempt.phase(.signalling)?.cause == "given up here: the far end's checks had come, and no answer")
    #expect([attempt.state(.ice), attempt.state(.dtls)] == [.absent, .absent])
    let captured = try #require(attempts(lines + ["640 ice.connected", "650 dtls.started"]).first)
    #expect(
      [captured.state(.ice), captured.state(.dtls)] == [.absent, .absent], "the far end's checks and hellos")
    let answered = try #require(attempts(lines + ["500 sdp.answer-received"]).first)
    #expect(answered.lasted(.ice) == 25_400)
    #expect(answered.phase(.signalling)?.cause == nil)
  }

  @Test("no candidate at all: nothing was checked, and a hang-up after long waiting is a failure")
  func noCandidates() throws {
    let refusal =
      #"90 ice.candidate-error {"url":"turn:h:3478","error_code":401,"error_text":"Unauthorized."}"#
    let lines = [
      "0 call.created", "10 sdp.offer-created", "20 sdp.local-set", "30 ice.gathering-started", refusal,
      "130 ice.gathering-complete", "200 sdp.answer-received", "210 sdp.remote-set",
    ]
    let attempt = try #require(attempts(lines + ["20200 call.ended"]).first)
    #expect(attempt.outcome == .failed)
    #expect([attempt.state(.ice), attempt.state(.dtls)] == [.absent, .absent])
    #expect(
      attempt.phase(.gathering)?.cause == "no relay: the TURN server turn:h:3478 refused (401 Unauthorized)")
    #expect(attempts(lines + ["1200 call.ended"]).first?.outcome == .cancelled)
    #expect(attempts(lines).first?.outcome == .unknown)
    let host = #"60 ice.candidate {"candidate_type":"host"}"#
    #expect(attempts(lines + [host, "20200 call.ended"]).first?.outcome == .unknown)
  }

  private let refused = [
    "0 media.local-requested",
    #"40 media.local-failed {"name":"NotAllowedError","message":"Permission denied"}"#,
  ]

  @Test("camera refused, and the page says that the call is over: that is a call that failed")
  func refusedAtOnce() throws {
    var hangUp = script(#"50 call.ended {"reason":"error"}"#, sdk: "w3c")
    hangUp[0].raw = "hangup"
    let look = refused.flatMap { script($0, sdk: "w3c") }
    let attempt = try #require(setupAttempts(of: look + hangUp).first)
    #expect(attempt.outcome == .failed)
    #expect(attempt.deviceFailure == "camera or microphone refused (NotAllowedError)")
    #expect(setupAttempts(of: look) == [], "a look at the camera is no call")
    hangUp[0].raw = "close"
    #expect(setupAttempts(of: look + hangUp) == [], "what is closed is a connection of before")
  }

  @Test("camera refused, and asked again for sound alone: the asking ends when there is something")
  func askedAgain() throws {
    let lines = refused + ["42 media.local-requested", "660 media.local-acquired", "700 call.created"]
    let capture = try #require(attempts(lines + ["900 sdp.offer-created"]).first?.phase(.capture))
    #expect(capture.durationMs == 660)
    #expect(capture.cause == "camera or microphone refused (NotAllowedError) at first, and asked again")
    #expect(capture.isRefused)
    let later = refused + ["700 call.created", "9000 media.local-requested", "9500 media.local-acquired"]
    #expect(attempts(later).first?.lasted(.capture) == 40, "what is asked for in the call is another matter")
    let inVain = refused + ["42 media.local-requested", "700 call.created"]
    #expect(attempts(inVain).first?.lasted(.capture) == 40)
  }

  @Test("both ends offered at once, by logs that tell only that descriptions were asked for")
  func glare() throws {
    let yielded = [
      "0 call.created", "20 sdp.offer-requested", "30 sdp.local-set", "35 sdp.offer-received",
      "37 sdp.remote-set", "38 sdp.answer-requested", "40 sdp.local-set",
    ]
    #expect(attempts(yielded).first?.direction == .incoming)
    let renegotiated =
      ["0 call.created", "20 sdp.offer-requested", "30 sdp.answer-received"] + [
        "9000 sdp.offer-received", "9010 sdp.answer-requested",
      ]
    #expect(attempts(renegotiated).first?.direction == .outgoing)
  }

  @Test(
    "an SDK asks for the camera in silence once it dials: the time until it is refused is that of the capture"
  )
  func refusedWhileDialling() throws {
    let failed = #"7600 media.local-failed {"kind":"all","value":"NotAllowedError"}"#
    let lines = ["0 call.dialing", failed, #"7602 call.failed {"code":"USER_MEDIA","outcome":"failed"}"#]
    let attempt = try #require(setupAttempts(of: script(lines, sdk: "x")).first)
    #expect(attempt.outcome == .failed)
    #expect(attempt.state(.signalling) == .absent)
    #expect(attempt.lasted(.capture) == 7600)
    #expect(attempt.deviceFailure == "camera or microphone refused (NotAllowedError)")
    let camera = #"900 media.local-failed {"kind":"video","value":"NotFoundError"}"#
    let nobody = #"1100 call.failed {"code":"NOT_FOUND","outcome":"failed"}"#
    let other = try #require(setupAttempts(of: script(["0 call.dialing", camera, nobody], sdk: "x")).first)
    #expect(other.lasted(.signalling) == 1100, "it failed of something else")
    #expect(other.state(.capture) == .unknown)
    #expect(other.deviceFailure == nil)
  }

}
