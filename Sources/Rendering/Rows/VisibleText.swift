/// Makes text from input safe and measurable for a terminal.
///
/// Ids and names come from logs of any origin. An escape sequence in a call id must not reach the terminal, and a mark
/// that changes the reading direction must be shown rather than take effect.
public enum VisibleText {
  /// The text with control characters, bidirectional marks and invisible marks written out.
  public static func visible(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { substitute($0) != nil }) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      if let shown = substitute(scalar) { result += shown } else { result.unicodeScalars.append(scalar) }
    }
    return result
  }

  /// The visible form of a character that must not take effect; nil if the character is harmless.
  static func substitute(_ scalar: Unicode.Scalar) -> String? {
    switch scalar.value {
    case 0x20...0x7E: return nil
    case 0x00...0x1F: return Unicode.Scalar(0x2400 + scalar.value).map(String.init)
    case 0x7F: return "\u{2421}"
    case 0x80...0x9F, 0x061C, 0x115F, 0x1160, 0x180E, 0x200B, 0x200E, 0x200F, 0x2028...0x202E,
      0x2060...0x206F,
      0x3164, 0xFEFF, 0xFFA0, 0xFFF9...0xFFFB, 0xE0000...0xE007F:
      return "⟨\(String(scalar.value, radix: 16, uppercase: true))⟩"
    default: return nil
    }
  }

  /// Number of terminal columns that visible text takes.
  public static func width(_ text: String) -> Int {
    text.unicodeScalars.reduce(0) { $0 + columns($1) }
  }

  /// Number of terminal columns of a character: 0 for combining marks, 2 for East Asian wide characters and emoji.
  package static func columns(_ scalar: Unicode.Scalar) -> Int {
    if scalar.value < 0x300 { return 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
      0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F,
      0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
      return 2
    default: return 1
    }
  }

  /// The text cut to `limit` columns; if something was cut, it ends in an ellipsis.
  public static func cut(_ text: String, to limit: Int) -> String {
    // Combining marks take no column, so their number per letter is limited.
    let marks = 4
    var width = 0
    var pile = 0
    var result = String.UnicodeScalarView()
    var end = result.endIndex
    for scalar in text.unicodeScalars {
      let columns = columns(scalar)
      pile = columns == 0 ? pile + 1 : 0
      if pile > marks { continue }
      width += columns
      if width > limit {
        guard limit > 0 else { return "" }
        return String(String.UnicodeScalarView(result[..<end])) + "…"
      }
      result.append(scalar)
      if width <= limit - 1 { end = result.endIndex }
    }
    return String(result)
  }

  /// The text cut or padded with spaces to exactly `columns` columns.
  public static func fit(_ text: String, to columns: Int, rightAligned: Bool = false) -> String {
    let short = cut(text, to: columns)
    let space = String(repeating: " ", count: max(0, columns - width(short)))
    return rightAligned ? space + short : short + space
  }

  /// The text wrapped at spaces into lines of at most `limit` columns; longer words are split.
  public static func wrap(_ text: String, to limit: Int) -> [String] {
    guard limit > 0 else { return [text] }
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ", omittingEmptySubsequences: true) {
      var word = String(word)
      if !line.isEmpty, width(line) + 1 + width(word) <= limit {
        line += " " + word
        continue
      }
      if !line.isEmpty { lines.append(line) }
      while width(word) > limit {
        let head = prefix(word, columns: limit)
        lines.append(head)
        word = String(word.unicodeScalars.dropFirst(head.unicodeScalars.count))
      }
      line = word
    }
    if !line.isEmpty || lines.isEmpty { lines.append(line) }
    return lines
  }

  private static func prefix(_ text: String, columns limit: Int) -> String {
    var taken = 0
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      taken += columns(scalar)
      if taken > limit, !result.isEmpty { break }
      result.append(scalar)
    }
    return String(result)
  }
}
