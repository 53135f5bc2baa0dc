/// Secrets in the cells of a table: `user,password` with rows below, as CSV or TSV within a text.
extension RedactorScan {
  /// The most rows that are searched.
  private static let mostRows = 10_000

  /// The cells below a secret's name, if it stands in the first line of a table and rows follow; otherwise nil.
  mutating func cells(below name: Range<Int>) -> [Range<Int>]? {
    // All of one text take a few times its length.
    guard bytesOfTables <= 8 * bytes.count else { return nil }
    let quotes = quote(at: name.upperBound)?.count ?? 0
    guard let separator = separator(around: name, quotes: quotes) else { return nil }
    var start = name.lowerBound
    var column = 0
    // Other text may stand before the first line.
    while start > 0, !endsLine(before: start), isHeading(start - 1, separator) {
      start -= 1
      if bytes[start] == separator { column += 1 }
    }
    bytesOfTables += name.upperBound - start
    let isInString =
      start > 1 && bytes[start - 1] == UInt8(ascii: "\"") && ":[ ".utf8.contains(bytes[start - 2])
    var at = name.upperBound
    while at < bytes.count, endOfLine(at: at) == nil {
      guard isHeading(at, separator) else {
        bytesOfTables += at - name.upperBound
        return nil
      }
      at += 1
    }
    var found: [Range<Int>] = []
    var hasRows = false
    bytesOfTables += at - name.upperBound
    while found.count < Self.mostRows, let row = endOfLine(at: at) {
      bytesOfTables += at - start
      start = at
      guard let cell = self.cell(column, of: row, separator) else { break }
      hasRows = true
      if !SecretNames.isHarmless(slice(cell)) { found.append(cell) }
      at = cell.upperBound
      while at < bytes.count, endOfLine(at: at) == nil {
        if isInString, bytes[at] == UInt8(ascii: "\"") { return found }
        at += 1
      }
    }
    return hasRows ? found : nil
  }

  /// The separator beside a name, where a cell ends on its other side as well.
  private func separator(around name: Range<Int>, quotes: Int) -> UInt8? {
    let (before, after) = (name.lowerBound - quotes - 1, name.upperBound + quotes)
    let first = before >= 0 && !endsLine(before: before + 1) ? bytes[before] : nil
    let last = after < bytes.count && endOfLine(at: after) == nil ? bytes[after] : nil
    guard let separator = first ?? last, ",;\t".utf8.contains(separator), last == nil || last == separator
    else {
      return nil
    }
    return separator
  }

  /// Whether a byte belongs to a line of names. In prose a blank follows a comma.
  private func isHeading(_ place: Int, _ separator: UInt8) -> Bool {
    let byte = bytes[place]
    if byte == separator { return place + 1 == bytes.count || bytes[place + 1] != UInt8(ascii: " ") }
    return Self.isWord(byte) || byte == UInt8(ascii: " ")
      || byte == UInt8(ascii: "\"") && isQuoteOfCell(place, separator)
  }

  private func isQuoteOfCell(_ place: Int, _ separator: UInt8) -> Bool {
    place > 0 && bytes[place - 1] == separator || endsLine(before: place)
      || place + 1 < bytes.count && bytes[place + 1] == separator || endOfLine(at: place + 1) != nil
  }

  /// Whether a line ends before a place, as itself or in escapes.
  private func endsLine(before place: Int) -> Bool {
    guard place > 0 else { return true }
    let byte = bytes[place - 1]
    return byte == UInt8(ascii: "\n")
      || byte == UInt8(ascii: "n") && place > 1 && bytes[place - 2] == UInt8(ascii: "\\")
  }

  private func cell(_ column: Int, of row: Int, _ separator: UInt8) -> Range<Int>? {
    var (at, left) = (row, column)
    while left > 0 {
      guard at < bytes.count, endOfLine(at: at) == nil else { return nil }
      if bytes[at] == separator { left -= 1 }
      at += 1
    }
    let start = quote(at: at)?.upperBound ?? at
    var end = start
    while end < bytes.count, bytes[end] != separator, bytes[end] != UInt8(ascii: "\""),
      endOfLine(at: end) == nil
    {
      end += 1
    }
    return end > start ? start..<end : nil
  }
}
