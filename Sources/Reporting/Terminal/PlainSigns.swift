/// Signs of callqa's own for terminals that were said to know no others than ASCII. Each takes one column as before, so that
/// tables stay straight; what stands in the input (names, scenarios) is left as it is.
extension TerminalFacts {
  /// A finished text in the signs that are read there.
  public func told(_ text: String) -> String {
    guard isPlain, !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
    var plain = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { plain.append(Self.signs[scalar] ?? scalar) }
    return String(plain)
  }

  private static let signs: [Unicode.Scalar: Unicode.Scalar] = [
    "…": "~", "–": "-", "−": "-", "·": ".", "×": "x", "✕": "x", "✓": "+", "≠": "#", "⁻": "-", "²": "2",
    "³": "3",
    "█": "#", "▓": "#", "▒": "=", "░": ".", "▇": "*", "▆": "+", "▅": "=", "▄": "-", "▃": ":", "▂": ".",
    "▁": "_",
    "◂": "<", "⟨": "<", "⟩": ">", "╵": "'", "┤": "|", "│": "|", "─": "-", "→": ">", "←": "<", "\u{202F}": " ",
    "’": "'", "“": "\"", "”": "\"",
  ]
}
