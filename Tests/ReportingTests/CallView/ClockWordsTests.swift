import CallModel
import Testing

@testable import CallViews

@Suite("An end whose clock is off is named")
struct ClockWordsTests {
  @Test("with how far off it is; an end of which only that is known that it is off is not")
  func named() {
    var account = SampleAccount.call(ends: [])
    func skewed(_ end: String, _ evidence: String) -> AccountFinding {
      AccountFinding(
        end: end, finding: Finding(.clockSkew, .warning, evidence: Evidence(json: evidence), text: ""))
    }
    account.findings = [
      skewed("callee", #"{"skew_ms":5000,"clock_ms":5000}"#), skewed("caller", #"{"at_least_ms":900}"#),
    ]
    #expect(
      ClockWords.sentences(account)
        == ["Times of the callee are on the call's clock; its own is 5 s ahead."])
  }

  @Test("and shown on the clock of the call: windows and findings by its end, events by their source")
  func aligned() throws {
    func moved(_ ms: Double) -> EndAccount {
      var end = SampleAccount.end("callee", [SampleAccount.window(0), SampleAccount.window(1)])
      for place in end.windows.indices {
        end.windows[place].startMs += ms
        end.windows[place].endMs += ms
      }
      end.spans = [
        MediaSpan(.outage, .audio, from: SampleAccount.startMs + ms, to: SampleAccount.startMs + ms + 3000)
      ]
      return end
    }
    var silence = Finding(.oneWayAudio, .error, evidence: Evidence(), text: "")
    silence.startMs = SampleAccount.startMs + 60_500
    var account = SampleAccount.call(
      ends: [SampleAccount.end("caller", [SampleAccount.window(0)]), moved(60_000)],
      findings: [
        AccountFinding(
          end: "callee",
          finding: Finding(
            .clockSkew, .warning, evidence: Evidence(json: #"{"skew_ms":60000,"clock_ms":60000}"#), text: "")),
        AccountFinding(end: "callee", finding: silence),
      ],
      events: [
        SampleAccount.event(.callEnded, atMs: 9000),
        SampleAccount.event(.callEstablished, end: "callee", atMs: 60_100),
      ])
    account.events[1].source = 2
    account.sources = [1, 2].map { key in
      SourceFacts(
        key: key, path: "\(key)", status: "imported", skewMs: key == 2 ? 60_000 : nil, rejected: 0, notes: [])
    }
    account.alignClocks()
    #expect(account.ends[1].windows.map(\.startMs) == moved(0).windows.map(\.startMs))
    #expect(account.ends[1].spans == moved(0).spans)
    #expect(account.ends[0].windows.first?.startMs == SampleAccount.startMs)
    #expect(account.findings[1].finding.startMs == SampleAccount.startMs + 500)
    #expect(account.events.map(\.record.timeMs) == [100, 9000].map { SampleAccount.startMs + $0 })
  }
}
