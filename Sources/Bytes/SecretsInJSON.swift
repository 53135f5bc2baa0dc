/// Finds the secrets of a JSON text: whole values by their members' names, and what stands inside strings.
///
/// A loop with a stack of its own, for JSON may be nested deep.
struct SecretsInJSON {
  private let names: SecretNames
  private var scanner: JSONScanner
  private var found: [RedactorScan.Cut] = []
  private var open: [Bool] = []
  /// Name of the member whose value is due, if that is a secret's.
  private var secret: [UInt8]?
  /// A secret's name that was the value just before, as in `{"name": "Cookie", "value": "…"}`.
  private var told: [UInt8]?

  init(bytes: UnsafeBufferPointer<UInt8>, names: SecretNames) {
    self.names = names
    scanner = JSONScanner(bytes)
  }

  /// What is to be cut from a range that is one valid JSON value.
  mutating func cuts(in range: Range<Int>) -> [RedactorScan.Cut] {
    scanner.position = range.lowerBound
    // Checked before: it cannot fail, and if it did, what was found so far counts.
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
          // A header's name and its value, side by side.
          secret = told.flatMap { $0.withUnsafeBufferPointer(SecretNames.isHeader) ? $0 : nil }
          told = nil
          break
        }
        open.removeLast()
        told = nil
      }
    } while !open.isEmpty
  }

  private mutating func member(_ key: JSONText) {
    let name = key.decoded()
    let last = lastWord(of: name)
    if let told, last.map({ $0.withUnsafeBufferPointer(SecretNames.isValue) }) ?? false {
      secret = told
    } else {
      secret = last.flatMap { $0.withUnsafeBufferPointer(names.isSecret) ? $0 : nil }
    }
    told = nil
    strip(key, decoded: name)
  }

  private mutating func value() throws(JSONError) {
    let name = secret
    secret = nil
    let kind = try scanner.peek()
    let start = scanner.position
    switch kind {
    case .string:
      let text = try scanner.string()
      let decoded = text.decoded()
      if let name, decoded.withUnsafeBufferPointer({ isSecret($0, isQuoted: true, of: name) }) {
        return hide(start..<scanner.position)
      }
      strip(text, decoded: decoded)
      told = lastWord(of: decoded).flatMap { $0.withUnsafeBufferPointer(names.isSecret) ? $0 : nil }
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
      told = nil
    default:
      let plain = try scanner.skip()
      if let name, isSecret(plain, isQuoted: false, of: name) { hide(start..<scanner.position) }
    }
  }

  private func isSecret(_ value: SecretNames.Word, isQuoted: Bool, of name: [UInt8]) -> Bool {
    !SecretNames.isHarmless(value)
      && name.withUnsafeBufferPointer { SecretNames.mayBe(value, isQuoted: isQuoted, of: $0) }
  }

  private mutating func hide(_ range: Range<Int>) {
    var mark = ByteWriter()
    mark.append(json: Redactor.mark)
    found.append(RedactorScan.Cut(range: range, replacement: mark.bytes))
  }

  // A string, or a member's name, without the secrets in it.
  private mutating func strip(_ text: JSONText, decoded: [UInt8]) {
    guard let base = scanner.bytes.baseAddress, let own = text.bytes.baseAddress else { return }
    let clean = decoded.withUnsafeBufferPointer { bytes -> [UInt8]? in
      var scan = RedactorScan(bytes: bytes, names: names, isString: true)
      scan.run()
      return scan.cuts.isEmpty ? nil : scan.rendered()
    }
    guard let clean else { return }
    var out = ByteWriter(capacity: clean.count + 2)
    out.append(json: String(decoding: clean, as: UTF8.self))
    found.append(
      RedactorScan.Cut(
        range: own - base - 1..<own - base + text.bytes.count + 1, replacement: out.bytes))
  }

  // The word that a text ends with, without the marks behind it: `x-token`, `Set-Cookie:`.
  private func lastWord(of text: [UInt8]) -> [UInt8]? {
    var end = text.count
    while end > 0, [0x20, 0x3A, 0x3D].contains(text[end - 1]) { end -= 1 }
    var start = end
    while start > 0, RedactorScan.isWord(text[start - 1]) { start -= 1 }
    guard start < end else { return nil }
    return text.withUnsafeBufferPointer { bytes in
      Array(bytes[RedactorScan(bytes: bytes, names: names).strippedOfEscape(start..<end)])
    }
  }
}
