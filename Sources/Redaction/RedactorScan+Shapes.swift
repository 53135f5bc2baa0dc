import Bytes

/// Secrets recognised by their form.
extension RedactorScan {
  /// Three parts of base64url with dots between, the first being `{"…` in base64, or two if the second is as well, as
  /// the rest was cut off.
  func jsonWebToken(_ word: Range<Int>) -> Int? {
    guard word.count >= 10 else { return nil }
    var at = word.lowerBound
    while at < bytes.count, Self.isWord(bytes[at]) { at += 1 }
    let hasTwo = starts(".eyJ", at: at)
    var parts = hasTwo ? 2 : 1
    // The key of one that is encrypted for a shared key is empty (RFC 7516).
    if starts("..", at: at) { (at, parts) = (at + 1, 2) }
    while at + 1 < bytes.count, bytes[at] == UInt8(ascii: "."), Self.isWord(bytes[at + 1]) {
      at += 1
      while at < bytes.count, Self.isWord(bytes[at]) { at += 1 }
      parts += 1
      // It may be wrapped.
      if parts < (hasTwo ? 4 : 3), at - word.lowerBound >= Self.shortestLine, let next = endOfLine(at: at),
        next < bytes.count,
        Self.isWord(bytes[next])
      {
        at = next
        while at < bytes.count, Self.isWord(bytes[at]) { at += 1 }
      }
    }
    return parts >= 3 ? at : nil
  }

  /// Texts are hardly wrapped at fewer characters.
  private static let shortestLine = 32

  /// Keys issued by services, each with a prefix: the prefix, the minimum number of further characters, and whether
  /// dots and slashes are among them.
  private static let keys: [(head: StaticString, least: Int, isPath: Bool)] = [
    ("AIza", 30, false), ("AKIA", 12, false), ("ASIA", 12, false), ("AccountKey", 24, true),
    ("ghp_", 20, false), ("gho_", 20, false), ("ghu_", 20, false), ("ghs_", 20, false), ("ghr_", 20, false),
    ("github_pat_", 20, false), ("glpat-", 16, false), ("rk_live_", 10, false), ("sk_live_", 10, false),
    ("sk_test_", 10, false), ("sk-", 24, false), ("xoxa-", 10, false), ("xoxb-", 10, false),
    ("xoxp-", 10, false), ("xoxr-", 10, false), ("xoxs-", 10, false), ("xapp-", 10, false), ("SG", 40, true),
    ("whsec_", 16, false), ("npm_", 30, false), ("pypi-", 40, false), ("hvs", 20, true), ("hvb", 20, true),
    ("hvr", 20, true), ("dop_v1_", 32, false), ("doo_v1_", 32, false), ("dor_v1_", 32, false),
    ("shpat_", 24, false), ("shpca_", 24, false), ("shppa_", 24, false), ("shpss_", 24, false),
    ("ya29", 20, true), ("GOCSPX-", 20, false), ("APA91", 40, false), ("gldt-", 16, false),
    ("glptt-", 16, false), ("glrt-", 16, false), ("hf_", 24, false), ("dapi", 32, false),
    ("NRAK-", 20, false), ("PMAK-", 24, false), ("ATATT3", 40, false), ("lin_api_", 24, false),
    ("sq0atp-", 16, false), ("sq0csp-", 16, false), ("rk_test_", 10, false), ("AGE-SECRET-KEY-1", 40, false),
    ("key-", 32, false), ("figd_", 24, false), ("xoxe-", 10, false),
  ]

  /// Bit set of the second characters of the known prefixes, by the first.
  private static let keyBeginnings = {
    var seconds = [UInt64](repeating: 0, count: 256)
    for head in keys.map(\.head) + ["services", "webhook"] {
      seconds[Int(head.utf8Start[0])] |= 1 << UInt64(head.utf8Start[1] & 63)
    }
    return seconds
  }()

  /// Whether a word may be a provider's key, by its first two characters.
  @inline(__always)
  func mayBeProvidersKey(_ word: Range<Int>) -> Bool {
    word.count > 1
      && Self.keyBeginnings[Int(bytes[word.lowerBound])] >> UInt64(bytes[word.lowerBound + 1] & 63) & 1 == 1
  }

  /// A provider's key, by its form; also a webhook's URL, which allows anyone to write.
  func providersKey(at word: Range<Int>) -> Range<Int>? {
    if starts("services", at: word.lowerBound), word.count == 8, isBehind("hooks.slack.com/", word.lowerBound)
    {
      return path(after: word.upperBound)
    }
    if starts("webhook", at: word.lowerBound), word.count <= 9,
      isBehind("/api/", word.lowerBound) || isBehind("office.com/", word.lowerBound)
    {
      return path(after: word.upperBound)
    }
    guard let key = Self.keys.first(where: { starts($0.head, at: word.lowerBound) }),
      word.lowerBound == 0 || bytes[word.lowerBound - 1] != UInt8(ascii: "/") || key.least > 10
    else { return nil }
    var end = word.upperBound
    while key.isPath, end < bytes.count,
      Self.isWord(bytes[end]) || "./+=".utf8.contains(bytes[end])
    { end += 1 }
    let rest = slice(word.lowerBound + key.head.utf8CodeUnitCount..<end)
    // Amazon's are in base32, which may be without a digit.
    let isBase32 =
      key.least == 12 && rest.count == 16 && rest.allSatisfy { $0.isASCIICapital || $0.isASCIIDigit }
    let isKey = rest.count >= key.least && rest.contains(where: \.isASCIIDigit) || isBase32
    return isKey ? word.lowerBound..<end : nil
  }

  /// `12345678:AA…`, also behind `bot`, of Telegram; `key:signature` of Pusher's private channels.
  func keyPair(at word: Range<Int>) -> Range<Int>? {
    let start = word.upperBound + 1
    var end = start
    while end < bytes.count, end - start <= 64, Self.isWord(bytes[end]) { end += 1 }
    let (first, second) = (slice(word), slice(start..<end))
    let digits = starts("bot", at: word.lowerBound) ? first.dropFirst(3) : first[...]
    if second.count == 35, second.first == UInt8(ascii: "A"), (6...12).contains(digits.count),
      digits.allSatisfy(\.isASCIIDigit)
    {
      return word.lowerBound..<end
    }
    guard first.count == 20, second.count == 64, first.allSatisfy(\.isASCIIHexDigit),
      second.allSatisfy(\.isASCIIHexDigit)
    else { return nil }
    return start..<end
  }

  /// A value of a query that looks like a token, as `?code=…` of OAuth and `?t=…` of meetings: long, of letters and
  /// digits, whatever its name. Ids, by which calls are found, have names of their own.
  func parameter(_ name: Range<Int>) -> Range<Int>? {
    guard name.lowerBound > 0, "?&#".utf8.contains(bytes[name.lowerBound - 1]),
      !SecretNames.isID(slice(name))
    else { return nil }
    let start = name.upperBound + 1
    var (end, letters, capitals, digits, points) = (start, 0, 0, 0, 0)
    while end < bytes.count {
      let byte = bytes[end]
      if byte == UInt8(ascii: "%") {
        // Base64 has these three.
        guard starts("%2B", at: end) || starts("%2F", at: end) || starts("%3D", at: end) else { return nil }
        end += 3
        continue
      }
      guard SecretNames.isTokenByte(byte) else { break }
      if byte.isASCIISmall { letters += 1 }
      if byte.isASCIICapital { capitals += 1 }
      if byte.isASCIIDigit { digits += 1 }
      if byte == UInt8(ascii: ".") || byte == UInt8(ascii: "/") { points += 1 }
      end += 1
    }
    let count = end - start
    // Names of hosts and paths have points and slashes, and few capitals; a UUID is an id.
    let isMixed = count >= 16 && digits > 0 && letters > 0 && capitals > 2
    let isLong = count >= 24 && digits > 0 && letters + capitals > 0 && points == 0 && !isUUID(start..<end)
    return isMixed || isLong ? start..<end : nil
  }

  private func isUUID(_ range: Range<Int>) -> Bool {
    range.count == 36
      && [8, 13, 18, 23].allSatisfy { bytes[range.lowerBound + $0] == UInt8(ascii: "-") }
      && slice(range).count(where: \.isASCIIHexDigit) == 32
  }

  /// A refresh token of Google's: `1//0…`.
  func refreshToken(at start: Int) -> Range<Int>? {
    var end = start + 3
    while end < bytes.count, Self.isWord(bytes[end]) { end += 1 }
    return end - start >= 30 ? start..<end : nil
  }

  /// The password of a network, as its QR code has it: `WIFI:T:WPA;S:name;P:…;;`.
  func networkPassword(after start: Int) -> Range<Int>? {
    let limit = min(bytes.count, start + 128)
    guard let place = (start..<limit).first(where: { starts(";P:", at: $0) || starts(":P:", at: $0) }) else {
      return nil
    }
    var end = place + 3
    while end < bytes.count, !Self.endsValue(bytes[end]) { end += 1 }
    return end > place + 3 && !SecretNames.isHarmless(slice(place + 3..<end)) ? place + 3..<end : nil
  }

  private static let mostKeys = 64

  /// The keys that are pressed after a number was dialled: `+4912345,,2468#`.
  func keysAfterNumber(_ word: Range<Int>) -> Range<Int>? {
    var at = word.upperBound
    while at < bytes.count, bytes[at] == UInt8(ascii: ",") { at += 1 }
    let start = at
    while at < bytes.count, at - start < Self.mostKeys,
      bytes[at].isASCIIDigit || ",#*".utf8.contains(bytes[at])
    {
      at += 1
    }
    let hasSign = slice(start..<at).contains(UInt8(ascii: "#"))
    while at > start, !bytes[at - 1].isASCIIDigit { at -= 1 }
    guard start > word.upperBound, at - start >= 3, hasSign, slice(word).allSatisfy(\.isASCIIDigit) else {
      return nil
    }
    return start..<at
  }

  /// The last field of a line of SSLKEYLOGFILE: `CLIENT_RANDOM`, `SERVER_TRAFFIC_SECRET_0`, the client's random, the key.
  func keyLogged(after word: Range<Int>) -> Range<Int>? {
    guard
      starts("CLIENT_", at: word.lowerBound) || starts("SERVER_", at: word.lowerBound)
        || starts("EXPORTER_SECRET", at: word.lowerBound) || starts("EARLY_EXPORTER", at: word.lowerBound)
    else { return nil }
    var at = word.upperBound
    var fields: [Range<Int>] = []
    for _ in 0..<2 {
      let gap = at
      skipSpace(&at)
      let start = at
      while at < bytes.count, bytes[at].isASCIIHexDigit { at += 1 }
      guard start > gap, at - start >= 32 else { return nil }
      fields.append(start..<at)
    }
    return fields.last
  }

  private func isBehind(_ text: StaticString, _ place: Int) -> Bool {
    starts(text, at: place - text.utf8CodeUnitCount)
  }

  private func path(after start: Int) -> Range<Int>? {
    guard start < bytes.count, bytes[start] == UInt8(ascii: "/") else { return nil }
    var end = start + 1
    while end < bytes.count, Self.isWord(bytes[end]) || "/@.".utf8.contains(bytes[end]) { end += 1 }
    return end > start + 8 ? start + 1..<end : nil
  }

  /// Base64 of `user:password` without the word `Basic`: it decodes to printable characters with a colon.
  func bareCredentials(at word: Range<Int>) -> Range<Int>? {
    var at = word.lowerBound
    var (bits, count, decoded) = (0, 0, 0)
    var colon: Int?
    var (hasSmall, hasCapital, hasDigit) = (false, false, false)
    while at < bytes.count, at - word.lowerBound < 512, let six = Self.base64(bytes[at]) {
      bits = (bits << 6 | six) & 0xFFFF
      count += 6
      if count >= 8 {
        count -= 8
        let byte = UInt8(truncatingIfNeeded: bits >> count)
        guard byte > UInt8(ascii: " "), byte < 0x7F else { return nil }
        if byte == UInt8(ascii: ":"), colon == nil { colon = decoded }
        decoded += 1
      }
      hasSmall = hasSmall || bytes[at].isASCIISmall
      hasCapital = hasCapital || bytes[at].isASCIICapital
      hasDigit = hasDigit || bytes[at].isASCIIDigit
      at += 1
    }
    while at < bytes.count, bytes[at] == UInt8(ascii: "=") { at += 1 }
    guard let colon, colon > 0, decoded - colon > 3, hasSmall, hasCapital, hasDigit,
      (at - word.lowerBound).isMultiple(of: 4), at == bytes.count || !Self.isWord(bytes[at])
    else { return nil }
    return word.lowerBound..<at
  }

  /// `-----BEGIN … PRIVATE KEY-----` to its end.
  func privateKey(from word: Range<Int>) -> Int? {
    var at = word.upperBound
    let limit = min(bytes.count, at + 40)
    while at < limit, !starts("PRIVATE KEY", at: at) { at += 1 }
    guard at < limit, !starts("[redacted", at: word.upperBound) else { return nil }
    while at < bytes.count, !starts("-----END", at: at) {
      if bytes[at] == UInt8(ascii: "\"") { break }
      at += 1
    }
    return at
  }

  /// `k=clear:…`, `k=base64:…` of a session description (RFC 4566 5.12).
  func keyOfDescription(after word: Range<Int>) -> Range<Int>? {
    guard strippedOfEscape(word).count == 1, starts("=", at: word.upperBound) else { return nil }
    let at = word.upperBound + 1
    let start = starts("clear:", at: at) ? at + 6 : starts("base64:", at: at) ? at + 7 : bytes.count
    var end = start
    while end < bytes.count, !Self.endsValue(bytes[end]) { end += 1 }
    return end > start && !SecretNames.isHarmless(slice(start..<end)) ? start..<end : nil
  }

  /// `scheme://user:password@host` and `turn:user:password@host`; in `sip:user:password@host` the password. The host is
  /// not secret.
  func userInfo(after word: Range<Int>) -> Range<Int>? {
    let isTurn = names(word, "turn") || names(word, "turns") || names(word, "stun")
    let isSIP = names(word, "sip") || names(word, "sips")
    guard let slashes = slashes(at: word.upperBound, orNone: isTurn || isSIP) else { return nil }
    let start = word.upperBound + slashes
    var at = start
    var (colon, encoded): (Int?, Int?)
    func secret(before end: Int) -> Range<Int>? {
      let from = isSIP ? (colon ?? end - 1) + 1 : start
      return from < end && !SecretNames.isHarmless(slice(from..<end)) ? from..<end : nil
    }
    while at < bytes.count, at - start < 512, bytes[at] != UInt8(ascii: "/"), bytes[at] != UInt8(ascii: "?"),
      !Self.endsValue(bytes[at])
    {
      if bytes[at] == UInt8(ascii: ":"), colon == nil { colon = at }
      if bytes[at] == UInt8(ascii: "@") { return secret(before: at) }
      // It is part of a password, unless the whole URL is encoded.
      if encoded == nil, starts("%40", at: at) { encoded = at }
      at += 1
    }
    return encoded.flatMap(secret)
  }

  /// The value after `Basic` if it is base64 of `user:password` (RFC 7617).
  func basicCredentials(after end: Int) -> Range<Int>? {
    var start = end
    skipSpace(&start)
    if start == end, starts("%20", at: end) { start += 3 }
    guard start > end else { return nil }
    var at = start
    var bits = 0
    var count = 0
    var hasColon = false
    while at < bytes.count, at - start < 4096, let six = Self.base64(bytes[at]) {
      bits = (bits << 6 | six) & 0xFFFF
      count += 6
      if count >= 8 {
        count -= 8
        let byte = UInt8(truncatingIfNeeded: bits >> count)
        guard byte >= UInt8(ascii: " "), byte != 0x7F else { return nil }
        if byte == UInt8(ascii: ":") { hasColon = true }
      }
      at += 1
    }
    while at < bytes.count, bytes[at] == UInt8(ascii: "=") { at += 1 }
    return hasColon && at - start >= 4 ? start..<at : nil
  }

  // Length of `://` in its encodings, or of the colon alone.
  private func slashes(at start: Int, orNone: Bool) -> Int? {
    if starts("://", at: start) { return 3 }
    if starts(":\\/\\/", at: start) { return 5 }
    if starts("%3A%2F%2F", at: start) || starts("%3a%2f%2f", at: start) { return 9 }
    return orNone && bytes[start] == UInt8(ascii: ":") ? 1 : nil
  }

  private func names(_ word: Range<Int>, _ name: StaticString) -> Bool {
    word.count == name.utf8CodeUnitCount && starts(name, at: word.lowerBound)
  }

  private static func base64(_ byte: UInt8) -> Int? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(byte - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(byte - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
    case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
    default: nil
    }
  }
}
