import Testing

@testable import Reporting

@Suite("The index of nights")
struct NightsTests {
  private static func night(_ number: Int, _ figures: NightFigures) -> Nights.Night {
    Nights.Night(
      folder: number == 31 ? "" : "n\(number)", name: "n\(number)", headline: "PASS: 1 of 1 SDK",
      tone: "pass",
      lastMs: Double(number), figures: figures)
  }

  private static func figures(score: Double, poor: Int) -> NightFigures {
    var run = RunFigures(run: "r")
    run.calls["web"] = (0..<10).map { index in
      ComparedCall(
        sdk: "web", scenario: nil, score: index == 9 ? nil : score, setupMs: nil,
        isPoor: index == 9 ? nil : index < poor, isBroken: index == 9)
    }
    return NightFigures(run)
  }

  private static func page(_ nights: [Nights.Night]) -> String {
    String(decoding: Nights.index(nights, title: "T", style: [], zone: .utc), as: UTF8.self)
  }

  @Test("each night has its score, its share of poor calls and its failures, and each figure a line of 30")
  func figures() throws {
    let nights = (0..<32).reversed().map {
      Self.night($0, Self.figures(score: 60 + Double($0), poor: $0 % 3))
    }
    let page = Self.page(nights)
    #expect(
      page.contains(
        #"<td class="n" data-label="Score">91.0</td><td class="n" data-label="Poor calls">11.1 %</td><td class="n" data-label="Broken">1</td>"#
      ), "\(page)")
    #expect(page.components(separatedBy: "<svg class=\"spark\"").count == 4)
    let label = try #require(page.firstMatch(of: /aria-label="30 nights, the oldest first: ([^"]*)"/))
    #expect(
      label.output.1.hasPrefix("62.0, 63.0, ") && label.output.1.hasSuffix(", 91.0"), "\(label.output.1)")
    #expect(page.contains("And 2 nights before these."))
  }

  @Test("a night that is reported again keeps its place; one without a call is the last")
  func again() {
    func order(_ nights: [Nights.Night]) -> [Substring] {
      // The search has them before the table.
      Self.page(nights).matches(of: />(n\d+)</).map(\.output.1).prefix(nights.count) + []
    }
    let figures = Self.figures(score: 80, poor: 1)
    #expect(
      order([Self.night(2, figures), Self.night(3, figures), Self.night(1, figures)]) == ["n3", "n2", "n1"])
    let empty = Nights.Night(
      folder: "", name: "n9", headline: "NO CALLS", tone: "fail", lastMs: 0, figures: NightFigures([:]))
    #expect(order([empty, Self.night(3, figures)]) == ["n9", "n3"])
  }

  @Test("a night of an earlier release, or without a call, has no figures and is no nought")
  func unknown() {
    let page = Self.page([
      Self.night(2, Self.figures(score: 80, poor: 1)), Self.night(1, NightFigures([:])),
      Self.night(0, NightFigures(RunFigures(run: "r"))),
    ])
    #expect(page.components(separatedBy: ">–</td>").count == 9)
    #expect(!page.contains("<svg"))
  }

  @Test("what a manifest holds is what is read from it")
  func members() {
    let figures = Self.figures(score: 71.5, poor: 2)
    let members = figures.members.map { ($0.0, $0.1.map { "\($0)" } ?? "null") }
    #expect(NightFigures(Dictionary(uniqueKeysWithValues: members)) == figures)
  }
}
