import Testing

@testable import Reporting

@Suite("Where a change sits")
struct PlaceTests {
  /// Calls of one SDK; what each is like is as the body says, but for the noise of calls.
  private static func run(_ name: String, _ count: Int = 200, _ call: (Int) -> ComparedCall) -> RunFigures {
    var (run, random) = (RunFigures(run: name), SeededRandom(seed: UInt64(name.utf8.first ?? 0)))
    run.runs["web"] = name
    run.dimensions = ["network type", "candidate type", "user agent", "sdk version", "scenario"]
    run.calls["web"] = (0..<count).map { index in
      var call = call(index)
      call.score = call.score.map { $0 + 8 * (random.unit() - 0.5) }
      call.setupMs = call.setupMs.map { $0 + 60 * (random.unit() - 0.5) }
      return call
    }
    return run
  }

  /// A call of any of eight scenarios; every other one is of the newer version.
  private static func call(_ index: Int, network: String? = "wifi", score: Double? = 90) -> ComparedCall {
    let scenario = "s\(index % 8)"
    return ComparedCall(
      sdk: "web", scenario: scenario, score: score, setupMs: 400, isPoor: score.map { _ in false },
      isBroken: score == nil,
      traits: [
        network, index % 4 == 1 ? "relay" : "host", "Mozilla/5.0 Chrome/131.0.0.0 Safari/537.36",
        index % 3 == 0 ? "2.1" : "2.0", scenario,
      ])
  }

  private static func sentences(_ now: RunFigures, _ before: RunFigures, gates: String = "") throws -> String
  {
    let gates = try gates.isEmpty ? [] : GateFile(name: "g", text: gates).gates
    let comparison = Comparison(candidate: now, baseline: before, seed: 1)
    return Sentences(judgement: NightJudgement(comparison, gates: gates)).all().joined(separator: "\n")
  }

  /// So many of ten calls are on a cellular network, which scores 30 points less.
  private static func mixed(_ name: String, cellular: Int, less: Double = 0) -> RunFigures {
    run(name) { index in
      index % 10 < cellular
        ? call(index, network: "cellular", score: 60 - less) : call(index, score: 90 - less)
    }
  }

  @Test("another mix of networks is named, and not told as spread over all alike")
  func mix() throws {
    let text = try Self.sentences(Self.mixed("b", cellular: 5), Self.mixed("a", cellular: 2))
    #expect(
      text.contains(
        "In web more calls have network type cellular: 50.0 %, 20.0 % before. That shift alone changes the score by −"
      ),
      "\(text)")
    #expect(!text.contains("spread over") && !text.contains("stands out"), "\(text)")
  }

  @Test("a fall within every network is no other mix, also where the mix moved a little")
  func noMix() throws {
    for cellular in [3, 4] {
      let text = try Self.sentences(
        Self.mixed("b", cellular: cellular, less: 20), Self.mixed("a", cellular: 3))
      #expect(text.contains("The change is spread over networks, clients and scenarios alike"), "\(text)")
    }
    let chance = Self.run("b") { Self.call($0, network: $0 % 5 == 0 ? "cellular" : "wifi") }
    let comparison = Comparison(candidate: chance, baseline: Self.mixed("a", cellular: 1), seed: 1)
    #expect(ScannedCalls(comparison).source(of: .scoreMean, sdk: "web").mix == nil)
  }

  @Test("where setup got slower, and which calls broke, is looked for too", arguments: ["", "gate"])
  func others(gates: String) throws {
    let before = Self.run("a") { Self.call($0) }
    let slow = Self.run("b") { index in
      var call = Self.call(index)
      if call.traits[1] == "relay" { call.setupMs = 2900 }
      return call
    }
    let setup = try Self.sentences(
      slow, before, gates: gates.isEmpty ? "" : "setup.p90_ms <= baseline * 1.25")
    #expect(
      setup.contains("In web the change of the setup time sits in calls with candidate type relay: +250"),
      "\(setup)")
    #expect(setup.contains(" ms over 50 calls, against "), "\(setup)")
    let failing = Self.run("b") { index in
      var call = Self.call(index)
      if index % 3 == 0, index % 2 == 0 { (call.isBroken, call.score, call.isPoor) = (true, nil, nil) }
      return call
    }
    let broken = try Self.sentences(
      failing, before, gates: gates.isEmpty ? "" : "broken.share <= baseline + 3%")
    #expect(
      broken.contains("In web the change of the broken calls sits in calls with sdk version 2.1: +50"),
      "\(broken)")
    #expect(!gates.isEmpty || !broken.contains("stands out"), "\(broken)")
  }

  @Test("what broken calls do not tell of is not said to be alike")
  func silent() throws {
    let before = Self.run("a") { Self.call($0) }
    let failing = Self.run("b") { index in
      guard index / 8 % 4 == 0 else { return Self.call(index) }
      var call = Self.call(index, network: nil, score: nil)
      (call.traits[1], call.traits[3]) = (nil, index % 2 == 0 ? "2.1" : "2.0")
      return call
    }
    let text = try Self.sentences(failing, before, gates: "broken.share <= baseline + 3%")
    #expect(!text.contains("over networks") && !text.contains("No codec"), "\(text)")
    #expect(text.contains("of most calls that moved the networks are unknown"), "\(text)")
  }

  @Test("a browser has its short name in sentences where that says it all")
  func browsers() throws {
    func agent(_ version: Int, _ system: String = "X11; Linux x86_64") -> String {
      "Mozilla/5.0 (\(system)) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/\(version).0.0.0 Safari/537.36"
    }
    func text(_ other: String) throws -> String {
      let now = Self.run("b") { index in
        var call = Self.call(index, score: index % 2 == 0 ? 60 : 90)
        call.traits[2] = index % 2 == 0 ? agent(132) : other
        return call
      }
      return try Self.sentences(now, Self.run("a") { Self.call($0) })
    }
    #expect(try text(agent(131)).contains("calls with user agent Chrome 132, which none had before: −"))
    #expect(try text(agent(132, "Windows NT 10.0")).contains("calls with user agent Mozilla/5.0 (X11"))
    #expect(BrowserName.of(agent(131) + " Edg/131.0.0.0") == "Edge 131" && BrowserName.of("sdk 2.1") == nil)
    #expect(BrowserName.of("Mozilla/5.0 (Macintosh) Version/17.4 Safari/605.1.15") == "Safari 17")
  }

  @Test("what got better is no matter of margins")
  func better() throws {
    let text = try Self.sentences(
      Self.run("b") { Self.call($0) }, Self.run("a") { Self.call($0, score: 80) },
      gates: "score.mean >= baseline - 3")
    #expect(text.contains("points higher than its baseline") && !text.contains("margin"), "\(text)")
  }

  @Test(
    "less than half as many calls are reported, of runs and beyond chance",
    arguments: [(90, true), (110, false)])
  func fewer(calls: Int, isReported: Bool) throws {
    let before = Self.run("a") { Self.call($0) }
    var now = Self.run("b", calls) { Self.call($0) }
    let sentence = "Less than half as many calls as before: \(calls) of web (200 in its baseline)."
    #expect(try Self.sentences(now, before).contains(sentence) == isReported)
    now.isRun = false
    #expect(try !Self.sentences(now, before).contains("half as many"))
    #expect(
      try !Self.sentences(Self.run("b", 4) { Self.call($0) }, Self.run("a", 10) { Self.call($0) }).contains(
        "half as"))
  }

  @Test("calls whose files were taken in part are no pass, and no calls that went well")
  func cut() throws {
    let before = Self.run("a") { Self.call($0) }
    var now = before
    func text(_ cut: Int) throws -> String {
      for index in 0..<cut {
        now.calls["web"]?[index].isCut = true
        now.calls["web"]?[index].score = nil
      }
      return try Self.sentences(now, before, gates: "broken.share <= 5%")
    }
    #expect(try !text(2).contains("Not decided"))
    let many = try text(20)
    #expect(
      many.contains("Of 20 calls of 200 nothing is known, for their files were taken in part: of web."))
    #expect(
      many.contains("of 20 of 200 calls nothing is known, for their files were taken in part; of the others"),
      "\(many)"
    )
    let broken = Figure.brokenShare.value(of: now.calls["web"]?[0] ?? Self.call(0))
    #expect(broken == nil)
  }
}
