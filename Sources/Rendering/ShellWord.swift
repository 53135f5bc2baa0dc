import Bytes

/// A word of a command line for a POSIX shell.
public enum ShellWord {
  /// The word, in quotes where it needs them.
  public static func quoted(_ text: String) -> String {
    let isPlain = !text.isEmpty && text.utf8.allSatisfy { $0.isASCIIWord || "-.".utf8.contains($0) }
    if isPlain { return text }
    // Nothing but a quote is best read in the other quotes.
    if text.contains("'"), !text.contains(where: { "\"$`\\!".contains($0) }) { return "\"\(text)\"" }
    return "'" + text.replacing("'", with: "'\\''") + "'"
  }
}
