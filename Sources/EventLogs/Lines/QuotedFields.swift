import Bytes

/// A line of text in a table with separators (RFC 4180), as viewers of logs export it: `…,INFO,"onDisconnect ""Kicked"""`;
/// or a line that is one string of JSON.
enum QuotedFields {
  /// Returns the fields without their quotes, separated by blanks; nil if no field is quoted, or a quoted one is
  /// JSON, which is read as that.
  static func text(of line: ArraySlice<UInt8>) -> [UInt8]? {
    guard line.contains(quote) else { return nil }
    return fields(of: line) ?? string(line)
  }

  private static let quote = UInt8(ascii: "\"")
  private static let comma = UInt8(ascii: ",")

  private static func fields(of line: ArraySlice<UInt8>) -> [UInt8]? {
    var out: [UInt8] = []
    var isQuoted = false
    var rest = line
    while true {
      if rest.first == quote {
        isQuoted = true
        rest.removeFirst()
        if let first = rest.first, first == UInt8(ascii: "{") || first == UInt8(ascii: "[") { return nil }
        while let end = rest.firstIndex(of: quote) {
          out += rest[..<end]
          rest = rest[(end + 1)...]
          guard rest.first == quote else { break }
          out.append(quote)
          rest.removeFirst()
        }
        guard rest.isEmpty || rest.first == comma else { return nil }
      } else {
        let field = rest.prefix { $0 != comma }
        if field.contains(quote) { return nil }
        out += field
        rest = rest[field.endIndex...]
      }
      guard rest.popFirst() != nil else { return isQuoted ? out : nil }
      out.append(UInt8(ascii: " "))
    }
  }

  private static func string(_ line: ArraySlice<UInt8>) -> [UInt8]? {
    guard line.first == quote, line.last == quote else { return nil }
    return line.withUnsafeBufferPointer { bytes in
      var scanner = JSONScanner(bytes)
      guard let string = try? scanner.string(), (try? scanner.finish()) != nil else { return nil }
      return string.decoded()
    }
  }
}
