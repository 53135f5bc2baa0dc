import Testing

@testable import Reporting

@Suite("How much of a change some calls explain")
struct ExplainedPartTests {
  /// 160 calls of forty scenarios; what each lost is as the body says, beside the noise of calls.
  private static func run(_ name: String, seed: UInt64 = 1, lost: (Int) -> Double = { _ in 0 }) -> RunFigures
  {
    var (run, random) = (RunFigures(run: name), SeededRandom(seed: seed))
    run.runs["web"] = name
    run.dimensions = ["video codec", "scenario"]
    run.calls["web"] = (0..<160).map { index in
      var call = ComparedCall(
        sdk: "web", scenario: "s\(index % 40)", score: 90 - lost(index) + 8 * (random.unit() - 0.5),
        setupMs: 400,
        isPoor: false, isBroken: false, traits: [index / 40 % 2 == 0 ? "H264" : "VP8", "s\(index % 40)"])
      call.key = Int64(index)
      return call
    }
    return run
  }

  private static func judged(_ now: RunFigures) -> NightJudgement {
    NightJudgement(Comparison(candidate: now, baseline: run("a", seed: 2), seed: 1), gates: [])
  }

  @Test("four calls that fell furthest where all fell are not to blame, and their part is reported")
  func few() throws {
    let judgement = Self.judged(Self.run("b") { $0 % 40 == 7 ? 20 : 5 })
    let search = try #require(judgement.places["web"])
    let part = try #require(search.partly?.part)
    #expect(search.found == nil && search.partly?.value == "s7")
    #expect(part.estimate < 0.15 && part.high ?? 1 < 0.2, "\(part)")
    let line = Headline(judgement, facts: []).line
    #expect(line.contains("; web: score −5.") && line.hasSuffix(", no single trait explains it"), "\(line)")
    let sentences = Sentences(judgement: judgement).all().joined(separator: "\n")
    #expect(
      sentences.contains("is spread over codecs and scenarios; no single one explains it"), "\(sentences)")
    #expect(sentences.contains("Furthest from the others are calls with scenario s7: −2"), "\(sentences)")
    #expect(judgement.groups.first?.keys.prefix(4).allSatisfy { $0 % 40 == 7 } == true)
  }

  @Test("calls with all of the change are named, few or many", arguments: [true, false])
  func most(isCodec: Bool) throws {
    let judgement = Self.judged(
      Self.run("b") { isCodec ? $0 / 40 % 2 == 0 ? 10 : 0 : $0 % 40 == 7 ? 60 : 0 })
    let place = try #require(judgement.concentrations["web"])
    #expect(place.value == (isCodec ? "H264" : "s7") && place.part?.isMost == true)
    #expect(
      Headline(judgement, facts: []).line.contains(
        "; web with \(isCodec ? "video codec H264" : "scenario s7"): score −"))
    #expect(Sentences(judgement: judgement).all().contains { $0.contains(" That explains ") })
  }

  @Test("one in ten intervals, or fewer, misses the part that is true", arguments: [0.3, 0.5, 0.9])
  func coverage(part: Double) throws {
    var (misses, random) = (0, SeededRandom(seed: 7))
    for _ in 0..<400 {
      func moments(_ count: Int, _ mean: Double) -> Moments {
        var moments = Moments()
        // Twelve even numbers together are close to a normal one.
        for _ in 0..<count {
          moments.add(mean + 4 * ((0..<12).reduce(0) { sum, _ in sum + random.unit() } - 6))
        }
        return moments
      }
      // A fifth of the calls; all others moved by what is left of ten points.
      let others = -10 * (1 - part)
      let inside = others - 10 * part / 0.2
      let (own, rest) = (moments(30, inside), moments(120, others))
      let (ownBefore, restBefore) = (moments(30, 0), moments(120, 0))
      let sides = [(own, ownBefore), (rest, restBefore), (own + rest, ownBefore + restBefore)].compactMap {
        MeanChange($0.0, $0.1, .scoreMean)
      }
      try #require(sides.count == 3)
      let found = try #require(ExplainedPart(sides[0], others: sides[1], of: sides[2]))
      if part < found.low ?? 0 || part > found.high ?? 1 { misses += 1 }
    }
    #expect(misses <= 56, "\(misses) of 400")
  }

  @Test("what did not come, got slower or breaks more is in the first line, where no score fell")
  func others() throws {
    var before = Self.run("a", seed: 2)
    before.calls["ios"] = before.calls["web"]?.map { call in
      var call = call
      call.sdk = "ios"
      return call
    }
    before.runs["ios"] = "a"
    func line(_ now: RunFigures) -> String {
      Headline(NightJudgement(Comparison(candidate: now, baseline: before, seed: 1), gates: []), facts: [])
        .line
    }
    let same = Self.run("b")
    #expect(line(same).hasSuffix("; no call of ios"), "\(line(same))")
    var slow = same
    slow.calls["ios"] = before.calls["ios"]
    for place in 0..<160 { slow.calls["web"]?[place].setupMs = 800 }
    #expect(line(slow).hasSuffix("; web: setup +400 ms"), "\(line(slow))")
    for place in 0..<160 where place / 40 % 2 == 1 { slow.calls["web"]?[place].setupMs = 400 }
    #expect(line(slow).hasSuffix("; web with video codec H264: setup +400 ms"), "\(line(slow))")
  }
}
