import CallModel
import CallStore
import Foundation
import Simulating
import Testing

@testable import Reporting
@testable import Rendering

/// What stands on the page is what the queries answered, cell by cell; nothing is worked out on the way.
@Suite("Every number on the page is a query's")
struct PageNumbersTests {
  /// The shipped gates, and gates that decide by a share or by setup time, which lends its unit to nothing else.
  @Test(
    "in each table and in each row of facts, from the first cell to the last",
    arguments: [nil, "broken.share <= 0.01%", "setup.p90_ms <= 1"])
  func cells(gates: String?) throws {
    try withReport(gates: gates) { page, outcome, definition in
      var compared = 0
      for part in definition.parts {
        switch part {
        case .table(let table):
          var answer = try #require(outcome.answers[table.query])
          // Rows without a figure, and columns without any, are not shown.
          let whole = answer
          answer.rows.removeAll { row in
            !table.needs.isEmpty && table.needs.allSatisfy { whole.cell(row, $0).isNull }
          }
          let columns = table.columns.filter { column in
            answer.rows.contains { row in
              let cell = answer.cell(row, column.column)
              return !cell.isNull && cell.string != ""
            }
          }
          let rows = try page.rows(ofTable: table.query, titled: table.title)
          // What passes is folded away below the others; what is beyond the limit unfolds in place.
          let passes: ([Cell]) -> Bool = { row in
            table.fold.map { answer.cell(row, $0.column).string == $0.value } ?? false
          }
          let ordered = answer.rows.filter { !passes($0) } + answer.rows.filter(passes)
          #expect(rows.count == min(answer.rows.count, table.limit + 500), "\(table.query)")
          for (shown, row) in zip(rows, ordered) {
            #expect(shown.count == columns.count)
            for (text, column) in zip(shown, columns) {
              let figure = answer.cell(row, "figure").string
              expect(text, shows: answer.cell(row, column.column), column, of: figure)
              compared += 1
            }
          }
        case .facts(let facts):
          let answer = try #require(outcome.answers[facts.query])
          let row = try #require(answer.rows.first)
          let shown = try page.facts(facts.query)
          let known = facts.columns.filter {
            !answer.cell(row, $0.column).isNull && answer.cell(row, $0.column).number != 0
          }
          #expect(shown.count == known.count && known.count < facts.columns.count)
          for (text, column) in zip(shown, known) {
            expect(text, shows: answer.cell(row, column.column), column)
          }
          let none = facts.columns.filter { answer.cell(row, $0.column).number == 0 }.map(\.heading)
          #expect(page.html.contains("None: \(none.joined(separator: ", "))."))
        default: break
        }
      }
      #expect(compared > 500, "the page was hardly read")
    }
  }

  @Test("in the verdict's line and the sentences, which tell of gates, changes and where they sit")
  func words() throws {
    try withReport { page, outcome, _ in
      let judgement = outcome.judgement
      var known = judgement.concentrations.values.flatMap { [$0.inside, $0.outside, Double($0.calls)] }
      known += judgement.concentrations.values.compactMap(\.part).flatMap { part in
        [part.estimate, part.low, part.high].compactMap { $0.map { max(0, min(1, $0)) } }
      }
      for table in [judgement.verdicts, judgement.gates, judgement.figureChanges] {
        known += table.rows.flatMap { $0.compactMap(\.number) }
      }
      known += judgement.results.flatMap { [$0.gate.offset, $0.gate.factor] }
      known += [Double(judgement.comparison.sdks.count), 1]
      // What never came, what did, and what of it was put aside.
      let candidate = judgement.comparison.candidate
      let missing = candidate.missing.values.map(Double.init)
      let aside = candidate.excluded.values.map(Double.init)
      let counted = Double(candidate.calls.values.reduce(0) { $0 + $1.count })
      known += missing + aside + [missing.reduce(0, +), aside.reduce(0, +), counted + aside.reduce(0, +)]
      // What the method promises: one night in 20.
      known.append(20)
      let names = Set(judgement.concentrations.values.map(\.value)).union(["H264"])
      for word in try page.sentences() where !names.contains(word) && word.contains(where: \.isNumber) {
        let number = try #require(Shown(word), "\(word)")
        #expect(known.contains { number.shows($0) || number.shows(-$0) || number.shows($0 * 100) }, "\(word)")
      }
    }
  }

  private func expect(_ text: String, shows cell: Cell, _ column: ColumnPart, of figure: String? = nil) {
    if column.format == .duration, let value = cell.number {
      return #expect(text == ValueText.duration(value), "\(column.column)")
    }
    guard let value = cell.number, column.format != .time else {
      let words = cell.string ?? "–"
      guard ![.verdict, .spark, .words].contains(column.format) else { return }
      #expect(text == words, "\(column.column)")
      return
    }
    guard let shown = Shown(text) else {
      Issue.record("\(column.column): '\(text)' shows no number, the answer is \(value)")
      return
    }
    let isShare =
      [.figure, .change].contains(column.format)
      ? figure?.contains(".share") == true : [.percent, .bar].contains(column.format)
    let scale = isShare ? 100.0 : 1
    #expect(shown.shows(value * scale), "\(column.column): '\(text)' for \(value)")
    if column.format == .change, figure == nil {
      #expect(!text.contains(" pp") && !text.contains(" ms"), "points of score have no unit: '\(text)'")
    }
  }

  /// A night of a small fleet, with a regression, missing calls and a rig fault.
  private func withReport(
    gates: String? = nil, _ body: (ShownPage, ReportOutcome, ReportDefinition) throws -> Void
  ) throws {
    var plan = FleetPlan(seed: 5)
    (plan.nights, plan.callsPerNight) = (2, 600)
    let store = try Store(path: ":memory:", access: .memory)
    var fleet = FleetStore(plan, store)
    try fleet.write()
    try Golden.withFolder { folder in
      var request = try SmallNight.request()
      request.gates = try gates.map { try GateFile(name: "g", text: $0) }
      let outcome = try ReportEngine(request, rows: StoreRows(store)).make(in: folder.path + "/n")
      let html = try String(contentsOfFile: folder.path + "/n/index.html", encoding: .utf8)
      try body(ShownPage(html: html), outcome, request.definition)
    }
  }
}

/// A number as a page shows it: rounded, with a true minus and thin spaces.
private struct Shown {
  var value: Double
  var decimals: Int
  /// -1 for `< 0.1`, 1 for `> 99.9`.
  var side = 0

  init?(_ text: String) {
    var text = text.replacingOccurrences(of: "−", with: "-").replacingOccurrences(of: "\u{202F}", with: "")
    for (mark, side) in [("< ", -1), ("> ", 1)] where text.hasPrefix(mark) {
      self.side = side
      text.removeFirst(2)
    }
    guard let match = text.firstMatch(of: /[-+]?[0-9]+(\.[0-9]+)?/), let value = Double(match.output.0) else {
      return nil
    }
    self.value = value
    decimals = match.output.1.map { $0.count - 1 } ?? 0
  }

  func shows(_ exact: Double) -> Bool {
    if side < 0 { return exact > 0 && exact < value }
    if side > 0 { return exact > value && exact < 100 }
    return abs(value - exact) <= 0.5 * pow(10, -Double(decimals)) + 1e-9
  }
}

/// The page, read as a reader's eye does: without pictures, markup undone.
private struct ShownPage {
  let html: String

  func rows(ofTable id: String, titled title: String) throws -> [[String]] {
    let section = try self.section("table", id)
    // Rows that unfold in place have a head of their own.
    return matches(of: "<tr>(.*?)</tr>", in: section).filter { !$0.contains("<th ") }.map { row in
      matches(of: "<td[^>]*>(.*?)</td>", in: row).map(text)
    }
  }

  func facts(_ id: String) throws -> [String] {
    matches(of: "<dd>(.*?)</dd>", in: try section("facts", id)).map(text)
  }

  /// Words of the headline and the sentences, without the lists of calls that they lead to (`NightSentenceTests` counts those).
  func sentences() throws -> [String] {
    let line =
      matches(of: "<h1>(.*?)</h1>", in: html)
      + matches(of: "<section class=\"sentences\"[^>]*>(.*?)</section>", in: html)
    try #require(line.count == 2)
    let list = /<details class="listed-calls".*?<\/details>/.dotMatchesNewlines()
    let link = /<a class="calls".*?<\/a>/.dotMatchesNewlines()
    return line.flatMap {
      text($0.replacing(list, with: "").replacing(link, with: "")).split { " ():,;".contains($0) }.map(
        String.init)
    }
  }

  private func section(_ kind: String, _ id: String) throws -> String {
    try #require(
      matches(of: "<section class=\"\(kind)\" id=\"\(id)\">(.*?)</section>", in: html).first,
      "no \(kind) \(id)")
  }

  private func matches(of pattern: String, in text: String) -> [String] {
    guard let expression = try? NSRegularExpression(pattern: pattern, options: .dotMatchesLineSeparators)
    else {
      return []
    }
    return expression.matches(in: text, range: NSRange(text.startIndex..., in: text)).compactMap { match in
      Range(match.range(at: 1), in: text).map { String(text[$0]) }
    }
  }

  private func text(_ markup: String) -> String {
    var text = markup.replacing(/<svg.*?<\/svg>/.dotMatchesNewlines(), with: "").replacing(
      /<[^>]*>/, with: " ")
    for (entity, sign) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")] {
      text = text.replacingOccurrences(of: entity, with: sign)
    }
    return text.split(whereSeparator: { $0 == " " || $0 == "\n" }).joined(separator: " ")
  }
}
