import Bytes

/// Quotes words for a POSIX shell.
public enum ShellWord {
  /// The word, quoted if necessary.
  public static func quoted(_ text: String) -> String {
    let isPlain = !text.isEmpty && text.utf8.allSatisfy { $0.isASCIIWord || "-.".utf8.contains($0) }
    if isPlain { return text }
    // A word whose only special character is a single quote is more readable in double quotes.
    if text.contains("'"), !text.contains(where: { "\"$`\\!".contains($0) }) { return "\"\(text)\"" }
    return "'" + text.replacing("'", with: "'\\''") + "'"
  }
}
