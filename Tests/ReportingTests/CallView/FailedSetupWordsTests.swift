import CallModel
import Testing

@testable import CallViews

@Suite("What is said of a call that never came up")
struct FailedSetupWordsTests {
  @Test("where ICE never connected, what was tried is said")
  func blackhole() {
    let candidate = { (type: String) in
      SampleAccount.event(.iceCandidate, args: "{\"candidate_type\":\"\(type)\",\"protocol\":\"udp\"}")
    }
    let account = SampleAccount.call(
      outcome: .failed, ends: [SampleAccount.end("caller", [])],
      events: [
        candidate("host"), candidate("srflx"), candidate("host"), SampleAccount.event(.iceChecking),
        SampleAccount.event(.iceFailed, atMs: 15_000),
      ])
    let text = NarrativeTests.narrative(account)
    #expect(text.contains("ICE never connected"))
    #expect(
      text.contains(
        "For 15 s the caller tried 2 host/udp candidates and 1 srflx/udp candidate, but no relay (TURN)."))
  }

  @Test("candidates were not tried where the far end never sent its own")
  func untried() {
    let account = SampleAccount.call(
      outcome: .failed, ends: [SampleAccount.end("caller", [])],
      events: [SampleAccount.event(.iceCandidate, args: #"{"candidate_type":"host","protocol":"udp"}"#)])
    #expect(NarrativeTests.narrative(account) == "Failed: the call was never connected.")
  }

  @Test("where ICE found a path and DTLS did not finish, DTLS is named")
  func noKeys() {
    let account = SampleAccount.call(
      outcome: .failed, ends: [SampleAccount.end("caller", [])],
      events: [
        SampleAccount.event(.iceCandidate, args: #"{"candidate_type":"host","protocol":"udp"}"#),
        SampleAccount.event(.iceChecking), SampleAccount.event(.iceConnected),
      ])
    let text = NarrativeTests.narrative(account)
    #expect(text.contains("DTLS never connected"))
    #expect(!text.contains("ICE never"))
    #expect(!text.contains("tried"))
  }

  @Test("an answer that never came is the problem, not the way that both ends had")
  func noAnswer() {
    let words = "The other end's checks came for 25 s, but no answer to the offer."
    let account = SampleAccount.call(
      outcome: .failed, ends: [SampleAccount.end("callee", []), SampleAccount.end("caller", [])],
      findings: [("answer-not-received", "caller", words), ("dtls-never-connected", "callee", "no keys")].map
      {
        AccountFinding(end: $0.1, finding: Finding(named: $0.0, .error, evidence: Evidence(), text: $0.2))
      },
      events: [SampleAccount.event(.iceChecking), SampleAccount.event(.iceConnected)])
    #expect(
      NarrativeTests.narrative(account) == "Failed: the call was never connected. At the caller: \(words)")
  }

  @Test("a handshake that hung until the recording ended is named")
  func hungKeys() {
    let finding = Finding(.dtlsNeverConnected, .error, evidence: Evidence(), text: "no keys")
    let account = SampleAccount.call(
      outcome: .unknown, ends: [SampleAccount.end("caller", [])],
      findings: [AccountFinding(end: "caller", finding: finding)])
    let text = NarrativeTests.narrative(account)
    #expect(text.contains("DTLS never connected: the handshake for the keys did not finish"))
    #expect(!text.contains("no keys"))
  }

  @Test("a camera that was refused is named, with whose it was")
  func refused() {
    var capture = Phase(.capture, .measured)
    (capture.startMs, capture.durationMs, capture.toEvent) = (
      SampleAccount.startMs, 2000, .mediaLocalFailed
    )
    capture.cause = "camera or microphone refused (NotAllowedError)"
    var end = SampleAccount.end("callee", [])
    end.attempts = [SetupAttempt(attempt: 1, direction: .incoming, outcome: .failed, phases: [capture])]
    #expect(
      NarrativeTests.narrative(SampleAccount.call(outcome: .failed, ends: [end]))
        == "Failed: the call was never connected. The callee: camera or microphone refused (NotAllowedError)."
    )
  }

  @Test("answered in vain, by a log without ICE and DTLS")
  func answeredInVain() {
    let account = SampleAccount.call(outcome: .failed, events: [SampleAccount.event(.callMediaPending)])
    #expect(NarrativeTests.narrative(account).contains("It was answered, but its media never connected"))
  }

  @Test("answered and given up at once is not called unanswered")
  func cancelledAfterTheAnswer() {
    let account = SampleAccount.call(outcome: .cancelled, events: [SampleAccount.event(.callAnswered)])
    #expect(NarrativeTests.narrative(account) == "Cancelled before it was connected.")
  }

  @Test("a code that is its own reason is said once")
  func saidOnce() {
    var account = SampleAccount.call(outcome: .dropped)
    (account.call.endCode, account.call.endReason) = ("Media connectivity lost", "Media connectivity lost")
    #expect(NarrativeTests.narrative(account) == "Dropped after 4:12 (Media connectivity lost).")
  }
}
