import Bytes

/// Names of secrets, compared in lower case without `-` and `_`.
struct SecretNames: Sendable {
  typealias Word = UnsafeBufferPointer<UInt8>

  /// Names by their last letter, which rules out most words.
  private typealias NamesByLastLetter = [[[UInt8]]]

  // Names that are secret with any prefix: authToken, access_token, x-session-token, hostPassword …
  private static let endings = byLetter(
    passwordWords + codeWords.filter { $0.count > 7 } + [
      "token", "secret", "credential", "credentials", "cookie", "authorization", "signature", "passwordhash",
      "apikey", "privatekey", "masterkey", "sessionkey", "authkey", "securitykey", "secretkey", "accesskey",
      "mackey",
      "sharedkey", "accountkey", "encryptionkey", "signingkey", "clientkey", "subscriptionkey", "servicekey",
      "passkey",
      "streamkey", "keybase64", "mastersalt", "appcertificate", "cardnumber",
      "userticket", "authticket", "loginticket", "accessticket", "sessionticket",
    ])

  /// Words for passwords in ASCII letters: the values have a digit, or are quoted.
  private static let passwordWords = [
    "password", "passwd", "pwd", "passphrase", "passwort", "kennwort", "motdepasse", "wachtwoord", "senha",
    "contrasena", "parola", "losenord", "haslo", "heslo", "jelszo", "sifre", "salasana",
  ]
  /// Words for codes, which consist of digits. The short ones are the end of other words too.
  private static let codeWords = [
    "pin", "pincode", "otp", "passcode", "accesscode", "securitycode", "verificationcode", "activationcode",
  ]

  // Names too short or too common to be matched as suffixes.
  private static let whole = byLetter([
    "pin", "pincode", "otp", "hostpin", "guestpin", "chairpin", "conferencepin", "meetingpin", "roompin",
    "userpin",
    "jsessionid", "phpsessid", "sipkey", "srtpkey", "sdeskey", "inline", "keyparams", "keymgmt", "pass",
    "jwt",
    "sig", "digits", "dtmfdigits", "dtmfcode", "cnonce", "ha1", "response",
    "samlresponse", "samlassertion", "ticket", "auth", "bearer", "hmac", "iban", "pan", "cvv", "cvv2", "cvc",
    "cvc2", "key", "sas", "login", "nonce", "secwebsocketprotocol", "psk", "ssn",
  ])

  private let more: NamesByLastLetter
  // The last letters of all of these.
  private let ends: NameSuffixes
  // Those made up of several words: `sessionID`, `session_token`.
  private let phrases: [[[UInt8]]]
  /// A bit for each length of a phrase's last word, which rules out most words.
  private let phraseLengths: UInt64

  /// The names of every log: made once, as each file has its own redactors.
  static let usual = SecretNames(more: [])

  init(more: [String]) {
    phrases = (more + ["mot_de_passe"]).map(Self.words).filter { $0.count > 1 }
    phraseLengths = phrases.reduce(0) { $0 | 1 << UInt64(min($1.last?.count ?? 0, 63)) }
    self.more =
      more.isEmpty ? [] : Self.byLetter(more.map { String(decoding: Self.plain($0), as: UTF8.self) })
    ends = NameSuffixes(of: (Self.endings + Self.whole + self.more).joined())
  }

  @inline(__always)
  func isSecret(_ word: Word) -> Bool {
    guard word.count >= 3, word.count <= 64, let last = Self.letter(word[word.count - 1]) else {
      return false
    }
    return ends.mayEnd(word) && isNamed(word, last) || Self.holdsSecret(word)
  }

  private func isNamed(_ word: Word, _ last: Int) -> Bool {
    Self.has(Self.endings[last], word, whole: false) || Self.has(Self.whole[last], word, whole: true)
      || (!more.isEmpty && Self.has(more[last], word, whole: true))
  }

  /// Whether a name has `secret` or `password` as a word, whatever follows: `my-secret-thing`, `password_hash_v2`. As a
  /// suffix they are in `endings`.
  private static func holdsSecret(_ word: Word) -> Bool {
    guard word.count >= 8 else { return false }
    var (start, hasSeveral, holds) = (0, false, false)
    for end in 0...word.count {
      if end < word.count {
        guard word[end] == UInt8(ascii: "-") || word[end] == UInt8(ascii: "_") else { continue }
        hasSeveral = true
      }
      if end - start >= minPart {
        holds =
          holds
          || parts.contains { part in
            part.count == end - start
              && part.indices.allSatisfy { word[start + $0].asciiLowercased == part[$0] }
          }
      }
      start = end + 1
    }
    return holds && hasSeveral
  }

  private static let minPart = 6
  private static let parts = ["secret", "password", "passwd", "passphrase"].map { Array($0.utf8) }

  /// Words for passwords with non-ASCII letters, in lower case and capitalised.
  private static let foreign: [(name: [UInt8], first: Int)] = [
    "contraseña", "пароль", "пин-код", "lösenord", "hasło", "jelszó", "şifre", "κωδικός", "סיסמה", "密码", "密碼",
    "口令",
    "暗証番号", "パスワード", "パスコード", "비밀번호", "암호", "كلمة المرور", "गुप्तशब्द", "mật khẩu",
  ].flatMap { name in
    Set([name, name.prefix(1).uppercased() + name.dropFirst(), name.uppercased()])
  }.map { name in
    let bytes = Array(name.utf8)
    return (bytes, bytes.firstIndex { $0 >= 0x80 } ?? 0)
  }

  /// The word for a password whose first non-ASCII letter is at a position; nil if there is none.
  static func foreignName(at place: Int, in bytes: Word) -> Range<Int>? {
    for (name, first) in foreign {
      let start = place - first
      guard start >= 0, start + name.count <= bytes.count,
        bytes[start..<start + name.count].elementsEqual(name)
      else { continue }
      return start..<start + name.count
    }
    return nil
  }

  /// Whether a member's name is a word for a password with non-ASCII letters.
  static func isForeign(_ name: Word) -> Bool {
    name.contains { $0 >= 0x80 }
      && foreign.contains { $0.name.count == name.count && $0.name.elementsEqual(name) }
  }

  /// Whether a word of a text ends a secret's name written as separate words: `session ID`.
  @inline(__always)
  func isSpoken(_ word: Range<Int>, in bytes: Word) -> Bool {
    phraseLengths >> UInt64(min(word.count, 63)) & 1 == 1
      && phrases.contains { Self.ends($0, at: word, in: bytes) }
  }

  private static func ends(_ phrase: [[UInt8]], at word: Range<Int>, in bytes: Word) -> Bool {
    var range = word
    for (index, part) in phrase.reversed().enumerated() {
      if index > 0 {
        guard range.lowerBound > part.count, bytes[range.lowerBound - 1] == UInt8(ascii: " ") else {
          return false
        }
        let end = range.lowerBound - 1
        range = end - part.count..<end
      }
      guard range.count == part.count, zip(bytes[range], part).allSatisfy({ $0 | 0x20 == $1 }) else {
        return false
      }
    }
    return range.lowerBound == 0 || letter(bytes[range.lowerBound - 1]) == nil
  }

  // The lower-cased words of a name, split at `_`, `-`, and before a capital that follows a small letter.
  private static func words(_ name: String) -> [[UInt8]] {
    var words: [[UInt8]] = [[]]
    var wasSmall = false
    for byte in name.utf8 {
      let isCapital = byte.isASCIICapital
      let parts = byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
      if parts || isCapital && wasSmall { words.append([]) }
      if !parts { words[words.count - 1].append(isCapital ? byte | 0x20 : byte) }
      wasSmall = !isCapital
    }
    return words.filter { !$0.isEmpty }
  }

  /// Values that are never secret: empty ones and booleans.
  static func isHarmless(_ value: Word) -> Bool {
    switch value.count {
    case 0: true
    case 1...5:
      value.elementsEqual("true".utf8) || value.elementsEqual("false".utf8)
        || value.elementsEqual("null".utf8)
        || value.elementsEqual("nil".utf8) || value.elementsEqual("{}".utf8) || value.elementsEqual("[]".utf8)
    default: value.starts(with: Redactor.mark.utf8.dropLast())
    }
  }

  /// Headers whose whole value is secret.
  static func takesLine(_ word: Word) -> Bool { has(lines, word, whole: false) }

  /// Names of headers, whose value is beside them.
  static func isHeader(_ word: Word) -> Bool { takesLine(word) || word.contains(UInt8(ascii: "-")) }

  /// Whether a value can be the secret of its name: ambiguous names count only if the value is long enough for a key,
  /// is a digest response, or for `pass` is a text.
  static func mayBe(_ value: Word, isQuoted: Bool, of name: Word) -> Bool {
    if isList(name) { return holdsToken(value) }
    if isDigest(name) { return value.count >= 32 && value.allSatisfy(\.isASCIIHexDigit) }
    // Card numbers, but a camera pans too.
    if has(pan, name, whole: true) {
      return value.count >= 13 && value.allSatisfy { $0.isASCIIDigit || $0 == 0x20 || $0 == 0x2D }
    }
    // A private header with such a name contains nothing else: `X-Auth`.
    if has(vague, name, whole: true), !isOwnHeader(name) {
      return value.count >= 16 && value.allSatisfy(isTokenByte) && value.contains(where: \.isASCIIDigit)
    }
    return value.count >= 16 || !has(ambiguous, name, whole: true)
      || (isQuoted && has(pass, name, whole: true))
  }

  /// The subprotocols of a WebSocket, among which browsers send tokens, as they can set no other header.
  static func isList(_ word: Word) -> Bool { has(lists, word, whole: true) }

  /// Whether an item of a list looks like a token.
  private static func holdsToken(_ value: Word) -> Bool {
    value.split(separator: UInt8(ascii: ",")).contains { item in
      // A line may end before it.
      let item = item.reversed().prefix(while: isTokenByte)
      return item.count >= 20 && item.contains(where: \.isASCIIDigit) && item.contains(where: \.isASCIILetter)
    }
  }

  private static let lists = ["secwebsocketprotocol"].map { Array($0.utf8) }

  /// `response` of the digest authentication of SIP and HTTP (RFC 7616).
  static func isDigest(_ word: Word) -> Bool { has(digest, word, whole: true) }

  private static func isOwnHeader(_ word: Word) -> Bool {
    word.count > 2 && word[1] == UInt8(ascii: "-") && word[0] | 0x20 == UInt8(ascii: "x")
  }

  /// Ambiguous names, with which only values that look like a secret count.
  static func isVague(_ word: Word) -> Bool { isDigest(word) || has(vague, word, whole: true) }

  /// Names that mostly do not belong to a secret, and alone make no value secret.
  static func isKeyLike(_ word: Word) -> Bool { has(keyLike, word, whole: true) }

  /// Names of ids in a query, by which calls and ends are found, and of what is an address or a time.
  static func isID(_ word: Word) -> Bool { has(ids, word, whole: false) || has(wholeIDs, word, whole: true) }

  private static let ids = ["id", "uid", "guid", "sid", "ref", "uri", "url", "version"].map { Array($0.utf8) }
  private static let wholeIDs = [
    "call", "session", "room", "conference", "user", "v", "host", "next", "name", "from", "to", "since",
  ].map { Array($0.utf8) }

  static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "~"), UInt8(ascii: "+"),
      UInt8(ascii: "/"), UInt8(ascii: "="):
      true
    default: byte.isASCIIDigit || letter(byte) != nil
    }
  }

  /// The member that names another one: `{"name": "Cookie", "value": …}`.
  static func isValue(_ word: Word) -> Bool { has(values, word, whole: true) }

  private static let lines = ["authorization", "cookie"].map { Array($0.utf8) }
  private static let ambiguous = ["inline", "sig", "pass", "samlresponse", "samlassertion"].map {
    Array($0.utf8)
  }
  private static let pass = ["pass"].map { Array($0.utf8) }
  private static let pan = ["pan"].map { Array($0.utf8) }
  private static let digest = ["response"].map { Array($0.utf8) }
  private static let vague = ["ticket", "auth", "bearer", "hmac"].map { Array($0.utf8) } + keyLike
  private static let keyLike = ["key", "sas", "login", "nonce"].map { Array($0.utf8) }
  private static let values = ["value", "val", "content"].map { Array($0.utf8) }

  private static func byLetter(_ names: [String]) -> NamesByLastLetter {
    var all = NamesByLastLetter(repeating: [], count: 36)
    for name in names.map({ Array($0.utf8) }) {
      if let letter = name.last.flatMap(letter) { all[letter].append(name) }
    }
    return all
  }

  // Index of a letter or digit among 36; nil for anything else.
  @inline(__always)
  private static func letter(_ byte: UInt8) -> Int? {
    let lower = byte | 0x20
    if lower.isASCIISmall { return Int(lower &- UInt8(ascii: "a")) }
    return byte.isASCIIDigit ? Int(byte &- UInt8(ascii: "0")) + 26 : nil
  }

  // Compares from the end, where names differ.
  @inline(__always)
  private static func has(_ names: [[UInt8]], _ word: Word, whole: Bool) -> Bool {
    for name in names where ends(word, with: name, whole: whole) { return true }
    return false
  }

  private static func ends(_ word: Word, with name: [UInt8], whole: Bool) -> Bool {
    var at = word.count
    var left = name.count
    while left > 0 {
      guard at > 0 else { return false }
      at -= 1
      let byte = word[at]
      if byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") { continue }
      left -= 1
      if byte.asciiLowercased != name[left] { return false }
    }
    // `X-Pin`: the prefix of private headers is not part of the name.
    if whole, at == 2, word[1] == UInt8(ascii: "-"), word[0] | 0x20 == UInt8(ascii: "x") { return true }
    return !whole || word[..<at].allSatisfy { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
  }

  private static func plain(_ name: String) -> [UInt8] {
    name.utf8.compactMap { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") ? nil : $0.asciiLowercased }
  }
}

/// Whether a word beside a secret's name, without any separator, can be the secret.
extension SecretNames {
  /// Codes have at least four digits, passwords contain a digit; a token has letters and digits, and is not an address.
  /// - Parameter least: the shortest token.
  static func looksSecret(_ value: Word, of name: Word, least: Int = 8) -> Bool {
    let digits = value.count(where: \.isASCIIDigit)
    if isCode(name) { return value.count >= 4 && digits == value.count }
    if isPassword(name) { return value.count >= 4 && digits > 0 }
    let letters = value.count(where: \.isASCIILetter)
    // A time has at most two letters.
    return value.count >= least && digits > 0 && letters >= 4 && value.first != UInt8(ascii: "/")
      && ByteSearch.find("://", in: value) == nil
  }

  /// `pin`, `passcode`, `otp` and names that end with them.
  static func isCode(_ name: Word) -> Bool { codes.contains { endsInLetters(name, $0) } }

  /// `password` in its spellings.
  static func isPassword(_ name: Word) -> Bool { passwords.contains { endsInLetters(name, $0) } }

  private static let codes = codeWords.map { Array($0.utf8) }
  private static let passwords = passwordWords.map { Array($0.utf8) }

  // Whether a name ends with a word, ignoring case, hyphens and underscores.
  private static func endsInLetters(_ name: Word, _ word: [UInt8]) -> Bool {
    var rest = name[...]
    for byte in word.reversed() {
      while rest.last == UInt8(ascii: "-") || rest.last == UInt8(ascii: "_") { rest.removeLast() }
      guard let last = rest.popLast(), last | 0x20 == byte else { return false }
    }
    return true
  }
}
