import Testing

@testable import Probing

@Suite("A plan of calls")
struct PlanTests {
  private func plan(_ text: String) throws -> ProbePlan { try ProbePlan(json: Array(text.utf8)) }

  @Test("has every scenario under every impairment, repeated, each with its own name and seed")
  func product() throws {
    let plan = try plan(
      #"""
      {"scenarios": [{"name": "a"}, {"name": "b", "video": false}], "impairments": [{"name": "x"}, {"name": "y"}],
       "repetitions": 2}
      """#)
    #expect(plan.calls.map(\.id) == ["a-x-1", "a-x-2", "a-y-1", "a-y-2", "b-x-1", "b-x-2", "b-y-1", "b-y-2"])
    #expect(Set(plan.calls.map(\.seed)).count == 8)
    #expect(plan.calls.map(\.isWithVideo) == [true, true, true, true, false, false, false, false])
  }

  @Test("without scenarios or impairments is one clean call")
  func empty() throws {
    #expect(try plan("{}").calls.map(\.id) == ["call-clean"])
  }

  @Test("may have comments, several pages, and media of its own")
  func pages() throws {
    let pages = (1...3).map { #"{"name": "p\#($0)", "url": "https://x.example/\#($0)"}"# }
    let plan = try plan(
      #"{"_": "who", "scenarios": [{"name": "a", "microphone": "v.wav", "pages": ["#
        + pages.joined(separator: ",") + "]}]}")
    #expect(plan.calls[0].scenario.pages?.count == 3 && plan.calls[0].scenario.microphone == "v.wav")
    #expect(plan.calls[0].mustConnect)
  }

  @Test("may name the browser of each page, also of the probe's own")
  func browsers() throws {
    let plan = try plan(
      #"""
      {"scenarios": [{"name": "own", "pages": [{"name": "a", "browser": "firefox"}, {"name": "b"}]},
        {"name": "app", "pages": [{"name": "a", "url": "https://x.example/"}]}]}
      """#)
    #expect(plan.calls.map(\.scenario.isOwn) == [true, false])
    #expect(plan.calls.map(\.scenario.browsers) == [[.firefox, .chromium], [.chromium]])
    #expect(plan.browsers == [.firefox, .chromium])
    #expect(try self.plan("{}").browsers == [.chromium])
  }

  @Test("takes an impairment's expectation before the scenario's, member by member")
  func expectations() throws {
    let plan = try plan(
      #"""
      {"scenarios": [{"name": "a", "expect": {"outcome": "completed", "min_score": 80}}],
       "impairments": [{"name": "x", "expect": {"min_score": 50}}]}
      """#)
    #expect(plan.calls[0].expectation == .init(outcome: "completed", min_score: 50, max_setup_ms: nil))
  }

  @Test("has the initial impairments as its first phase, for either direction")
  func phases() throws {
    let plan = try plan(
      #"""
      {"impairments": [{"name": "x", "to_caller": {"loss": 0.1},
        "changes": [{"at_s": 5, "both": {"blackhole": true}}, {"at_s": 6}]}]}
      """#)
    let phases = plan.calls[0].network.phases
    #expect(phases.map(\.at_s) == [0, 5, 6])
    #expect(phases[0].impairment(of: .toCaller).loss == 0.1)
    #expect(phases[0].impairment(of: .fromCaller) == Impairment())
    #expect(phases[1].impairment(of: .fromCaller).blackhole == true)
    #expect(phases[2].impairment(of: .toCaller) == Impairment())
  }

  @Test(
    "is refused with words that name what is wrong",
    arguments: [
      ("[]", "not a plan"), (#"{"impairments": [{"name": "x", "both": {"loss": 8}}]}"#, "`loss` is a share"),
      (#"{"scenarios": [{}]}"#, "`name` is missing"),
      (#"{"scenarios": [{"name": "../x"}]}"#, "a name has letters"),
      (#"{"scenarios": [{"name": "a"}, {"name": "a"}]}"#, "one name"),
      (#"{"repetitions": 0}"#, "repetitions"),
      (#"{"impairments": [{"name": "x", "both": {"losss": 0.1}}]}"#, "did you mean `loss`?"),
      (#"{"scenarois": []}"#, "did you mean `scenarios`?"),
      (
        #"{"scenarios": [{"name": "a", "expect": {"best_of": 3}}]}"#,
        "there are max_setup_ms, min_score, outcome"
      ),
      (#"{"scenarios": [{"name": "a", "expect": {"outcome": "complete"}}]}"#, "did you mean `completed`?"),
      (#"{"scenarios": [{"name": "a", "expect": {"min_score": 101}}]}"#, "`min_score` is from 0 to 100"),
      (#"{"scenarios": [{"name": "a", "pages": [{"name": "p", "url": "file:///x"}]}]}"#, "http://"),
      (
        #"{"scenarios": [{"name": "a", "pages": [{"name": "p", "browser": "fierfox"}]}]}"#,
        "did you mean `firefox`?"
      ),
      (
        #"{"scenarios": [{"name": "a", "pages": [{"name": "p", "brwser": "firefox"}]}]}"#,
        "did you mean `browser`?"
      ),
      (#"{"scenarios": [{"name": "a", "turn": "tpc"}]}"#, "`tpc` is no transport: did you mean `tcp`?"),
      (#"{"scenarios": [{"name": "a", "pages": [{"name": "p"}]}]}"#, "without `url`, are two"),
      (
        #"{"scenarios": [{"name": "a", "pages": [{"name": "p", "url": "http://x"}, {"name": "q"}]}]}"#,
        "http://"
      ),
      (
        #"{"scenarios": [{"name": "a", "camera": "x.y4m", "pages": [{"name": "p", "browser": "firefox","#
          + #" "url": "http://x"}]}]}"#, "only Chromium takes"
      ),
      (#"{"impairments": [{"name": "x", "changes": [{"at_s": 5}, {"at_s": 4}]}]}"#, "`at_s` grows"),
      (
        #"{"repetitions": 1000, "scenarios": [{"name": "a"}, {"name": "b"}], "impairments": [{"name": "1"},"#
          + #"{"name": "2"}, {"name": "3"}, {"name": "4"}, {"name": "5"}, {"name": "6"}]}"#, "more than"
      ),
    ])
  func refused(_ text: String, _ words: String) throws {
    let error = #expect(throws: ProbeError.self) { try plan(text) }
    #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
  }
}
