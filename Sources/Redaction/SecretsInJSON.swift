import Bytes

/// Finds the secrets of a JSON text: whole values by their members' names, and secrets inside strings.
///
/// A loop with its own stack, as JSON may be deeply nested.
struct SecretsInJSON {
  private let names: SecretNames
  private var scanner: JSONScanner
  private var found: [RedactorScan.Replacement] = []
  private var open: [Bool] = []
  /// Name of the member whose value follows, if it is secret.
  private var secret: [UInt8]?
  /// A secret's name as the previous value, as in `{"name": "Cookie", "value": "…"}`.
  private var pairedName: [UInt8]?
  /// The same in a list, where the next text is the secret if it looks like one: `["token", "…"]`.
  private var offered: [UInt8]?

  init(bytes: UnsafeBufferPointer<UInt8>, names: SecretNames) {
    self.names = names
    scanner = JSONScanner(bytes)
  }

  /// The replacements for a range that is one valid JSON value.
  mutating func cuts(in range: Range<Int>) -> [RedactorScan.Replacement] {
    scanner.position = range.lowerBound
    // Validated before: it cannot fail; otherwise the replacements so far are used.
    try? walk()
    return found
  }

  private mutating func walk() throws(JSONError) {
    repeat {
      try value()
      while let isObject = open.last {
        if isObject, let key = try scanner.nextKey() {
          member(key)
          break
        }
        if !isObject, try scanner.nextElement() {
          // A header's name beside its value.
          secret = pairedName.flatMap { $0.withUnsafeBufferPointer(SecretNames.isHeader) ? $0 : nil }
          offered = pairedName
          pairedName = nil
          break
        }
        open.removeLast()
        pairedName = nil
      }
    } while !open.isEmpty
  }

  private mutating func member(_ key: JSONText) {
    reading(key) { name in
      let last = lastWord(of: name)
      let isValue = pairedName != nil && last.map(SecretNames.isValue) ?? false
      secret = isValue ? pairedName : secretName(last) ?? secretName(name)
      pairedName = nil
      strip(key, decoded: name)
    }
  }

  private mutating func value() throws(JSONError) {
    let (name, beside) = (secret, offered)
    (secret, offered) = (nil, nil)
    let kind = try scanner.peek()
    let start = scanner.position
    switch kind {
    case .string:
      let text = try scanner.string()
      let range = start..<scanner.position
      reading(text) { decoded in
        if let name, isSecret(decoded, isQuoted: true, of: name) { return hide(range) }
        if let beside, !SecretNames.isHarmless(decoded), !decoded.contains(UInt8(ascii: " ")),
          beside.withUnsafeBufferPointer({ SecretNames.looksSecret(decoded, of: $0) })
        {
          return hide(range)
        }
        strip(text, decoded: decoded)
        pairedName = secretName(lastWord(of: decoded))
      }
    case .object, .array:
      if let name {
        var ahead = scanner
        if isSecret(try ahead.skip(), isQuoted: false, of: name) {
          scanner = ahead
          return hide(start..<scanner.position)
        }
      }
      if kind == .object { try scanner.beginObject() } else { try scanner.beginArray() }
      open.append(kind == .object)
      pairedName = nil
    default:
      let plain = try scanner.skip()
      if let name, isSecret(plain, isQuoted: false, of: name) { hide(start..<scanner.position) }
    }
  }

  private func isSecret(_ value: SecretNames.Word, isQuoted: Bool, of name: [UInt8]) -> Bool {
    if name.withUnsafeBufferPointer(DTMFDigits.isName) {
      return DTMFDigits.areKeys(value) && value.allSatisfy(DTMFDigits.isKey)
    }
    return !SecretNames.isHarmless(value)
      && name.withUnsafeBufferPointer { SecretNames.mayBe(value, isQuoted: isQuoted, of: $0) }
  }

  private mutating func hide(_ range: Range<Int>) {
    var mark = ByteWriter()
    mark.append(json: Redactor.mark)
    found.append(RedactorScan.Replacement(range: range, replacement: mark.bytes))
  }

  // A string, or a member's name, without its secrets.
  private mutating func strip(_ text: JSONText, decoded: SecretNames.Word) {
    guard let base = scanner.bytes.baseAddress, let own = text.bytes.baseAddress else { return }
    var scan = RedactorScan(bytes: decoded, names: names, isString: true)
    scan.runSeeingJSON()
    // Text in the string may be escaped again.
    if EscapedText.isNeeded(decoded) { scan.decode() }
    guard !scan.cuts.isEmpty else { return }
    let clean = scan.rendered()
    var out = ByteWriter(capacity: clean.count + 2)
    out.append(json: String(decoding: clean, as: UTF8.self))
    found.append(
      RedactorScan.Replacement(
        range: own - base - 1..<own - base + text.bytes.count + 1, replacement: out.bytes))
  }

  // A text, decoded only if it has escapes.
  private func reading(_ text: JSONText, _ body: (SecretNames.Word) -> Void) {
    text.hasEscapes ? text.decoded().withUnsafeBufferPointer(body) : body(text.bytes)
  }

  private func secretName(_ word: SecretNames.Word?) -> [UInt8]? {
    word.flatMap {
      names.isSecret($0) || DTMFDigits.isName($0) || SecretNames.isForeign($0) ? Array($0) : nil
    }
  }

  // The last word of a text, without punctuation: `x-token`, `Set-Cookie:`.
  private func lastWord(of text: SecretNames.Word) -> SecretNames.Word? {
    var end = text.count
    while end > 0,
      text[end - 1] == UInt8(ascii: " ") || text[end - 1] == UInt8(ascii: ":")
        || text[end - 1] == UInt8(ascii: "=")
    { end -= 1 }
    var start = end
    while start > 0, RedactorScan.isWord(text[start - 1]) { start -= 1 }
    guard start < end else { return nil }
    let scan = RedactorScan(bytes: text, names: names)
    return scan.slice(scan.strippedOfEscape(start..<end))
  }
}
