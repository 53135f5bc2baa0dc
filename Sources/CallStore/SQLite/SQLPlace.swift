/// Where in a text of SQL a mistake stands.
public enum SQLPlace {
  /// The 1-based line of a byte; where SQLite gives none (-1, as for tables that are not there), of the word that its message ends with.
  static func line(ofByte byte: Int, message: String, in sql: String) -> Int? {
    if byte >= 0 { return 1 + sql.utf8.prefix(byte).count { $0 == UInt8(ascii: "\n") } }
    guard let colon = message.lastIndex(of: ":") else { return nil }
    let word = message[message.index(after: colon)...].drop { $0 == " " }
    return word.isEmpty ? nil : line(of: String(word), in: sql)
  }

  /// The 1-based line of the first place, outside comments, where a word stands; a parameter is named without its colon.
  public static func line(of word: String, in sql: String) -> Int? {
    let lines = sql.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    return lines.firstIndex { holds($0, word[...]) }.map { $0 + 1 }
  }

  /// Whether a line has the word, by itself and not in a comment.
  private static func holds(_ line: Substring, _ word: Substring) -> Bool {
    let code = line.firstRange(of: "--").map { line[..<$0.lowerBound] } ?? line
    return code.split { !($0.isLetter || $0.isNumber || $0 == "_") }.contains(word)
  }
}
