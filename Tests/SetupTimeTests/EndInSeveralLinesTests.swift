import CallModel
import SetupTime
import Testing

@Suite("An end that a log tells in several lines")
struct EndInSeveralLinesTests {
  private let rung = ["0 call.created", "1000 call.ringing"]

  private func attempt(_ lines: [String]) -> SetupAttempt? { setupAttempts(of: script(lines)).last }

  @Test(
    "the code on the line after the end belongs to it",
    arguments: [
      (#"4001 call.ended {"code":"603","outcome":"rejected"}"#, Outcome.rejected),
      (#"- call.ended {"code":"486","outcome":"busy"}"#, .busy),
      (#"4001 call.ended {"by":"remote"}"#, .rejected),
      (#"9000 call.ended {"code":"603","outcome":"rejected"}"#, .unknown),
    ])
  func codeBehind(line: String, outcome: Outcome) {
    #expect(attempt(rung + ["4000 call.ended", line])?.outcome == outcome)
    #expect(
      attempt(rung + ["4000 call.failed {\"stage\":\"rejected\"}", line])?.outcome
        == (outcome == .unknown ? .rejected : outcome))
  }

  @Test("an end without a time is followed by the same end, not by what comes long after")
  func withoutTime() {
    let said = #"4000 call.ended {"by":"local"}"#
    let late = #"9000 call.ended {"code":"603","outcome":"rejected"}"#
    #expect(attempt(rung + ["- call.ended", said, late])?.outcome == .cancelled)
  }

  @Test("so does the error of a call that stood, and the first line gives the time")
  func established() {
    let lines =
      rung + [
        "3000 call.established", "9000 call.ended", #"9001 call.ended {"code":"9906","outcome":"dropped"}"#,
      ]
    #expect(attempt(lines)?.outcome == .dropped)
    let events = script(lines)
    #expect(endingEvent(of: events)?.argument("code") == "9906")
  }

  @Test("a call that failed was over when it failed, not when its object went away")
  func failure() {
    let up = rung + ["3000 call.established"]
    #expect(CallTimes(script(up + ["9000 call.failed", "9500 call.ended"]))?.overMs == 1_009_000)
    #expect(CallTimes(script(up + ["9000 call.ended", "9500 call.ended"]))?.overMs == 1_009_500)
    #expect(CallTimes(script(up + ["9000 call.failed", "12000 call.ended"]))?.overMs == 1_012_000)
  }

  @Test("what contradicts the outcome is no word on the end, nor is that of an earlier attempt")
  func words() {
    let late =
      rung + [
        #"4000 call.failed {"code":"486","outcome":"busy"}"#,
        #"9000 call.ended {"code":"487","outcome":"cancelled"}"#,
      ]
    #expect(attempt(late)?.outcome == .busy)
    #expect(endingEvent(of: script(late))?.argument("code") == "486")
    let again = late + ["12000 call.created", "14000 call.established", "20000 call.ended"]
    #expect(attempt(again)?.outcome == .completed)
    #expect(endingEvent(of: script(again)) == nil)
  }

  @Test("no span is measured from or to a time that an event borrows")
  func borrowed() throws {
    let found = try #require(
      attempt(["0 call.created", #"0 call.established {"time_borrowed":true}"#, "9000 call.ended"]))
    #expect(found.setupMs == nil && found.setupWallMs == nil)
    #expect(found.outcome == .completed)
  }
}
