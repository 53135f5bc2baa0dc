import CallModel

/// Two calls side by side, point by point: what changed comes first.
public struct DiffText {
  private let a: CallAccount
  private let b: CallAccount
  private let ink: Ink
  private let width: Int

  /// Two calls for a terminal.
  public init(_ a: CallAccount, _ b: CallAccount, for terminal: TerminalFacts) {
    self.a = a
    self.b = b
    ink = Ink(terminal)
    width = min(100, max(40, terminal.width ?? 80))
  }

  /// The comparison, lines ended by line feeds.
  public var text: String {
    let label = 23
    let column = (width - label - 9) / 2
    var lines = [
      ink(.heading, row("", [a.call.id, b.call.id].map(VisibleText.visible), "change", label, column)), "",
    ]
    for line in DiffRows(a, b).rows {
      if line.isHeading {
        lines.append(ink(.heading, line.name))
      } else if line.left != nil || line.right != nil {
        let values = [line.left ?? CellText.unknown, line.right ?? CellText.unknown]
        lines.append(row("  " + line.name, values, line.change ?? "", label, column))
      }
    }
    return lines.joined(separator: "\n") + "\n"
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
