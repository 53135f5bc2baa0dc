/// Reads a CSV table with a column of JSON, as exported by databases, as a source of JSON lines: the field is unquoted,
/// and the rest of its row is dropped.
public enum JSONColumn {
  /// The lines; nil unless the first bytes show such a table.
  public static func lines(_ source: HeadedSource) -> (any ByteSource)? {
    guard isTable(source.head) else { return nil }
    var field = Field()
    return MappedBytes(source) { byte, out in field.take(byte, &out) }
  }

  // The first or second line has such a field, and neither begins with JSON.
  private static func isTable(_ head: [UInt8]) -> Bool {
    let lines = head.lines(most: 2)
    guard let first = lines.first?.first(where: { $0 > UInt8(ascii: " ") }), !"{[".utf8.contains(first) else {
      return false
    }
    return lines.contains { line in
      line.indices.contains { place in
        line[place] == quote && (place == line.startIndex || line[place - 1] == comma)
          && begins(line[(place + 1)...].prefix(3))
      }
    }
  }

  /// Whether bytes begin a quoted field that holds an object or a list of objects.
  private static func begins(_ bytes: some Collection<UInt8>) -> Bool {
    let bytes = Array(bytes)
    guard bytes.count == 3 else { return false }
    return bytes == [UInt8(ascii: "{"), quote, quote]
      || bytes == [UInt8(ascii: "["), UInt8(ascii: "{"), quote]
  }

  /// The parser's state within a row.
  private struct Field {
    private var isFirst = true
    private var isQuoted = false
    private var isJSON = false
    /// A quote was read that ends the field or is the first of two; the first bytes of a quoted field.
    private var hasQuote = false
    private var opening: [UInt8]?

    mutating func take(_ byte: UInt8?, _ out: inout [UInt8]) {
      guard let byte else { return out += opening.map { [quote] + $0 } ?? [] }
      if var seen = opening {
        seen.append(byte)
        opening = seen
        guard seen.count == 3 || byte == UInt8(ascii: "\n") else { return }
        opening = nil
        isJSON = begins(seen)
        if !isJSON { out.append(quote) }
        for byte in seen { inside(byte, &out) }
        return
      }
      if isQuoted { return inside(byte, &out) }
      if byte == quote, isFirst {
        (isQuoted, opening, isFirst) = (true, [], false)
        return
      }
      isFirst = byte == comma || byte == UInt8(ascii: "\n")
      out.append(byte)
    }

    private mutating func inside(_ byte: UInt8, _ out: inout [UInt8]) {
      guard isQuoted else { return take(byte, &out) }
      if hasQuote {
        hasQuote = false
        if byte == quote { return out.append(quote) }
        return close(byte, &out)
      }
      if byte == quote { return hasQuote = true }
      // JSON may span several lines.
      out.append(isJSON && byte < UInt8(ascii: " ") ? UInt8(ascii: " ") : byte)
    }

    // The rest of the row goes to a separate line.
    private mutating func close(_ byte: UInt8, _ out: inout [UInt8]) {
      isQuoted = false
      if isJSON, byte == comma {
        out.append(UInt8(ascii: "\n"))
      } else {
        if !isJSON { out.append(quote) }
        out.append(byte)
      }
      isFirst = true
    }
  }

  private static let quote = UInt8(ascii: "\"")
  private static let comma = UInt8(ascii: ",")
}
