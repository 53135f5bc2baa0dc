/// JSON in what is scanned is taken as JSON: each string by itself, so that what comes out is JSON of the same shape.
extension RedactorScan {
  /// The place behind a JSON value that begins here, its secrets cut out of it; nil where none does.
  ///
  /// What is no JSON after all was looked at in vain: no more of that than a few times the length of the whole.
  mutating func document(at start: Int) -> Int? {
    guard mayBeDocument(at: start), lookedAtInVain <= 8 * bytes.count else { return nil }
    var scanner = JSONScanner(bytes)
    scanner.position = start
    do {
      try scanner.skip()
    } catch {
      lookedAtInVain += max(error.byte - start, 1)
      return nil
    }
    let end = scanner.position
    if isIndex(start..<end) { return nil }
    var walk = SecretsInJSON(bytes: bytes, names: names)
    for found in walk.cuts(in: start..<end) { cut(found) }
    return end
  }

  // An object, an array, or a string with one of them in it.
  private func mayBeDocument(at start: Int) -> Bool {
    switch bytes[start] {
    case UInt8(ascii: "{"), UInt8(ascii: "["): true
    case UInt8(ascii: "\""):
      starts("\"{\\\"", at: start) || starts("\"[\\\"", at: start) || starts("\"[{", at: start)
    default: false
    }
  }

  // `["token"] = …`: what is in brackets names what follows.
  private func isIndex(_ document: Range<Int>) -> Bool {
    var at = document.upperBound
    skipSpace(&at)
    return bytes[document.lowerBound] == UInt8(ascii: "[") && at < bytes.count
      && bytes[at] == UInt8(ascii: "=")
  }

  /// The text with its cuts made.
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
