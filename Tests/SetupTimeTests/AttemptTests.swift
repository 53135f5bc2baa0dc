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
}
