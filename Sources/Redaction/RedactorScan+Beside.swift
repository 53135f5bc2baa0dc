import Bytes

/// Secrets beside their name without a colon or equals sign: in pairs, lists, elements, sentences and commands.
extension RedactorScan {
  /// `"name": "Cookie", "value": "…"`, `name = "X-Pin"; value = "…"`, and `["Authorization", "…"]`: the name is itself
  /// a value, and the secret follows.
  mutating func besideName(_ name: Range<Int>, _ end: Range<Int>) -> Int {
    var at = end.upperBound
    if let part = partOfForm(after: at), names.isSecret(slice(name)) { return cut(part) }
    skipSpace(&at)
    guard at < bytes.count, bytes[at] == UInt8(ascii: ",") || bytes[at] == UInt8(ascii: ";") else {
      return end.upperBound
    }
    at += 1
    skipSpace(&at)
    let open = quote(at: at)
    let word = wordAhead(open?.upperBound ?? at)
    if SecretNames.isValue(slice(word)) {
      let close = open == nil ? nil : quote(at: word.upperBound)
      at = close?.upperBound ?? word.upperBound
      skipSpace(&at)
      if close != nil || open == nil, skipSeparator(&at) { return value(at, of: name, quote: close) }
    }
    guard let open else { return end.upperBound }
    // Names of events may be adjacent too: without a hyphen in the name, only values that look like a secret count.
    let isSecret =
      SecretNames.isHeader(slice(name))
      || SecretNames.looksSecret(slice(textAhead(open.upperBound)), of: slice(name))
    return isSecret ? quoted(open, of: name) : end.upperBound
  }

  /// The content of a part of a form (RFC 7578), which follows its headers and an empty line.
  private func partOfForm(after start: Int) -> Range<Int>? {
    guard let begin = endOfLine(at: start).flatMap({ endOfLine(at: $0) }) else { return nil }
    var end = begin
    while end < bytes.count, bytes[end] >= UInt8(ascii: " "), bytes[end] != UInt8(ascii: "\\"),
      bytes[end] != UInt8(ascii: "\"")
    { end += 1 }
    return end > begin && !SecretNames.isHarmless(slice(begin..<end)) ? begin..<end : nil
  }

  /// `[token, …]`, as .NET prints a pair, and `[Authorization, Bearer …]`.
  func secondOfPair(_ name: Range<Int>) -> Range<Int>? {
    guard name.lowerBound > 0, bytes[name.lowerBound - 1] == UInt8(ascii: "[") else { return nil }
    var at = name.upperBound
    skipSpace(&at)
    guard at < bytes.count, bytes[at] == UInt8(ascii: ",") else { return nil }
    at += 1
    skipSpace(&at)
    if starts("[redacted", at: at) { return nil }
    let isHeader = SecretNames.isHeader(slice(name))
    var end = at
    while end < bytes.count, bytes[end] != UInt8(ascii: "]"), bytes[end] >= UInt8(ascii: " "),
      isHeader || !Self.endsValue(bytes[end])
    {
      end += 1
    }
    let value = slice(at..<end)
    guard !SecretNames.isHarmless(value), isHeader || SecretNames.looksSecret(value, of: slice(name)) else {
      return nil
    }
    return at..<end
  }

  /// Whether `=>` or `=` follows the bracket around a name: `[token] => …` of PHP, `["token"] = …`.
  func separatorBehindBracket(_ end: Int, of name: Range<Int>, _ quote: Range<Int>?) -> Int? {
    let open = name.lowerBound - (quote?.count ?? 0) - 1
    guard end < bytes.count, bytes[end] == UInt8(ascii: "]"), open >= 0, bytes[open] == UInt8(ascii: "[")
    else { return nil }
    var at = end + 1
    skipSpace(&at)
    return at < bytes.count && bytes[at] == UInt8(ascii: "=") ? at : nil
  }

  /// The argument of a function or subscript with a secret's name: `setPassword("…")`, `Password[…]`, `sendDTMF(4821)`.
  /// Only quoted text, digits of keys, and what looks like a secret, as functions are also named after what they fetch.
  func handedOver(_ place: Int, to name: Range<Int>) -> Range<Int>? {
    guard place < bytes.count, bytes[place] == UInt8(ascii: "(") || bytes[place] == UInt8(ascii: "[") else {
      return nil
    }
    var at = place + 1
    skipSpace(&at)
    let open = quote(at: at)
    let start = open?.upperBound ?? at
    var end = start
    while end < bytes.count, !Self.endsValue(bytes[end]) { end += 1 }
    let value = slice(start..<end)
    if SecretNames.isHarmless(value) || starts("[redacted", at: start) { return nil }
    if DTMFDigits.isName(slice(name)) {
      return DTMFDigits.areKeys(value) && value.allSatisfy(DTMFDigits.isKey) ? start..<end : nil
    }
    guard names.isSecret(slice(name)), end > start else { return nil }
    let isPassword = SecretNames.isPassword(slice(name)) || SecretNames.isCode(slice(name))
    return SecretNames.looksSecret(value, of: slice(name)) || open != nil && isPassword ? start..<end : nil
  }

  /// The value after a secret's name and a blank: after a command line option, `--password …`, any value; after a tab,
  /// as in tables, passwords and what looks like a secret.
  func valueBehindBlank(_ gap: Range<Int>, of name: Range<Int>) -> Range<Int>? {
    guard !gap.isEmpty else { return nil }
    let isOption = starts("--", at: name.lowerBound)
    let hasTab =
      slice(gap).contains(UInt8(ascii: "\t")) || slice(gap).contains(UInt8(ascii: "\\"))
      || slice(gap).contains(UInt8(ascii: "%"))
    guard isOption || hasTab else { return nil }
    let start = quote(at: gap.upperBound)?.upperBound ?? gap.upperBound
    guard start < bytes.count, bytes[start] != UInt8(ascii: "-") else { return nil }
    var end = start
    while end < bytes.count, !Self.endsValue(bytes[end]) { end += 1 }
    let value = slice(start..<end)
    guard !SecretNames.isHarmless(value), !starts("[redacted", at: start) else { return nil }
    let isCode = SecretNames.isPassword(slice(name)) || SecretNames.isCode(slice(name))
    return isOption || isCode || SecretNames.looksSecret(value, of: slice(name)) ? start..<end : nil
  }

  // Longest start tag searched for its end, and longest prefix of a name.
  private static let longestTag = 256
  private static let longestPrefix = 32

  /// The content of an element with a secret's name: `<token>…</token>`, `<wsse:Password Type="x">…</wsse:Password>`.
  func contentOfElement(_ name: Range<Int>) -> Range<Int>? {
    var before = name.lowerBound - 1
    if before >= 0, bytes[before] == UInt8(ascii: ":") {
      let least = max(0, before - Self.longestPrefix)
      before -= 1
      while before > least, Self.isWord(bytes[before]) { before -= 1 }
    }
    guard before >= 0, bytes[before] == UInt8(ascii: "<") else { return nil }
    let limit = min(bytes.count, name.upperBound + Self.longestTag)
    var at = name.upperBound
    while at < limit, bytes[at] != UInt8(ascii: ">"), bytes[at] != UInt8(ascii: "<") { at += 1 }
    guard at < limit, bytes[at] == UInt8(ascii: ">"), bytes[at - 1] != UInt8(ascii: "/") else { return nil }
    let start = starts("<![CDATA[", at: at + 1) ? at + 10 : at + 1
    var end = start
    while end < bytes.count, bytes[end] != UInt8(ascii: "<"),
      start == at + 1 || bytes[end] != UInt8(ascii: "]")
    { end += 1 }
    let isClosed = starts("</", at: end) || starts("<\\/", at: end) || starts("]]>", at: end)
    return isClosed && end > start ? start..<end : nil
  }

  // Words that may occur between a secret's name and the secret, and their maximum number.
  private static let links: Set<String> = [
    "received", "refreshed", "renewed", "entered", "acquired", "obtained", "got", "issued", "generated",
    "created",
    "set", "changed", "updated", "replaced", "accepted", "typed", "given", "saved", "stored", "new", "code",
    "number",
    "value", "string", "now", "is", "was", "to", "as", "lautet", "ist", "est", "es",
  ]
  private static let maxLinks = 4

  /// `token received: …`, `token refreshed to …`, `PIN code is 2468`, `passcode "2468"`.
  func spoken(after name: Range<Int>) -> Range<Int>? {
    var at = name.upperBound
    for _ in 0..<Self.maxLinks {
      var start = at
      skipSpace(&start)
      var end = start
      while end < bytes.count, end - start < 10, bytes[end].isASCIILetter {
        end += 1
      }
      guard start > at, end > start,
        Self.links.contains(String(decoding: bytes[start..<end].map { $0 | 0x20 }, as: UTF8.self))
      else { break }
      at = end
    }
    let isLinked = at > name.upperBound
    let before = at
    skipSpace(&at)
    guard at > before || isLinked else { return nil }
    if isLinked, skipSeparator(&at) { skipSpace(&at) }
    let open = quote(at: at)
    at = open?.upperBound ?? at
    var end = at
    while end < bytes.count, !Self.endsValue(bytes[end]) { end += 1 }
    // The full stop of the sentence.
    while end > at, bytes[end - 1] == UInt8(ascii: ".") || bytes[end - 1] == UInt8(ascii: "!") { end -= 1 }
    let isCode = SecretNames.isCode(slice(name))
    guard isLinked || isCode || open != nil && SecretNames.isPassword(slice(name)),
      SecretNames.looksSecret(slice(at..<end), of: slice(name), least: 16)
    else { return nil }
    return at..<end
  }

  /// The password in an option: of curl `-u alice:…`, `--user "alice:…"`, of SIPp `-ap …`, of mysql `-p…`, and after
  /// `-p`, which is a port or a path elsewhere, what is neither.
  mutating func passwordOfOption(_ word: Range<Int>) -> Range<Int>? {
    if starts("-p", at: word.lowerBound), word.count > 4, ByteSearch.find("mysql", in: bytes) != nil {
      return word.lowerBound + 2..<word.upperBound
    }
    if word.count == 3 && starts("-ap ", at: word.lowerBound) || starts("-p ", at: word.lowerBound) {
      let text = textAhead(quote(at: word.upperBound + 1)?.upperBound ?? word.upperBound + 1)
      let (value, isPlain) = (slice(text), word.count == 3)
      let isPassword =
        value.count >= 6 && value.contains(where: \.isASCIIDigit) && value.contains(where: \.isASCIILetter)
        && !value.contains { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "=") }
      return isPlain && !SecretNames.isHarmless(value) || isPassword ? text : nil
    }
    let isOption =
      switch word.count {
      case 2: bytes[word.upperBound - 1] | 0x20 == UInt8(ascii: "u")
      case 6: starts("--user", at: word.lowerBound)
      case 12: starts("--proxy-user", at: word.lowerBound)
      default: false
      }
    var at = word.upperBound
    guard isOption, at < bytes.count, bytes[at] == UInt8(ascii: " ") || bytes[at] == UInt8(ascii: "=") else {
      return nil
    }
    at += 1
    at = quote(at: at)?.upperBound ?? at
    var end = at
    while end < bytes.count, !Self.endsValue(bytes[end]) { end += 1 }
    guard let colon = bytes[at..<end].firstIndex(of: UInt8(ascii: ":")), colon + 1 < end,
      !starts("://", at: colon),
      !SecretNames.isHarmless(slice(colon + 1..<end))
    else { return nil }
    let isCurls = hasCurl ?? (ByteSearch.find("curl", in: bytes) != nil)
    hasCurl = isCurls
    return isCurls ? colon + 1..<end : nil
  }

  private func wordAhead(_ start: Int) -> Range<Int> {
    var end = start
    while end < bytes.count, Self.isWord(bytes[end]) { end += 1 }
    return start..<end
  }

  private func textAhead(_ start: Int) -> Range<Int> {
    var end = start
    while end < bytes.count, !Self.endsValue(bytes[end]) { end += 1 }
    return start..<end
  }
}
