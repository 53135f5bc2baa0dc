/// One pass over bytes that finds what must not be kept.
struct RedactorScan {
  struct Cut {
    var range: Range<Int>
    /// What quotes the mark, where the secret was a bare value among JSON members: the quote of its name, escaped as that is.
    var quote: Range<Int>?
    /// What stands there instead of the mark.
    var replacement: [UInt8]?
  }

  let bytes: UnsafeBufferPointer<UInt8>
  let names: SecretNames
  private(set) var cuts: [Cut] = []
  /// Whether a command of curl stands here, once that was asked.
  var hasCurl: Bool?
  // How far quotes were counted, and whether that place is inside a string.
  private var countedTo = 0
  private var isInString = false
  /// Whether all of it is one string, decoded.
  let isString: Bool
  /// Bytes that began like JSON and were none.
  var lookedAtInVain = 0

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
  }

  /// The same with an eye for JSON. A loop of its own: the other looks at every line.
  mutating func runSeeingJSON() {
    var at = 0
    while at < bytes.count {
      at =
        Self.isWord(bytes[at])
        ? passSeldom(wordAt: at) : bytes[at] >= 0x80 ? passForeign(at: at) : document(at: at) ?? at + 1
    }
  }

  /// A name of a secret in letters beyond ASCII: `contraseña`, `пароль`.
  @inline(never)
  private mutating func passForeign(at place: Int) -> Int {
    guard let name = SecretNames.foreignName(at: place, in: bytes) else { return place + 1 }
    return max(place + 1, secret(name))
  }

  @inline(never)
  private mutating func passSeldom(wordAt start: Int) -> Int { pass(wordAt: start) }

  @inline(__always)
  private mutating func pass(wordAt start: Int) -> Int {
    var end = start + 1
    while end < bytes.count, Self.isWord(bytes[end]) { end += 1 }
    return max(end, visit(word: start..<end))
  }

  // Looks at one word; returns where to go on.
  @inline(__always)
  private mutating func visit(word: Range<Int>) -> Int {
    switch bytes[word.lowerBound] {
    case UInt8(ascii: "e") where starts("eyJ", at: word.lowerBound):
      if let end = jsonWebToken(word) { return cut(word.lowerBound..<end) }
    case UInt8(ascii: "A"), UInt8(ascii: "g"), UInt8(ascii: "r"), UInt8(ascii: "s"), UInt8(ascii: "x"),
      UInt8(ascii: "S"), UInt8(ascii: "w"):
      if let key = providersKey(at: word) { return cut(key) }
    case UInt8(ascii: "-"):
      if starts("-----BEGIN", at: word.lowerBound), let end = privateKey(from: word) {
        return cut(word.upperBound..<end)
      }
      if let password = passwordOfOption(word) { return cut(password) }
    default: break
    }
    if bytes[word.upperBound - 1] == UInt8(ascii: "k"), word.count <= 2,
      let value = keyOfDescription(after: word)
    {
      return cut(value)
    }
    if let number = privateNumber(at: word) { return cut(number) }
    if word.count >= 12, let credentials = bareCredentials(at: word) { return cut(credentials) }
    guard word.upperBound < bytes.count else { return word.upperBound }
    if bytes[word.upperBound] == UInt8(ascii: ":") || bytes[word.upperBound] == UInt8(ascii: "%"),
      let secret = userInfo(after: word)
    {
      return cut(secret)
    }
    let name = strippedOfEscape(word)
    switch name.count {
    case 5 where starts("Basic", at: name.lowerBound) || starts("basic", at: name.lowerBound):
      if let value = basicCredentials(after: name.upperBound) { return cut(value) }
    case 6 where starts("Bearer", at: name.lowerBound) || starts("bearer", at: name.lowerBound):
      let end = spaced(after: name.upperBound, least: 8, digits: .any)
      if end > name.upperBound { return end }
    default: break
    }
    if DTMFDigits.isName(slice(name)) { return secret(name) }
    return names.isSecret(slice(name)) || names.isSpoken(name, in: bytes) ? secret(name) : word.upperBound
  }

  // A secret's name: what follows a colon or an equals sign goes, and so does a word that looks like a secret.
  private mutating func secret(_ name: Range<Int>) -> Int {
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
      if DTMFDigits.isName(slice(name)) { return name.upperBound }
      if let value = valueBehindBlank(gap..<at, of: name) { return cut(value) }
      if isWrapped { return at }
      if let quote { return besideName(name, quote) }
      if let value = secondOfPair(name) { return cut(value) }
      if SecretNames.isVague(slice(name)) { return name.upperBound }
      if let value = spoken(after: name) { return cut(value) }
      let isPIN = name.count == 3 && names.isSecret(slice(name))
      return spaced(after: name.upperBound, least: isPIN ? 4 : 16, digits: isPIN ? .only : .some)
    }
    return value(at, of: name, quote: quote)
  }

  @discardableResult
  mutating func cut(_ range: Range<Int>, quote: Range<Int>? = nil) -> Int {
    if !range.isEmpty { cuts.append(Cut(range: range, quote: quote)) }
    return range.upperBound
  }

  /// A cut that was found elsewhere.
  mutating func cut(_ found: Cut) { cuts.append(found) }

  /// Whether a place is inside a string of the line. To be asked of places in order: what was counted is not counted again.
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
