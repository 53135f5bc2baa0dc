import CallModel
import Rendering

/// A comparison for the terminal: verdict, sentences, what moved, and the gates, most severe first.
public struct ComparisonText {
  private let judgement: NightJudgement
  private let facts: TerminalFacts
  private let ink: TerminalStyle

  /// Text for a terminal, or for a pipe, where nothing is cut.
  public init(_ judgement: NightJudgement, for facts: TerminalFacts) {
    self.judgement = judgement
    self.facts = facts
    ink = TerminalStyle(facts)
  }

  public var text: String {
    let headline = Headline(judgement, facts: [])
    let style: TerminalStyle.Style =
      ["fail": .bad, "pass": .good, "unsure": .warning][headline.tone] ?? .heading
    let runs = judgement.comparison.baseline?.names ?? ""
    let candidate = judgement.comparison.candidate.run
    var lines = [
      ink(style, VisibleText.visible(headline.line)),
      ink(.faint, VisibleText.visible("\(candidate) against \(runs.isEmpty ? "nothing" : runs)")), "",
    ]
    for sentence in Sentences(judgement: judgement).all() { lines += wrapped(sentence) }
    return (lines + [""] + changes + gates).joined(separator: "\n") + "\n"
  }

  private func wrapped(_ text: String, indent: Int = 0) -> [String] {
    let text = VisibleText.visible(text)
    let blank = String(repeating: " ", count: indent)
    return (facts.width.map { VisibleText.wrap(text, to: max(20, $0 - indent)) } ?? [text]).map { blank + $0 }
  }

  // MARK: What moved

  private var changes: [String] {
    let table = judgement.figureChanges
    let kind = judgement.comparison.kind
    var rows = [[kind == "SDK" ? "sdk" : kind, "figure", "baseline", "now", "change", "interval", ""]]
    rows += table.rows.map { row in
      let moved = table.cell(row, "moved").string
      return cells(table, row, moved == "worse" || moved == "better" ? moved ?? "" : "")
    }
    var widths = rows[0].indices.map { index in rows.map { VisibleText.width($0[index]) }.max() ?? 0 }
    // If the table is too wide, shorten names rather than figures.
    let over = widths.reduce(0, +) + 2 * (widths.count - 1) - (facts.width ?? .max)
    widths[0] -= min(max(over, 0), max(0, widths[0] - 8))
    return basis(table)
      + rows.enumerated().map { number, row -> String in
        var line = row.indices.map { index in
          VisibleText.fit(row[index], to: widths[index], rightAligned: (2...4).contains(index))
        }.joined(separator: "  ")
        while line.last == " " { line.removeLast() }
        return number == 0
          ? ink(.faint, line)
          : row[6] == "worse" ? ink(.bad, line) : row[6] == "better" ? ink(.good, line) : line
      }
  }

  /// One line that says which calls the figures are computed from.
  private func basis(_ table: Table) -> [String] {
    let paired = table.rows.contains { table.cell($0, "scenarios").number != nil }
    return paired
      ? wrapped(
        "Figures and changes are of the calls of scenarios that both runs have; --csv has those of all calls beside them."
      ).map { ink(.faint, $0) } : []
  }

  private func cells(_ table: Table, _ row: [Cell], _ moved: String) -> [String] {
    let figure = table.cell(row, "figure").string ?? ""
    let value = { (name: String) in
      table.cell(row, name).number.map { ValueText.figure($0, of: figure) } ?? ValueText.unknown
    }
    let words = ValueText.moves(
      ["change", "change_low", "change_high"].compactMap { table.cell(row, $0).number }, of: figure)
    return [
      VisibleText.visible(table.cell(row, "sdk").string ?? ""), figure, value("baseline"), value("candidate"),
      words.first.map { $0 + ValueText.unit(of: figure) } ?? ValueText.unknown,
      words.count == 3 ? "\(words[1]) … \(words[2])" : "too few calls", moved,
    ]
  }

  // MARK: Gates

  private var gates: [String] {
    guard !judgement.results.isEmpty else { return [] }
    let widest = judgement.results.map { VisibleText.width(VisibleText.visible($0.sdk)) }.max() ?? 0
    let sorted = judgement.results.enumerated().sorted {
      ($1.element.verdict, $0.offset) < ($0.element.verdict, $1.offset)
    }
    return [""]
      + sorted.flatMap { entry -> [String] in
        let result = entry.element
        let (mark, style): (String, TerminalStyle.Style) =
          switch result.verdict {
          case .pass: ("✓ pass        ", .good)
          case .inconclusive: ("? inconclusive", .warning)
          case .fail: ("✕ fail        ", .bad)
          }
        let sdk = VisibleText.fit(VisibleText.visible(result.sdk), to: min(widest, 24))
        let line = "\(ink(style, mark))  \(sdk)  \(VisibleText.visible(result.gate.text))"
        return result.verdict == .pass ? [line] : [line] + wrapped(why(result), indent: 16)
      }
  }

  private func why(_ result: GateResult) -> String {
    guard !result.gate.figure.isCount, let value = result.candidate else { return result.reason }
    let figure = "\(result.gate.figure)"
    let was =
      result.gate.isRelative ? result.baseline.map { ", was " + ValueText.figure($0, of: figure) } : nil
    return ValueText.figure(value, of: figure) + (was ?? "") + ": " + result.reason
  }
}
