import Testing

@testable import Reporting

@Suite("Labels of calls")
struct LabelPlaceTests {
  private static func run(_ name: String, lost: Double) -> RunFigures {
    var run = RunFigures(run: name)
    run.runs["web"] = name
    run.dimensions = ["network type"]
    run.calls["web"] = (0..<80).map { index in
      let isBerlin = index % 4 == 0
      var call = ComparedCall(
        sdk: "web", scenario: nil, score: 90 - Double(index % 7) - (isBerlin ? lost : 0), setupMs: nil,
        isPoor: false, isBroken: false, traits: ["wifi"])
      // The first calls of the baseline bear their labels in another order.
      let labels = [
        CallLabel(name: "site", value: isBerlin ? "berlin" : "oslo"), CallLabel(name: "rack", value: "7"),
      ]
      call.labels = index < 9 ? labels.reversed() : labels
      return call
    }
    return run
  }

  @Test("a change is looked for in the labels too, and named as they were given")
  func place() {
    let comparison = Comparison(candidate: Self.run("b", lost: 30), baseline: Self.run("a", lost: 0), seed: 1)
    let text = Sentences(judgement: NightJudgement(comparison, gates: [])).all().joined(separator: "\n")
    #expect(text.contains("sits in calls with label site=berlin: −30.0 points over 20 calls"), "\(text)")
  }

  @Test("where nothing stands out labels are named with the rest, and calls without any are not missed")
  func alike() {
    var (now, before) = (Self.run("b", lost: 0), Self.run("a", lost: 0))
    func text() -> String {
      let comparison = Comparison(candidate: now, baseline: before, seed: 1)
      return Sentences(judgement: NightJudgement(comparison, gates: [])).all().joined(separator: "\n")
    }
    #expect(text().contains("No label stands out"), "\(text())")
    for index in now.calls["web", default: []].indices { now.calls["web"]?[index].labels = [] }
    before.calls["web"] = now.calls["web"]
    #expect(!text().contains("label"), "\(text())")
  }
}
