import CallModel
import Rendering

/// A comparison as Markdown, for a comment on a merge request.
public enum ComparisonMarkdown {
  /// Verdict, sentences, gates and changes.
  public static func document(_ judgement: NightJudgement) -> String {
    let headline = Headline(judgement, facts: [])
    let kind = Measure.sentence(judgement.comparison.kind)
    var text = "## \(headline.mark) \(plain(headline.line))\n\n"
    let baseline = judgement.comparison.baseline?.names ?? ""
    text +=
      "`\(code(judgement.comparison.candidate.run))` against `\(code(baseline.isEmpty ? "no baseline" : baseline))`\n\n"
    for sentence in Sentences(judgement: judgement).all() { text += plain(sentence) + "\n" }
    if !judgement.results.isEmpty {
      text += "\n| | \(kind) | Gate | Now | Baseline | Why |\n| --- | --- | --- | ---: | ---: | --- |\n"
      for result in judgement.results {
        let mark =
          ["pass": "✓", "fail": "✕ **fail**", "inconclusive": "? unsure"][result.verdict.rawValue] ?? ""
        text += row([
          mark, plain(result.sdk), "`\(code(result.gate.text))`",
          number(result.candidate, "\(result.gate.figure)"), number(result.baseline, "\(result.gate.figure)"),
          plain(result.reason),
        ])
      }
    }
    let changes = judgement.figureChanges
    if changes.rows.contains(where: { changes.cell($0, "scenarios").number != nil }) {
      text += "\nFigures and changes are of the calls of scenarios that both runs have.\n"
    }
    text +=
      "\n| \(kind) | Figure | Baseline | Now | Change | Interval | |\n| --- | --- | ---: | ---: | ---: | --- | --- |\n"
    for cells in changes.rows {
      func cell(_ name: String) -> Cell { changes.cell(cells, name) }
      let figure = cell("figure").string ?? ""
      let words = ValueText.moves(
        ["change", "change_low", "change_high"].compactMap { cell($0).number }, of: figure)
      text += row([
        plain(cell("sdk").string ?? ""), figure, number(cell("baseline").number, figure),
        number(cell("candidate").number, figure),
        words.first.map { $0 + ValueText.unit(of: figure) } ?? ValueText.unknown,
        words.count == 3 ? "\(words[1]) … \(words[2])" : ValueText.unknown, cell("moved").string ?? "",
      ])
    }
    return text
  }

  private static func row(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |\n" }

  private static func number(_ value: Double?, _ figure: String) -> String {
    value.map { ValueText.figure($0, of: figure) } ?? ValueText.unknown
  }

  /// Text with all Markdown and HTML syntax escaped.
  private static func plain(_ text: String) -> String {
    Escape.markdown(VisibleText.visible(text), "\\`*_{}[]<>#+!|~")
  }

  private static func code(_ text: String) -> String {
    VisibleText.visible(text).map { $0 == "`" ? "'" : $0 == "|" ? "/" : String($0) }.joined()
  }
}
