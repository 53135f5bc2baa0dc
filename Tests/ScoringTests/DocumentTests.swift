import CallModel
import Foundation
import Scoring
import Testing
import Timeline
import Verdicts

/// What the documents say is what the code does. `RECORD_GOLDEN=1` (`make golden`) writes what is generated anew.
@Suite("Documents")
struct DocumentTests {
  @Test("docs/metrics.md lists every metric as the catalogue has it")
  func metrics() throws {
    let rows = Metric.allCases.map(\.info).map { info in
      [
        "`\(info.column)`", info.behaviour.rawValue, info.unit, info.members == "-" ? "" : info.members,
        info.summary,
      ]
    }
    try Document("metrics.md").expect([
      "metrics": Document.table(["column", "kind", "unit", "taken from", "meaning"], rows)
    ])
  }

  @Test("docs/limits.md lists every limit as the code has it")
  func limits() throws {
    func row(_ limit: Limit) -> [String] { [limit.description, limit.subject, limit.beyond] }
    let raised = Limit.raised.map { limit in
      let kind = limit.description.hasSuffix("iB") ? "SIZE" : "NUMBER"
      return ["`\(limit.option ?? "")=\(kind)`"] + row(limit)
    }
    try Document("limits.md").expect([
      "raised": Document.table(["`--raise`", "limit", "of what", "beyond it"], raised),
      "fixed": Document.table(["limit", "of what", "beyond it"], Limit.fixed.map(row)),
    ])
  }

  @Test("docs/event-logs.md lists every name of an event by group")
  func events() throws {
    let groups = EventName.allCases.reduce(into: [[EventName]]()) { groups, name in
      if name.group != nil, name.group == groups.last?.last?.group {
        groups[groups.count - 1].append(name)
      } else if name.group != nil {
        groups.append([name])
      }
    }
    let rows = groups.map { names in
      let group = names[0].group?.rawValue ?? ""
      return [group, names.map { $0.rawValue.dropFirst(group.count + 1) }.joined(separator: ", ")]
    }
    try Document("event-logs.md").expect(["events": Document.table(["group", "what happened"], rows)])
  }

  @Test("docs/verdict.md has the rules of verdicts, fates and places in their order, as the code has them")
  func rules() throws {
    func rows<Rule: RawRepresentable<String>>(
      _ rules: [Rule], _ result: (Rule) -> String, _ when: (Rule) -> String
    )
      -> [[String]]
    { rules.map { ["`\($0.rawValue)`", "`\(result($0))`", when($0)] } }
    try Document("verdict.md").expect([
      "rules": Document.table(
        ["rule", "word", "condition"], rows(VerdictRule.allCases, \.value.rawValue, \.condition)),
      "fates": Document.table(
        ["rule", "what", "condition"], rows(FateRule.allCases, \.what.rawValue, \.condition)),
      "places": Document.table(
        ["rule", "place", "condition"], rows(PlaceRule.allCases, \.place.rawValue, \.condition)),
    ])
  }

  @Test("docs/findings.md has codes, severities, thresholds and evidence as FindingInfo has them")
  func findings() throws {
    #expect(FindingInfo.all.map(\.code) == FindingCode.allCases)
    try Document("findings.md").expect(sections: FindingInfo.all)
  }

  /// Facts in the rules that are no thresholds, by code.
  private static let facts: [FindingCode: Set<String>] = [
    .farEndSilent: ["3 %"],  // missing numbers that are no hole
    .dtlsRetransmit: ["1 s", "50 ms"],  // timers of RFC 6347 and of browsers
    .rigFault: ["20 %", "20 ms"],  // the rest of the least playout, and the length of a packet
    .slowAnswer: ["0.2 s"],  // answers of people
    .echo: ["100 dB"],  // of a canceller that did not run
    .mediaClock: ["0.4 s", "3 %"],  // what a capture's clock can tell
    .sparseSound: ["400 ms"],  // packets of Opus in silence
  ]

  @Test("every quantity in a rule of docs/findings.md is a threshold of its code", arguments: FindingInfo.all)
  func quantities(_ info: FindingInfo) throws {
    let known = Set(info.thresholds.map(\.description)).union(Self.facts[info.code] ?? [])
    let rule = try Document("findings.md").rule(of: info.code)
    let quantities = rule.matches(of: /-?\d[\d.,]*\s(s\b|ms\b|%|packets|times|dBFS|dB\b|[kM]bit\/s)/)
    for quantity in Set(quantities.map { String($0.output.0).replacing("\n", with: " ") })
    where !known.contains(quantity) {
      Issue.record("\(info.code.rawValue) says \(quantity), which is no threshold in FindingInfo")
    }
  }

  @Test("figures that docs/metrics.md explains are members in docs/json.md", arguments: ["window", "call"])
  func figures(_ row: String) throws {
    let parts = try Document("metrics.md").text.components(separatedBy: "\n#")
    let section = try #require(parts.first { $0.hasPrefix("# Figures of a \(row)\n") })
    let members = try Document("json.md").text
    for line in section.split(separator: "\n") where line.hasPrefix("| `") {
      // `reported.mean`, `.min` are members of one object.
      let names = line.dropFirst(2).prefix { $0 != "|" }.split(separator: "`").filter {
        $0.contains(where: \.isLetter)
      }
      let object = names[0].prefix { $0 != "." }
      for name in names {
        let member = "\n\(row).\(name.hasPrefix(".") ? object + name : name): "
        let isMember = members.contains(member)
        #expect(isMember, "\(member)")
      }
    }
  }

  @Test("docs/metrics.md names every model")
  func models() throws {
    let text = try Document("metrics.md").text
    for model in ScoreModel.all { #expect(text.contains("`\(model.name)`"), "\(model.name)") }
  }
}
