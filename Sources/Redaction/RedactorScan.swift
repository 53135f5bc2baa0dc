import Bytes

/// One pass over bytes that finds secrets.
struct RedactorScan {
  struct Replacement {
    var range: Range<Int>
    /// The quote around the mark, if the secret was an unquoted value among JSON members: that of its name, with the
    /// same escapes.
    var quote: Range<Int>?
    /// The replacement, if it is not the mark.
    var replacement: [UInt8]?
  }

  let bytes: UnsafeBufferPointer<UInt8>
  let names: SecretNames
  private(set) var cuts: [Replacement] = []
  /// Whether the text is a curl command; nil until checked.
  var hasCurl: Bool?
  // How far quotes were counted, and whether that position is inside a string.
  private var countedTo = 0
  private var isInString = false
  /// Whether the bytes are one decoded string.
  let isString: Bool
  /// Number of bytes that were read as tables.
  var bytesOfTables = 0
  /// What was found ahead of the scan: cells of a table.
  private var ahead: [Replacement] = []
  /// End of a dialect's phrase that names a secret: its last word alone may be ambiguous.
  private var phraseEnd: Int?

  /// Whether a name is ambiguous, so that only values that look like a secret count.
  func isVague(_ name: Range<Int>) -> Bool {
    name.upperBound != phraseEnd && SecretNames.isVague(slice(name))
  }

  /// Whether a value can be the secret of this name.
  func mayBe(_ value: SecretNames.Word, isQuoted: Bool, of name: Range<Int>) -> Bool {
    name.upperBound == phraseEnd || SecretNames.mayBe(value, isQuoted: isQuoted, of: slice(name))
  }

  /// Number of bytes that began like JSON and were not.
  var bytesNotJSON = 0

  init(bytes: UnsafeBufferPointer<UInt8>, names: SecretNames, isString: Bool = false) {
    self.bytes = bytes
    self.names = names
    self.isString = isString
  }

  mutating func run() {
    var at = 0
    while at < bytes.count {
      guard Self.isWord(bytes[at]) else {
        at = bytes[at] < 0x80 ? at + 1 : passForeign(at: at)
        continue
      }
      at = pass(wordAt: at)
    }
    if !ahead.isEmpty { merge(ahead) }
  }

  /// The same with JSON parsing. A separate loop, as the other one runs for every line.
  mutating func runSeeingJSON() {
    var at = 0
    while at < bytes.count {
      at =
        Self.isWord(bytes[at])
        ? passOutOfLine(wordAt: at) : bytes[at] >= 0x80 ? passForeign(at: at) : document(at: at) ?? at + 1
    }
    if !ahead.isEmpty { merge(ahead) }
  }

  /// A secret's name with non-ASCII letters: `contraseña`, `пароль`.
  @inline(never)
  private mutating func passForeign(at place: Int) -> Int {
    guard let name = SecretNames.foreignName(at: place, in: bytes) else { return place + 1 }
    return max(place + 1, secret(name))
  }

  @inline(never)
  private mutating func passOutOfLine(wordAt start: Int) -> Int { pass(wordAt: start) }

  @inline(__always)
  private mutating func pass(wordAt start: Int) -> Int {
    var end = start + 1
    while end < bytes.count, Self.isWord(bytes[end]) { end += 1 }
    return max(end, visit(word: start..<end))
  }

  // Examines a word; returns the position after it.
  @inline(__always)
  private mutating func visit(word: Range<Int>) -> Int {
    switch bytes[word.lowerBound] {
    case UInt8(ascii: "e") where starts("eyJ", at: word.lowerBound):
      if let end = jsonWebToken(word) { return cut(word.lowerBound..<end) }
    case UInt8(ascii: "-"):
      if starts("-----BEGIN", at: word.lowerBound), let end = privateKey(from: word) {
        return cut(word.upperBound..<end)
      }
      if let password = passwordOfOption(word) { return cut(password) }
    default: break
    }
    if word.count > 12, bytes[word.lowerBound] < UInt8(ascii: "T"), let key = keyLogged(after: word) {
      return cut(key)
    }
    if mayBeProvidersKey(word), let key = providersKey(at: word) { return cut(key) }
    if bytes[word.upperBound - 1] == UInt8(ascii: "k"), word.count <= 2,
      let value = keyOfDescription(after: word)
    {
      return cut(value)
    }
    if let number = privateNumber(at: word) { return cut(number) }
    if word.count >= 12, let credentials = bareCredentials(at: word) { return cut(credentials) }
    guard word.upperBound < bytes.count else { return word.upperBound }
    if bytes[word.upperBound] == UInt8(ascii: ","), word.count >= 5, let keys = keysAfterNumber(word) {
      return cut(keys)
    }
    if bytes[word.upperBound] == UInt8(ascii: "="), let value = parameter(word) { return cut(value) }
    if bytes[word.upperBound] == UInt8(ascii: ":"), word.count >= 6, let key = keyPair(at: word) {
      return cut(key)
    }
    if bytes[word.upperBound] == UInt8(ascii: ":") || bytes[word.upperBound] == UInt8(ascii: "%"),
      let secret = userInfo(after: word)
    {
      return cut(secret)
    }
    let name = strippedOfEscape(word)
    switch name.count {
    case 1 where starts("1//0", at: name.lowerBound):
      if let token = refreshToken(at: name.lowerBound) { return cut(token) }
    case 4 where starts("WIFI:", at: name.lowerBound):
      if let password = networkPassword(after: name.upperBound) { return cut(password) }
    case 4 where starts("NTLM", at: name.lowerBound), 9 where starts("Negotiate", at: name.lowerBound):
      let end = spaced(after: name.upperBound, least: 16, digits: .token)
      if end > name.upperBound { return end }
    case 5 where starts("Basic", at: name.lowerBound) || starts("basic", at: name.lowerBound):
      if let value = basicCredentials(after: name.upperBound) { return cut(value) }
    case 6 where starts("Bearer", at: name.lowerBound) || starts("bearer", at: name.lowerBound):
      let end = spaced(after: name.upperBound, least: 8, digits: .token)
      if end > name.upperBound { return end }
    default: break
    }
    if DTMFDigits.isName(slice(name)) { return secret(name) }
    if names.isSpoken(name, in: bytes) {
      phraseEnd = name.upperBound
      return secret(name)
    }
    return names.isSecret(slice(name)) ? secret(name) : word.upperBound
  }

  // After a secret's name, the value after a colon or an equals sign is removed, and so is a word that looks like a
  // secret.
  private mutating func secret(_ name: Range<Int>) -> Int {
    if let cells = cells(below: name) {
      ahead += cells.map { Replacement(range: $0) }
      return name.upperBound
    }
    if let content = contentOfElement(name) {
      return take(content, of: name, quote: nil, isQuoted: true)
    }
    var at = name.upperBound
    let quote = quote(at: at)
    if let quote { at = quote.upperBound }
    // AnyHashable("token"): …
    let isWrapped = quote != nil && at < bytes.count && bytes[at] == UInt8(ascii: ")")
    if isWrapped { at += 1 }
    if let separator = separatorBehindBracket(at, of: name, quote) { at = separator }
    if let value = handedOver(at, to: name) { return cut(value) }
    let gap = at
    skipSpace(&at)
    guard skipSeparator(&at) else {
      if DTMFDigits.isName(slice(name)) { return keysBehindBlank(gap..<at) }
      if let value = valueBehindBlank(gap..<at, of: name) { return cut(value) }
      if isWrapped { return at }
      if let quote { return besideName(name, quote) }
      if let value = secondOfPair(name) { return cut(value) }
      if isVague(name) { return name.upperBound }
      if let value = spoken(after: name) { return cut(value) }
      let isPIN = name.count == 3 && SecretNames.isCode(slice(name))
      return spaced(after: name.upperBound, least: isPIN ? 4 : 16, digits: isPIN ? .only : .some)
    }
    return value(at, of: name, quote: quote)
  }

  @discardableResult
  mutating func cut(_ range: Range<Int>, quote: Range<Int>? = nil) -> Int {
    guard !range.isEmpty else { return range.upperBound }
    // A token may go on in the next line.
    let end = starts("eyJ", at: range.lowerBound) ? jsonWebToken(range) ?? range.upperBound : range.upperBound
    cuts.append(Replacement(range: range.lowerBound..<max(end, range.upperBound), quote: quote))
    return max(end, range.upperBound)
  }

  /// Adds replacements found in any order. Where several overlap, one of them covers the others, or all are replaced by
  /// one mark.
  mutating func merge(_ found: [Replacement]) {
    var merged: [Replacement] = []
    for cut in (cuts + found).sorted(by: { $0.range.lowerBound < $1.range.lowerBound })
    where !cut.range.isEmpty {
      guard let last = merged.last, cut.range.lowerBound < last.range.upperBound else {
        merged.append(cut)
        continue
      }
      if cut.range.upperBound <= last.range.upperBound { continue }
      merged[merged.count - 1] =
        cut.range.lowerBound == last.range.lowerBound
        ? cut : Replacement(range: last.range.lowerBound..<cut.range.upperBound)
    }
    cuts = merged
  }

  /// Adds a replacement found elsewhere.
  mutating func cut(_ found: Replacement) { cuts.append(found) }

  /// Whether a position is inside a string of the line. Call it for increasing positions, as counted quotes are not
  /// counted again.
  mutating func isInString(_ place: Int) -> Bool {
    while countedTo < place {
      switch bytes[countedTo] {
      case UInt8(ascii: "\n"): isInString = false
      case UInt8(ascii: "\\"): countedTo += 1  // and what it escapes
      case UInt8(ascii: "\""): isInString.toggle()
      default: break
      }
      countedTo += 1
    }
    return isInString
  }

  @inline(__always)
  func slice(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: bytes[range])
  }
}

/// Character classes used by the scan.
extension RedactorScan {
  @inline(__always)
  static func isWord(_ byte: UInt8) -> Bool {
    byte.isASCIIWord
      || byte == UInt8(ascii: "-")
  }

  // Space, quotes, & , ; < > ) ] } \ and control characters.
  @inline(__always)
  static func endsValue(_ byte: UInt8) -> Bool {
    switch byte {
    case 0...UInt8(ascii: " "), UInt8(ascii: "\""), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: ")"),
      UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"),
      UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: "`"):
      true
    default: false
    }
  }

  // Space, comma, semicolon, closing brackets.
  static func followsString(_ byte: UInt8) -> Bool {
    byte <= UInt8(ascii: " ") || ",;)]}".utf8.contains(byte)
  }

  // Space, colon, equals sign, comma, opening brackets.
  static func precedesString(_ byte: UInt8) -> Bool {
    byte <= UInt8(ascii: " ") || ":=,([{".utf8.contains(byte)
  }

  func starts(_ text: StaticString, at start: Int) -> Bool {
    guard start >= 0, start + text.utf8CodeUnitCount <= bytes.count else { return false }
    for index in 0..<text.utf8CodeUnitCount where bytes[start + index] != text.utf8Start[index] {
      return false
    }
    return true
  }

  /// Whether the bytes of a range also occur at another position.
  func equal(_ range: Range<Int>, at start: Int) -> Bool {
    start + range.count <= bytes.count && slice(range).elementsEqual(slice(start..<start + range.count))
  }

  /// Skips blanks in all encodings: ` `, a tab, `%20`, `%2520`, `\u0020`, `\t`.
  func skipSpace(_ at: inout Int) {
    while at < bytes.count {
      switch bytes[at] {
      case UInt8(ascii: " "), UInt8(ascii: "\t"): at += 1
      case UInt8(ascii: "%"):
        guard let found = Self.escapedBlanks.first(where: { starts($0, at: at) }) else { return }
        at += found.utf8CodeUnitCount
      case UInt8(ascii: "\\"):
        guard let end = escapedBlank(at: at) else { return }
        at = end
      default: return
      }
    }
  }

  private static let escapedBlanks: [StaticString] = ["%20", "%2520", "%09"]

  /// The end of `\u0020`, `\u0009` or `\t` after any number of backslashes; nil if there is none.
  private func escapedBlank(at start: Int) -> Int? {
    var at = start
    while at < bytes.count, bytes[at] == UInt8(ascii: "\\") { at += 1 }
    if starts("u0020", at: at) || starts("u0009", at: at) { return at + 5 }
    return at < bytes.count && bytes[at] == UInt8(ascii: "t") ? at + 1 : nil
  }

  /// A quote with its escapes: `"`, `'`, `\"`, `\\\"`, `%22`, `%2522`, `&quot;`, `\u0022`.
  func quote(at start: Int) -> Range<Int>? {
    guard start < bytes.count else { return nil }
    switch bytes[start] {
    case UInt8(ascii: "\""), UInt8(ascii: "'"): return start..<start + 1
    case UInt8(ascii: "%"):
      if starts("%22", at: start) || starts("%27", at: start) { return start..<start + 3 }
      return starts("%2522", at: start) || starts("%2527", at: start) ? start..<start + 5 : nil
    case UInt8(ascii: "&"): return starts("&quot;", at: start) ? start..<start + 6 : nil
    case UInt8(ascii: "\\"):
      var at = start
      while at < bytes.count, bytes[at] == UInt8(ascii: "\\") { at += 1 }
      guard at < bytes.count else { return nil }
      if bytes[at] == UInt8(ascii: "\"") || bytes[at] == UInt8(ascii: "'") { return start..<at + 1 }
      return starts("u0022", at: at) ? start..<at + 5 : nil
    default: return nil
    }
  }

  // `:`, `=`, `:=`, `==`, `=>`, `->`, `%3D`, `%253D`, `\u003d`, and the same of the colon.
  func skipSeparator(_ at: inout Int) -> Bool {
    let separators: [StaticString] = [
      ":=", "==", "=>", "->", "%3D", "%3d", "%3A", "%3a", "%253D", "%253d", "%253A", "%253a", "\\u003d",
      "\\u003D", "\\u003a", "\\u003A", ":", "=",
    ]
    guard at < bytes.count, let found = separators.first(where: { starts($0, at: at) }) else { return false }
    at += found.utf8CodeUnitCount
    return true
  }

  // `%3Fpin`, `\npin`, `\u0026pin`: the escape before the name is not part of it.
  func strippedOfEscape(_ word: Range<Int>) -> Range<Int> {
    guard word.lowerBound > 0 else { return word }
    let before = bytes[word.lowerBound - 1]
    let escape =
      switch (before, bytes[word.lowerBound]) {
      case (UInt8(ascii: "%"), _): starts("25", at: word.lowerBound) && word.count > 4 ? 4 : 2
      case (UInt8(ascii: "\\"), UInt8(ascii: "u")): 5
      case (UInt8(ascii: "\\"), _): 1
      default: 0
      }
    return escape < word.count ? word.lowerBound + escape..<word.upperBound : word
  }
}
