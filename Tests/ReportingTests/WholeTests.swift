import Testing

@testable import Reporting

@Suite("All SDKs together")
struct WholeTests {
  /// Forty calls of each of four SDKs, a third of them with the newest browser; what a call loses is as the body says.
  private static func run(_ name: String, lost: (_ sdk: Int, _ isNewest: Bool) -> Double = { _, _ in 0 })
    -> RunFigures
  {
    var (run, random) = (RunFigures(run: name), SeededRandom(seed: UInt64(name.utf8.first ?? 0)))
    run.dimensions = ["user agent", "network type"]
    for sdk in 0..<4 {
      let name = "sdk\(sdk)"
      run.runs[name] = run.run
      run.calls[name] = (0..<40).map { index in
        let isNewest = index % 3 == 0
        return ComparedCall(
          sdk: name, scenario: nil,
          score: 80 - 5 * Double(sdk) + 12 * (random.unit() - 0.5) - lost(sdk, isNewest),
          setupMs: 400 + 10 * lost(sdk, isNewest), isPoor: false, isBroken: false,
          traits: [isNewest ? "Chrome 156" : "Chrome 155", index % 2 == 0 ? "wifi" : "cellular"])
      }
    }
    return run
  }

  private static func sentences(_ now: RunFigures) -> [String] {
    Sentences(judgement: judged(now)).all()
  }

  private static func judged(_ now: RunFigures, gates: [Gate] = []) -> NightJudgement {
    NightJudgement(Comparison(candidate: now, baseline: run("a"), seed: 1), gates: gates)
  }

  @Test("what one browser loses in every SDK is reported once, of all of them, and with its place")
  func everywhere() {
    let sentences = Self.sentences(Self.run("b") { $1 ? 12 : 0 })
    #expect(sentences.first?.hasPrefix("Across all 4 SDKs, calls score ") == true, "\(sentences)")
    #expect(
      sentences.contains {
        $0.hasPrefix("In all 4 SDKs the change sits in calls with user agent Chrome 156: −1")
      })
    #expect(sentences.contains { $0.hasPrefix("Across all 4 SDKs, setup takes 44") }, "\(sentences)")
    #expect(!sentences.contains { $0.contains("sdk2") }, "\(sentences)")
  }

  @Test("what one SDK lost is told of that SDK", arguments: [8.0, 30])
  func one(lost: Double) {
    let judgement = Self.judged(Self.run("b") { sdk, _ in sdk == 2 ? lost : 0 })
    #expect(judgement.whole.isEmpty)
    let sentences = Sentences(judgement: judgement).all()
    #expect(sentences.first?.hasPrefix("sdk2 scores ") == true, "\(sentences)")
  }

  @Test("chance moves no whole")
  func quiet() { for name in "bcdefgh" { #expect(Self.judged(Self.run(String(name))).whole.isEmpty) } }

  @Test("a verdict that cannot be given says whether anything got clearly worse")
  func headline() throws {
    let gates = try GateFile(name: "g", text: "score.mean >= baseline - 3").gates
    func line(_ lost: Double, _ gate: String) throws -> String {
      let gates = try GateFile(name: "g", text: gate).gates
      return Headline(Self.judged(Self.run("b") { _, _ in lost }, gates: gates), facts: []).line
    }
    let unsure = "NOT SURE: 4 of 4 SDKs cannot be decided"
    let worse = try line(3, "score.mean >= baseline - 3")
    #expect(worse.hasPrefix(unsure + ", something got clearly worse; all 4 SDKs: score −"), "\(worse)")
    #expect(try line(0, "broken.share <= 0.1%") == unsure + ", nothing got clearly worse")
    let sentences = Sentences(judgement: Self.judged(Self.run("b") { _, _ in 3 }, gates: gates)).all()
    #expect(
      sentences.last?.contains("Not decided: all 4 SDKs (score.mean >= baseline - 3: too close") == true,
      "\(sentences)"
    )
  }

  @Test("files that could not be read are reported with the calls that never came")
  func unread() throws {
    var now = Self.run("b")
    now.missing["sdk1"] = 9
    var judgement = Self.judged(now)
    judgement.unreadFiles = 9
    let sentences = Sentences(judgement: judgement).all()
    #expect(sentences.first?.hasPrefix("9 calls that were expected never came, of sdk1") == true)
    #expect(sentences[1].hasPrefix("9 files could not be read"))
    var whole = Self.judged(Self.run("b"))
    whole.unreadFiles = 1
    #expect(!Sentences(judgement: whole).all().contains { $0.contains("could not be read") })
    #expect(whole.isNothingWorse)
    whole.unreadFiles = 20
    #expect(Sentences(judgement: whole).all().first?.hasPrefix("20 files could not be read") == true)
    #expect(!whole.isNothingWorse)
  }
}
