/// How rows of a list are printed; the raw value is the word of `--format`.
public enum RowFormat: String, Sendable, CaseIterable {
  /// Aligned columns for people.
  case table
  /// JSON Lines: an object a row.
  case json
  /// RFC 4180, for spreadsheets and programs.
  case csv
  /// Tab-separated; tab, line end and backslash inside a value as `\t`, `\n`, `\r`, `\\`.
  case tsv
  /// A table of GitHub Markdown.
  case markdown
}
