import Bytes

/// Parses JSON in the text: each string by itself, so that the output is JSON with the same structure.
extension RedactorScan {
  /// The position after a JSON value that begins here, with its secrets removed; nil if it is not valid JSON.
  ///
  /// Bytes of invalid JSON are limited to a few times the total length.
  mutating func document(at start: Int) -> Int? {
    guard mayBeDocument(at: start), bytesNotJSON <= 8 * bytes.count else { return nil }
    var scanner = JSONScanner(bytes)
    scanner.position = start
    do {
      try scanner.skip()
    } catch {
      bytesNotJSON += max(error.byte - start, 1)
      return nil
    }
    let end = scanner.position
    if isIndex(start..<end) { return nil }
    var walk = SecretsInJSON(bytes: bytes, names: names)
    for found in walk.cuts(in: start..<end) { cut(found) }
    return end
  }

  // An object, an array, or a string that contains one.
  private func mayBeDocument(at start: Int) -> Bool {
    switch bytes[start] {
    case UInt8(ascii: "{"), UInt8(ascii: "["): true
    // A text alone may hold anything.
    case UInt8(ascii: "\""):
      start == 0 || starts("\"{\\\"", at: start) || starts("\"[\\\"", at: start) || starts("\"[{", at: start)
    default: false
    }
  }

  // `["token"] = …`: the bracket contains the name of what follows.
  private func isIndex(_ document: Range<Int>) -> Bool {
    var at = document.upperBound
    skipSpace(&at)
    return bytes[document.lowerBound] == UInt8(ascii: "[") && at < bytes.count
      && bytes[at] == UInt8(ascii: "=")
  }

  /// The text with all replacements made.
  func rendered() -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(bytes.count)
    var at = 0
    for cut in cuts {
      out.append(contentsOf: bytes[at..<cut.range.lowerBound])
      if let replacement = cut.replacement {
        out.append(contentsOf: replacement)
      } else {
        if let quote = cut.quote { out.append(contentsOf: bytes[quote]) }
        out.append(contentsOf: Redactor.mark.utf8)
        if let quote = cut.quote { out.append(contentsOf: bytes[quote]) }
      }
      at = cut.range.upperBound
    }
    out.append(contentsOf: bytes[at...])
    return out
  }
}
