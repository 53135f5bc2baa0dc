import Testing

@testable import Reporting

@Suite("What falls in every SDK is blamed on none of them")
struct SharedPlaceTests {
  /// 120 calls of each of five SDKs over ten trunks; what a call loses is as the body says.
  private static func run(_ name: String, lost: (_ sdk: Int, _ trunk: Int) -> Double = { _, _ in 0 })
    -> RunFigures
  {
    var (run, random) = (RunFigures(run: name), SeededRandom(seed: UInt64(name.utf8.first ?? 0)))
    run.dimensions = ["network type"]
    for sdk in 0..<5 {
      run.runs["sdk\(sdk)"] = name
      run.calls["sdk\(sdk)"] = (0..<120).map { index in
        let trunk = index % 10
        var call = ComparedCall(
          sdk: "sdk\(sdk)", scenario: "s\(index / 10 % 3)",
          score: 90 - 5 * Double(sdk) + 4 * (random.unit() - 0.5) - lost(sdk, trunk), setupMs: nil,
          isPoor: false, isBroken: false, traits: [index % 2 == 0 ? "wifi" : "cellular"])
        call.key = Int64(sdk * 1000 + index)
        call.labels = [CallLabel(name: "trunk", value: "t\(trunk)")]
        return call
      }
    }
    return run
  }

  private static func judged(_ now: RunFigures, gate: String = "score.mean >= baseline - 9") throws
    -> NightJudgement
  {
    NightJudgement(
      Comparison(candidate: now, baseline: run("a"), seed: 1),
      gates: try GateFile(name: "g", text: gate).gates)
  }

  @Test("a trunk that is worse in all SDKs is named, with the calls of all of them", arguments: [8.0, 40])
  func everywhere(lost: Double) throws {
    let judgement = try Self.judged(Self.run("b") { $1 == 3 ? lost : 0 })
    let slice = try #require(judgement.slices.first)
    #expect(judgement.slices.count == 1)
    #expect(slice.words.hasPrefix("all 5 SDKs with label trunk t3: score −"), "\(slice.words)")
    #expect(slice.command == "callqa calls --run b --trait 'label trunk=t3'")
    #expect(Set(slice.keys.map { $0 / 1000 }).count == 5 && slice.keys.count == 60)
    #expect(Headline(judgement, facts: []).line.contains("; all 5 SDKs with label trunk t3"))
    let sentences = Sentences(judgement: judgement).all()
    #expect(sentences.contains { $0.hasPrefix("In all 5 SDKs the change") }, "\(sentences)")
    #expect(!sentences.contains { $0.hasPrefix("In sdk") }, "\(sentences)")
  }

  @Test("where one SDK was spared it is nearly all, where one alone fell it is that one's")
  func some() throws {
    let most = try Self.judged(Self.run("b") { $1 == 3 && $0 != 2 ? 30 : 0 })
    #expect(most.slices.first?.words.hasPrefix("4 of 5 SDKs with label trunk t3") == true, "\(most.slices)")
    let one = try Self.judged(Self.run("b") { $1 == 3 && $0 == 2 ? 40 : 0 })
    #expect(one.shared == nil)
    #expect(one.slices.map(\.words).first?.hasPrefix("sdk2 with label trunk t3") == true, "\(one.slices)")
  }

  @Test("what blocks one SDK by itself is reported before what all share")
  func beside() throws {
    let judgement = try Self.judged(
      Self.run("b") { sdk, trunk in trunk == 3 ? 20 : trunk < 3 && sdk == 4 ? 40 : 0 })
    #expect(judgement.slices.allSatisfy { !$0.words.hasPrefix("sdk0") }, "\(judgement.slices)")
    #expect(judgement.leading.last?.words.hasPrefix("all 5 SDKs with label trunk t3") == true)
  }
}
