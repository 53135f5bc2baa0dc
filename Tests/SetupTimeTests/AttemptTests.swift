import CallModel
import SetupTime
import Testing

@Suite("Attempts and how they ended")
struct AttemptTests {
  @Test("a second try after a failure is an attempt of its own; the hang-up in between is not")
  func twoAttempts() {
    let attempts = setupAttempts(
      of: script(
        "0 call.created", "10 sdp.offer-created", "500 call.failed", "600 call.ended",
        "1000 media.local-requested",
        "1100 media.local-acquired", "1200 call.created", "1500 call.established", "9000 call.ended",
        sdk: "w3c"))
    #expect(attempts.map(\.attempt) == [1, 2])
    #expect(attempts.map(\.outcome) == [.failed, .completed])
    #expect(attempts.last?.lasted(.capture) == 100)
    #expect(attempts.last?.setupMs == 300)
  }

  @Test("the order of the log does not matter")
  func shuffled() {
    let events = script(
      "0 call.created", "100 call.ringing", "900 call.established", "2000 call.ended", sdk: "x")
    #expect(setupAttempts(of: events.reversed()) == setupAttempts(of: events))
  }

  @Test("no call, no attempt")
  func none() {
    #expect(setupAttempts(of: []).isEmpty)
    #expect(
      setupAttempts(of: script("0 session.registered", "5 media.local-requested", "6 call.ended")).isEmpty)
  }

  @Test(
    "a log that begins amid a call tells how it ended, where something in it shows that it stood",
    arguments: [
      (["0 call.held", "9 call.resumed", "50 call.ended"], Outcome.completed),
      ([#"0 media.quality-reported {"score":"80"}"#, #"50 call.ended {"by":"local"}"#], .completed),
      (["0 call.held", #"50 call.ended {"code":"9906","outcome":"failed"}"#], .dropped),
      (["0 call.held", "50 call.failed"], .dropped),
    ])
  func amidCall(lines: [String], outcome: Outcome) {
    #expect(setupAttempts(of: script(lines)).map(\.outcome) == [outcome])
    #expect(setupAttempts(of: script(["0 session.connected", "50 call.ended"])).isEmpty)
  }

  @Test(
    "how it ended",
    arguments: [
      (["0 call.created", "9 call.established", "50 call.ended"], Outcome.completed),
      (["0 call.created", "9 call.established", "20 ice.disconnected", "50 call.ended"], .dropped),
      (
        ["0 call.created", "9 call.established", "20 ice.disconnected", "30 ice.connected", "50 call.ended"],
        .completed
      ),
      (["0 call.created", "9 call.established", "20 call.failed", "50 call.ended"], .dropped),
      (["0 call.created", "9 call.established"], .unknown),
      (["0 call.created", "9 call.ringing", #"50 call.ended {"by":"local"}"#], .cancelled),
      (["0 call.created", "9 call.ringing", #"50 call.failed {"outcome":"no-answer"}"#], .noAnswer),
      (["0 call.incoming", #"50 call.ended {"by":"remote"}"#], .noAnswer),
      (["0 call.created", "9 call.failed"], .failed),
      (["0 call.created", "5 ice.checking", "9 ice.connected", "50 call.ended"], .completed),
      (["0 token.requested", "50 call.ended"], .unknown),
      (["0 call.created", "9 call.ringing", "50 call.ended"], .unknown),
      (["0 call.incoming", "50 call.ended"], .unknown),
      (
        ["0 call.dialing", #"40 call.updated {"update":"end","result":"accepted"}"#, "50 call.ended"],
        .cancelled
      ),
      (["0 sdp.offer-sent", "9 call.established", #"50 call.ended {"answered":"false"}"#], .unknown),
      (
        ["0 sdp.offer-sent", "9 call.established", #"50 call.ended {"answered":"false","by":"local"}"#],
        .cancelled
      ),
      (
        ["0 sdp.offer-sent", "9 call.established", #"50 call.ended {"answered":"false","by":"remote"}"#],
        .rejected
      ),
      (["0 token.requested", #"50 call.ended {"outcome":"completed","by":"remote"}"#], .unknown),
      (["0 token.requested", #"50 call.failed {"outcome":"rejected"}"#], .rejected),
      (["0 token.requested", "5 sdp.offer-sent", #"50 call.ended {"by":"local"}"#], .cancelled),
      (
        ["0 sdp.offer-sent", "5 call.established", "6 ice.checking", "50 ice.failed", "51 call.failed"],
        .failed
      ),
      (
        ["0 sdp.offer-sent", "5 call.established", "6 ice.checking", "50 ice.failed", "51 call.ended"],
        .failed
      ),
    ])
  func outcomes(lines: [String], expected: Outcome) {
    let events = lines.flatMap { script($0, sdk: "x") }
    #expect(setupAttempts(of: events).first?.outcome == expected)
  }

  @Test(
    "what an SDK gave up for good is over, unless the log tells that it went on",
    arguments: [
      ([#"20 network.lost {"outcome":"dropped"}"#], Outcome.dropped),
      ([#"20 network.lost {"outcome":"dropped"}"#, "30 session.closed"], .dropped),
      ([#"20 network.lost {"outcome":"dropped"}"#, "30 network.reestablished"], .unknown),
      ([#"20 network.lost {"outcome":"dropped"}"#, "30 media.quality-reported"], .unknown),
      (["20 network.lost"], .unknown),
    ])
  func lostForGood(lines: [String], expected: Outcome) {
    #expect(
      setupAttempts(of: script(["0 call.created", "9 call.established"] + lines)).first?.outcome == expected)
  }

  @Test(
    "whom the server refused had no call, unless it was let in after all",
    arguments: [
      ([#"9 token.failed {"code":"404","outcome":"failed"}"#], Outcome.failed),
      ([#"9 token.failed {"code":"Nope"}"#], .failed),
      ([#"9 token.failed {"wants":"PIN"}"#], .unknown),
      ([#"9 token.failed {"wants":"PIN","code":"Invalid PIN","outcome":"rejected"}"#], .rejected),
      ([#"9 token.failed {"code":"503","outcome":"failed"}"#, "20 token.requested"], .unknown),
      (["9 conference.roster-synced", #"20 token.failed {"code":"403","outcome":"rejected"}"#], .unknown),
    ])
  func refused(lines: [String], expected: Outcome) {
    #expect(setupAttempts(of: script(["0 token.requested"] + lines)).first?.outcome == expected)
  }

  @Test(
    "answered, and its media never came up",
    arguments: [
      (
        ["0 call.created", "2 call.ringing", "9 call.answered", "20 ice.checking", "8000 call.ended"],
        Outcome.failed
      ),
      (
        [
          "0 call.incoming", "9 call.answered", "20 ice.checking", "30 ice.connected", "31 ice.connecting",
          #"9000 call.ended {"by":"remote"}"#,
        ], .failed
      ),
      (["0 sdp.answer-received", "20 ice.checking", "8000 call.ended"], .failed),
      (
        [
          "0 sdp.offer-received", "9 sdp.answer-created", "20 ice.checking",
          #"8000 call.ended {"by":"local"}"#,
        ],
        .failed
      ),
      (["0 call.created", "9 call.ringing", "20 call.media-pending", "12000 call.ended"], .failed),
    ])
  func answeredInVain(lines: [String], expected: Outcome) {
    let events = lines.flatMap { script($0, sdk: "w3c") }
    #expect(setupAttempts(of: events).first?.outcome == expected)
  }

  @Test("an SDK that tells its states and never says that the call is up")
  func answeredInVainByStates() {
    let events = [
      "0 call.created", "500 call.ringing", "4000 call.answered",
      #"14000 call.ended {"state":"CALLSTATES_ENDED","outcome":"completed","by":"local","tells_media":"true"}"#,
    ].flatMap { script($0, sdk: "kandy-link") }
    #expect(setupAttempts(of: events).first?.outcome == .failed)
  }

  @Test(
    "what is no answer, what was too short to tell, and what nobody followed are no failures",
    arguments: [
      // Hung up a second after the answer.
      (["0 call.created", "9 call.answered", "20 ice.checking", "1500 call.ended"], Outcome.cancelled),
      // Early media, which a SIP stack applies as an answer, and then nobody.
      (
        [
          "0 call.created", "9 call.early-media", "10 sdp.answer-received", "20 ice.checking",
          #"20000 call.ended {"by":"local"}"#,
        ],
        .cancelled
      ),
      (
        [
          "0 call.created", "9 call.ringing", "10 sdp.answer-received", "20 ice.checking",
          #"20000 call.ended {"by":"local"}"#,
        ],
        .cancelled
      ),
      (
        [
          "0 call.created", "9 sdp.provisional-answer-received", "20 ice.checking",
          #"20000 call.ended {"by":"remote"}"#,
        ], .rejected
      ),
      // The log says nothing of a connection, so that it misses nothing.
      (["0 call.created", "9 call.answered", "20000 call.ended"], .unknown),
      (["0 call.created", "9 call.answered", #"20000 call.ended {"outcome":"completed"}"#], .completed),
    ])
  func noFailure(lines: [String], expected: Outcome) {
    let events = lines.flatMap { script($0, sdk: "x") }
    #expect(setupAttempts(of: events).first?.outcome == expected)
  }

  @Test("answered, and media came: it stood, whatever the log missed")
  func mediaCame() {
    let events = script("0 call.created", "9 call.answered", "20 ice.checking", "20000 call.ended", sdk: "x")
    #expect(setupAttempts(of: events, receivedMedia: true).first?.outcome == .completed)
  }

  @Test("camera or microphone could not be had, and nothing but the end came of it")
  func noDevice() throws {
    let refused = #"2000 media.local-failed {"value":"NotAllowedError: Permission denied"}"#
    let lines = ["0 call.incoming", "9 call.answered", "10 media.local-requested", refused]
    let events = (lines + [#"2010 call.ended {"by":"local"}"#]).flatMap { script($0, sdk: "w3c") }
    let attempt = try #require(setupAttempts(of: events).first)
    #expect(attempt.outcome == .failed)
    #expect(attempt.deviceFailure == "camera or microphone refused (NotAllowedError)")
    let again = [
      "2020 media.local-requested", "2030 media.local-acquired", "2040 call.established", "9000 call.ended",
    ]
    let second = try #require(setupAttempts(of: (lines + again).flatMap { script($0, sdk: "w3c") }).first)
    #expect(second.outcome == .completed)
    #expect(second.deviceFailure == nil)
    let without = ["2020 sdp.answer-created", "2500 call.ended"]
    let third = try #require(setupAttempts(of: (lines + without).flatMap { script($0, sdk: "w3c") }).first)
    #expect(third.outcome != .failed)
  }

  @Test("both ends offered at once: the one that took its offer back is called")
  func glare() throws {
    let attempt = try #require(
      setupAttempts(
        of: script(
          "0 call.created", "20 sdp.offer-created", "30 sdp.local-set", "150 sdp.offer-received",
          "160 sdp.remote-set", "170 sdp.answer-created", "700 ice.connecting", "890 dtls.connected",
          "890 call.established", sdk: "w3c")
      ).first)
    #expect(attempt.direction == .incoming)
    #expect(attempt.state(.signalling) == .absent)
    #expect(attempt.lasted(.negotiation) == 10)
  }

  @Test("a refusal without a cause is a refusal")
  func rejectedWithoutCause() {
    let events = script(
      "0 call.created", "900 call.ringing", #"5000 call.failed {"by":"remote","stage":"rejected"}"#,
      sdk: "oracle-wsc")
    #expect(setupAttempts(of: events).first?.outcome == .rejected)
  }

  @Test("an ICE restart of a call that stood is its recovery, and the first attempt tells its setup")
  func restart() throws {
    let lines = [
      "0 call.created", "20 sdp.offer-created", "900 call.established", "10000 ice.disconnected",
      "15000 call.failed", "15010 ice.restarted", "15020 sdp.offer-created",
    ]
    let back = ["15701 call.established", "60000 call.ended"]
    let attempts = setupAttempts(of: (lines + back).flatMap { script($0, sdk: "w3c") })
    #expect(attempts.map(\.isRestart) == [false, true])
    #expect(attempts.last?.outcome == .completed)
    #expect(SetupAttempt.leading([attempts])?.setupMs == 900)
    let lost = setupAttempts(of: (lines + ["30000 call.ended"]).flatMap { script($0, sdk: "w3c") })
    #expect(lost.map(\.isRestart) == [false, true])
    #expect(lost.last?.outcome == .dropped, "it had stood: nobody cancelled it before it was answered")
  }

  @Test("a second offer after a first that never connected, and a call dialled anew, are no restarts")
  func noRestart() {
    let retried = ["0 call.created", "20 sdp.offer-created", "500 call.failed", "600 sdp.offer-created"]
    let again = setupAttempts(of: (retried + ["900 call.established"]).flatMap { script($0, sdk: "w3c") })
    #expect(SetupAttempt.leading([again])?.attempt == 2)
    let dialled = ["0 call.created", "100 call.established", "5000 call.failed", "6000 call.created"]
    let redialled = setupAttempts(
      of: (dialled + ["6300 call.established"]).flatMap { script($0, sdk: "w3c") })
    #expect(SetupAttempt.leading([redialled])?.setupMs == 300)
  }

  @Test("what is made anew after it was closed in good order does not tell the call's setup")
  func madeAnew() {
    let attempts = setupAttempts(
      of: script(
        "0 call.created", "443 call.established", "15000 call.ended", "15010 call.created",
        "15100 call.established", "36000 call.ended", sdk: "w3c"))
    #expect(attempts.map(\.setupMs) == [443, 90])
    #expect(SetupAttempt.leading([attempts])?.setupMs == 443)
  }

  @Test("a page that is loaded again closes nothing: its next connection is made while there are no streams")
  func loadedAgain() {
    let events = script(
      "0 call.created", "10 media.local-requested", "560 call.established", "16900 media.local-requested",
      "16910 call.created", "17010 call.established", "36000 call.ended", sdk: "w3c")
    let attempts = setupAttempts(of: events, gaps: [1_015_800...1_017_900])
    #expect(attempts.map(\.setupWallMs) == [560, 100])
    #expect(attempts.map(\.outcome) == [.unknown, .completed])
    #expect(SetupAttempt.leading([attempts])?.setupMs == attempts.first?.setupMs)
    #expect(setupAttempts(of: events).count == 1, "a second connection beside the first is no attempt")
    #expect(setupAttempts(of: events, gaps: [1_020_000...1_030_000]).count == 1)
  }
}
