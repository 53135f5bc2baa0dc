/// One pass over bytes that finds what must not be kept.
struct RedactorScan {
  struct Cut {
    var range: Range<Int>
    /// The secret was a bare number among JSON members: the mark needs quotes to stay JSON.
    var needsQuotes: Bool
  }

  let bytes: UnsafeBufferPointer<UInt8>
  let names: SecretNames
  private(set) var cuts: [Cut] = []

  init(bytes: UnsafeBufferPointer<UInt8>, names: SecretNames) {
    self.bytes = bytes
    self.names = names
  }

  mutating func run() {
    var at = 0
    while at < bytes.count {
      guard Self.isWord(bytes[at]) else {
        at = at + 1
        continue
      }
      var end = at + 1
      while end < bytes.count, Self.isWord(bytes[end]) { end += 1 }
      at = max(end, visit(word: at..<end))
    }
  }

  // Looks at one word; returns where to go on.
  private mutating func visit(word: Range<Int>) -> Int {
    let first = bytes[word.lowerBound]
    if first == 0x65, starts("eyJ", at: word.lowerBound), let end = jsonWebToken(word) {
      cut(word.lowerBound..<end)
      return end
    }
    if word.upperBound < bytes.count, bytes[word.upperBound] == 0x3A, let end = userInfo(after: word) {
      return end
    }
    guard names.mayBeSecret(last: bytes[word.upperBound - 1]) || first | 0x20 == 0x62 else {
      return word.upperBound
    }
    let name = strippedOfEscape(word)
    if isBearer(name) { return spaced(after: name.upperBound, least: 8, needsDigit: false) }
    guard names.isSecret(ArraySlice(bytes[name])) else { return word.upperBound }
    return secret(name)
  }

  // A secret's name: what follows a colon or an equals sign goes, and so does a word that looks like a secret.
  private mutating func secret(_ name: Range<Int>) -> Int {
    var at = name.upperBound
    let wasQuoted = skipQuote(&at)
    skipSpace(&at)
    guard skipSeparator(&at) else {
      return wasQuoted
        ? name.upperBound : spaced(after: name.upperBound, least: isPIN(name) ? 4 : 16, needsDigit: true)
    }
    skipSpace(&at)
    guard at < bytes.count else { return at }
    var slashes = 0
    while at + slashes < bytes.count, bytes[at + slashes] == 0x5C { slashes += 1 }
    if at + slashes < bytes.count, bytes[at + slashes] == 0x22 || bytes[at + slashes] == 0x27 {
      return quoted(at + slashes + 1, quote: bytes[at + slashes], slashes: slashes)
    }
    if bytes[at] == 0x7B || bytes[at] == 0x5B { return at }
    let takesLine = !wasQuoted && SecretNames.takesLine(ArraySlice(bytes[name]))
    return bare(at, takesLine: takesLine, isMember: wasQuoted, name: name)
  }

  // A value between quotes; inside a JSON string the quotes are escaped, and end with as many backslashes as they began with.
  private mutating func quoted(_ start: Int, quote: UInt8, slashes: Int) -> Int {
    var at = start
    var run = 0
    while at < bytes.count {
      if bytes[at] == 0x5C {
        run += 1
      } else {
        if bytes[at] == quote, slashes == 0 ? run % 2 == 0 : run == slashes { break }
        run = 0
      }
      at += 1
    }
    let end = at < bytes.count ? max(start, at - (slashes == 0 ? 0 : slashes)) : at
    if !SecretNames.isHarmless(ArraySlice(bytes[start..<end])) { cut(start..<end) }
    return end
  }

  private mutating func bare(_ start: Int, takesLine: Bool, isMember: Bool, name: Range<Int>) -> Int {
    var end = start
    while end < bytes.count,
      takesLine ? bytes[end] >= 0x20 && bytes[end] != 0x22 : !Self.endsValue(bytes[end])
    {
      if bytes[end] == 0x25, starts("%26", at: end) || starts("%23", at: end) { break }
      end += 1
    }
    let value = ArraySlice(bytes[start..<end])
    if SecretNames.isHarmless(value) { return end }
    // `inline` and `signature` are ordinary words too: only what can be a key is one.
    if starts("inline", at: name.lowerBound), value.count < 16 { return end }
    cuts.append(Cut(range: start..<end, needsQuotes: isMember))
    return end
  }

  // `PIN 2468`, `Bearer abc…`, `token abc…`: no separator, so only what looks like a secret goes.
  private mutating func spaced(after end: Int, least: Int, needsDigit: Bool) -> Int {
    var start = end
    skipSpace(&start)
    guard start > end else { return end }
    var at = start
    var digits = 0
    while at < bytes.count, !Self.endsValue(bytes[at]) {
      if bytes[at] >= 0x30 && bytes[at] <= 0x39 { digits += 1 }
      at += 1
    }
    if SecretNames.isHarmless(ArraySlice(bytes[start..<at])) { return at }
    let isPIN = least == 4
    guard at - start >= least, !needsDigit || (isPIN ? digits == at - start : digits > 0) else { return end }
    cut(start..<at)
    return at
  }

  private mutating func cut(_ range: Range<Int>) {
    if !range.isEmpty { cuts.append(Cut(range: range, needsQuotes: false)) }
  }

  // `scheme://user:password@host` and `turn:user:password@host`; the address itself is not secret.
  private mutating func userInfo(after word: Range<Int>) -> Int? {
    let isTurn =
      [4, 5].contains(word.count)
      && (starts("turn", at: word.lowerBound) || starts("stun", at: word.lowerBound))
    guard starts("://", at: word.upperBound) || isTurn else { return nil }
    let start = word.upperBound + (starts("://", at: word.upperBound) ? 3 : 1)
    var at = start
    while at < bytes.count, at - start < 512, bytes[at] != 0x2F, bytes[at] != 0x3F, !Self.endsValue(bytes[at])
    {
      if bytes[at] == 0x40 {
        cut(start..<at)
        return at
      }
      at += 1
    }
    return nil
  }
}
