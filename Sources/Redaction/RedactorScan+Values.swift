import Bytes

/// The extent of a secret's value, in all notations of logs.
extension RedactorScan {
  // Longest argument list searched for its end.
  private static let longestCall = 4096

  /// How many digits make a word look like a secret.
  enum Digits { case token, any, some, only }
  /// The shortest word of letters alone that is taken for a token: words in the causes of Q.850 have up to 16.
  private static let longWord = 20

  /// The value after `name:` or `name =`. `quote` is the quote that closed the name, if any.
  mutating func value(_ start: Int, of name: Range<Int>, quote close: Range<Int>?) -> Int {
    var at = start
    skipSpace(&at)
    skipFold(&at)
    if starts("mikey ", at: at) { at += 6 }  // a=key-mgmt (RFC 4567): the protocol, then its message
    guard at < bytes.count else { return at }
    if DTMFDigits.isName(slice(name)) {
      return digits(at..<word(at), quote: close)
    }
    // b'…' of Python, @"…" of Objective-C.
    if at + 1 < bytes.count, bytes[at] == UInt8(ascii: "b") || bytes[at] == UInt8(ascii: "@"),
      quote(at: at + 1) != nil
    {
      at += 1
    }
    if let open = quote(at: at) {
      if close == nil, at == start, endsString(open, behind: name) { return open.upperBound }
      return quoted(open, of: name)
    }
    if close == nil, SecretNames.takesLine(slice(name)) { return line(at) }
    if close == nil, SecretNames.isList(slice(name)) {
      return SecretNames.mayBe(slice(at..<lineEnd(at)), isQuoted: false, of: slice(name)) ? line(at) : at
    }
    if starts("[redacted", at: at) { return at }
    switch bytes[at] {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      // Neither a digest response nor a token, and long.
      if isVague(name) { return at }
      return take(at..<structure(at), of: name, quote: close)
    case UInt8(ascii: "("): return take(at..<call(at), of: name, quote: close)
    case UInt8(ascii: "<"): return take(at..<angle(at), of: name, quote: close)
    default: return take(at..<word(at), of: name, quote: close)
    }
  }

  /// Keys that were pressed, which may be a PIN.
  mutating func digits(_ plain: Range<Int>, quote close: Range<Int>?) -> Int {
    let open = quote(at: plain.lowerBound)
    let start = open?.upperBound ?? plain.lowerBound
    var end = start
    while end < bytes.count, DTMFDigits.isKey(bytes[end]) { end += 1 }
    let isWhole = end == bytes.count || !Self.isWord(bytes[end])
    guard isWhole, DTMFDigits.areKeys(slice(start..<end)) else { return plain.lowerBound }
    return cut(start..<end, quote: open == nil ? close : nil)
  }

  /// The keys after a name and a blank, `sendDTMF 2468#`: one or two digits are rather a count or a payload type.
  mutating func keysBehindBlank(_ gap: Range<Int>) -> Int {
    var end = gap.upperBound
    while end < bytes.count, DTMFDigits.isKey(bytes[end]) { end += 1 }
    let keys = slice(gap.upperBound..<end)
    guard !gap.isEmpty, keys.count >= 4, DTMFDigits.areKeys(keys) else { return gap.lowerBound }
    return digits(gap.upperBound..<end, quote: nil)
  }

  /// The end of a line whose next begins with a blank, and so continues it, as headers may (RFC 5322 2.2.3), as itself
  /// or in escapes.
  func skipFold(_ at: inout Int) {
    guard let first = endOfLine(at: at) else { return }
    var next = first
    skipSpace(&next)
    if next > first { at = next }
  }

  /// As many as three layers of escapes give.
  private static let mostBackslashes = 8

  /// The place after CR and LF, or LF, as themselves or as `\r\n` with any number of backslashes; nil if no line ends.
  func endOfLine(at start: Int) -> Int? {
    var at = start
    for (sign, letter) in [(UInt8(ascii: "\r"), UInt8(ascii: "r")), (UInt8(ascii: "\n"), UInt8(ascii: "n"))] {
      var next = at
      while next < bytes.count, next - at < Self.mostBackslashes, bytes[next] == UInt8(ascii: "\\") {
        next += 1
      }
      if next < bytes.count, bytes[next] == (next == at ? sign : letter) {
        at = next + 1
      } else if sign == UInt8(ascii: "\n") {
        return nil
      }
    }
    return at
  }

  /// A quoted value; in a JSON string the quotes are escaped, and the closing one has as many backslashes as the
  /// opening one.
  mutating func quoted(_ open: Range<Int>, of name: Range<Int>) -> Int {
    let mark = bytes[open.upperBound - 1]
    let isPlain = mark == UInt8(ascii: "\"") || mark == UInt8(ascii: "'")
    let slashes = isPlain ? open.count - 1 : 0
    var at = open.upperBound
    var run = 0
    while at < bytes.count {
      if !isPlain {
        if equal(open, at: at) || bytes[at] < UInt8(ascii: " ") || bytes[at] == UInt8(ascii: "\"") { break }
      } else if bytes[at] == UInt8(ascii: "\\") {
        run += 1
      } else {
        if bytes[at] == mark, slashes == 0 ? run % 2 == 0 : run == slashes { break }
        run = 0
      }
      at += 1
    }
    let end = at < bytes.count ? max(open.upperBound, at - slashes) : at
    return take(open.upperBound..<end, of: name, quote: nil, isQuoted: true)
  }

  /// Whether a quote directly after `token=` ends the surrounding string, as in `"https://h/x?token="`, and there is no
  /// value: an opening quote of the same kind comes before, and no text follows.
  private func endsString(_ quote: Range<Int>, behind name: Range<Int>) -> Bool {
    let mark = bytes[quote.upperBound - 1]
    let next = quote.upperBound
    guard mark == UInt8(ascii: "\"") || mark == UInt8(ascii: "'"),
      next == bytes.count || Self.followsString(bytes[next])
    else {
      return false
    }
    var at = name.lowerBound
    let limit = max(0, at - Self.longestCall)
    while at > limit, bytes[at - 1] != mark, bytes[at - 1] != UInt8(ascii: "\n") { at -= 1 }
    guard at > limit, bytes[at - 1] == mark else { return false }
    var before = at - 1
    while before > 0, bytes[before - 1] == UInt8(ascii: "\\") { before -= 1 }
    return before == 0 || Self.precedesString(bytes[before - 1])
  }

  /// `PIN 2468`, `Bearer abc…`, `token is abc…`: without a separator, only what looks like a secret is removed.
  mutating func spaced(after end: Int, least: Int, digits wanted: Digits) -> Int {
    var start = end
    skipSpace(&start)
    if start == end, starts("%20", at: end) { start += 3 }
    guard start > end else { return end }
    var least = least
    if starts("is ", at: start) {
      start += 3
      least = min(least, 4)
    }
    if let open = quote(at: start) { start = open.upperBound }
    var at = start
    var digits = 0
    while at < bytes.count, !Self.endsValue(bytes[at]) {
      if bytes[at].isASCIIDigit { digits += 1 }
      at += 1
    }
    if SecretNames.isHarmless(slice(start..<at)) { return at }
    switch wanted {
    case .token: if digits == 0, isWord(start..<at) { return end }
    case .any: break
    case .some: if digits == 0 { return end }
    case .only: if digits < at - start { return end }
    }
    return at - start >= least ? cut(start..<at) : end
  }

  /// Whether letters are a word, `capability`, rather than a token: as short as one, in lower case but for the first.
  private func isWord(_ range: Range<Int>) -> Bool {
    let letters = slice(range)
    guard letters.count < Self.longWord else { return false }
    return letters.dropFirst().allSatisfy {
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0 == UInt8(ascii: "-")
    }
      || letters.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
  }

  /// Whether a value is the status of a request whose path ends with the name: `…/request_token -> 404`.
  private func isStatus(_ value: UnsafeBufferPointer<UInt8>, of name: Range<Int>) -> Bool {
    guard value.count == 3, value.allSatisfy(\.isASCIIDigit), let first = value.first,
      (UInt8(ascii: "1")...UInt8(ascii: "5")).contains(first)
    else { return false }
    var at = name.lowerBound
    while at > 0, name.lowerBound - at < 64, bytes[at - 1].isASCIIWord { at -= 1 }
    return at > 0 && bytes[at - 1] == UInt8(ascii: "/")
  }

  mutating func take(
    _ range: Range<Int>, of name: Range<Int>, quote: Range<Int>?, isQuoted: Bool = false
  )
    -> Int
  {
    let value = slice(range)
    if SecretNames.isHarmless(value) || isStatus(value, of: name) { return range.upperBound }
    if !mayBe(value, isQuoted: isQuoted, of: name) {
      // The value of a name that is not secret may contain secrets.
      return isQuoted || isVague(name) ? range.lowerBound : range.upperBound
    }
    return cut(range, quote: quote)
  }

  // The rest of a header line; inside a string, the rest of the string.
  private mutating func line(_ start: Int) -> Int {
    if isString {
      return SecretNames.isHarmless(slice(start..<bytes.count)) ? bytes.count : cut(start..<bytes.count)
    }
    let stops = isInString(start)
    var end = start
    while end < bytes.count,
      bytes[end] >= UInt8(ascii: " ") || bytes[end] == UInt8(ascii: "\t") || goesOn(end)
    {
      if stops, bytes[end] == UInt8(ascii: "\"") { break }
      end += stops && bytes[end] == UInt8(ascii: "\\") && end + 1 < bytes.count ? 2 : 1
    }
    let value = slice(start..<end)
    return SecretNames.isHarmless(value) ? end : cut(start..<end)
  }

  private func lineEnd(_ start: Int) -> Int {
    var end = start
    while end < bytes.count,
      bytes[end] >= UInt8(ascii: " ") && bytes[end] != UInt8(ascii: "\"") && bytes[end] != UInt8(ascii: "\\")
        || goesOn(end)
    { end += 1 }
    return end
  }

  /// Whether a header goes on after the end of its line that is, or begins, here.
  private func goesOn(_ place: Int) -> Bool {
    var at = place
    skipFold(&at)
    return at > place
  }

  private func word(_ start: Int) -> Int {
    var end = start
    while end < bytes.count, !Self.endsValue(bytes[end]) {
      if bytes[end] == UInt8(ascii: "%"),
        starts("%26", at: end) || starts("%23", at: end) || starts("%22", at: end) || starts("%2C", at: end)
          || starts("%7D", at: end) || starts("%2526", at: end) || starts("%2522", at: end)
      {
        break
      }
      if bytes[end] == UInt8(ascii: "(") { return call(end) }  // Optional("…"), Token(value=…)
      end += 1
    }
    return end
  }

  // From an opening parenthesis to the matching closing one.
  private func call(_ start: Int) -> Int {
    let limit = min(bytes.count, start + Self.longestCall)
    var depth = 0
    var at = start
    while at < limit {
      if bytes[at] == UInt8(ascii: "(") { depth += 1 }
      if bytes[at] == UInt8(ascii: ")") {
        depth -= 1
        if depth == 0 { return at + 1 }
      }
      at += 1
    }
    return limit
  }

  // `<1a2b3c4d 5e6f7081>`, as printed for NSData.
  private func angle(_ start: Int) -> Int {
    var at = start
    while at < bytes.count, bytes[at] != UInt8(ascii: ">"), bytes[at] >= UInt8(ascii: " "),
      bytes[at] != UInt8(ascii: "\"")
    { at += 1 }
    return at < bytes.count && bytes[at] == UInt8(ascii: ">") ? at + 1 : at
  }

  // A whole array or object: everything in a secret is secret.
  private func structure(_ start: Int) -> Int {
    let open = bytes[start]
    let close = open + 2
    var depth = 0
    var run = 0
    var isInside = false
    var slashes: Int?
    var at = start
    while at < bytes.count {
      let byte = bytes[at]
      if byte == UInt8(ascii: "\\") {
        run += 1
      } else {
        if byte == UInt8(ascii: "\"") {
          if slashes == nil { slashes = run }
          if slashes == 0 ? run % 2 == 0 : run == slashes { isInside.toggle() }
        } else if !isInside {
          if byte == open { depth += 1 }
          if byte == close {
            depth -= 1
            if depth == 0 { return at + 1 }
          }
        }
        run = 0
      }
      at += 1
    }
    return at
  }
}
