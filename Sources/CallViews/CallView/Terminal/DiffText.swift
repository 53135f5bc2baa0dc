import Rendering

/// The comparison of two calls as text, with changed properties first.
public struct DiffText {
  private let ids: [String]
  private let points: [DiffPoint]
  private let ink: TerminalStyle
  private let width: Int

  /// Creates the comparison for a terminal; `ids` are those of the two calls.
  public init(_ points: [DiffPoint], of ids: [String], for terminal: TerminalFacts) {
    self.ids = ids
    self.points = points
    ink = TerminalStyle(terminal)
    width = min(100, max(40, terminal.width ?? 80))
  }

  /// The comparison, with line feeds.
  public var text: String {
    let label = 28
    let column = (width - label - 9) / 2
    var lines = [
      ink(.heading, row("", ids.map(VisibleText.visible), "change", label, column)), "",
    ]
    var section: DiffPoint.Section?
    for point in points {
      if point.section != section { lines.append(ink(.heading, heading(point.section))) }
      section = point.section
      let values = [point.a, point.b].map { value in
        VisibleText.wrap(point.words(value) ?? CellText.unknown, to: column)
      }
      for line in 0..<(values.map(\.count).max() ?? 1) {
        let isFirst = line == 0
        lines.append(
          row(
            isFirst ? "  " + VisibleText.visible(point.name) : "",
            values.map { line < $0.count ? $0[line] : "" }, isFirst ? point.change ?? "" : "", label, column))
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func heading(_ section: DiffPoint.Section) -> String {
    switch section {
    case .call: return "Call"
    case .ends(let left, let right):
      let names = [left, right].compactMap { $0.map(VisibleText.visible) }
      return "At " + (Set(names).count == 1 ? names[0] : names.joined(separator: " and "))
    case .setup: return "Setup phases"
    case .findings: return "Findings"
    }
  }

  private func row(_ name: String, _ values: [String], _ change: String, _ label: Int, _ column: Int)
    -> String
  {
    var text = VisibleText.fit(name, to: label)
    for value in values { text += VisibleText.fit(value, to: column) + " " }
    text += change
    while text.last == " " { text.removeLast() }
    return text
  }
}
