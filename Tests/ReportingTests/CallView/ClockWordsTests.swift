import CallModel
import Testing

@testable import CallViews
@testable import Rendering

@Suite("An end whose clock is off is named")
struct ClockWordsTests {
  @Test("with how far off it is; an end of which only that is known that it is off is not")
  func named() {
    var account = SampleAccount.call(ends: [])
    func skewed(_ end: String, _ evidence: String) -> AccountFinding {
      AccountFinding(end: end, finding: Finding("clock-skew", .warning, evidence: evidence, text: ""))
    }
    account.findings = [
      skewed("callee", #"{"skew_ms":5000,"clock_ms":5000}"#), skewed("caller", #"{"at_least_ms":900}"#),
    ]
    #expect(
      ClockWords.sentences(account)
        == ["Times of the callee are on the call's clock; its own is 5 s ahead."])
  }
}
