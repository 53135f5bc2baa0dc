/// The names behind which secrets stand, compared in lower case without `-` and `_`.
struct SecretNames: Sendable {
  // Names that are secret whatever stands in front of them: authToken, access_token, x-session-token, hostPassword …
  private static let endings = [
    "token", "password", "passwd", "pwd", "passcode", "secret", "credential", "cookie", "authorization",
    "apikey",
    "privatekey", "masterkey", "sessionkey", "authkey", "securitykey", "signature",
  ].map { Array($0.utf8) }

  // Names too short or too common to be taken for an ending.
  private static let whole = Set(
    [
      "pin", "pincode", "hostpin", "guestpin", "chairpin", "conferencepin", "meetingpin", "roompin",
      "userpin",
      "credentials", "jsessionid", "sipkey", "srtpkey", "sdeskey", "inline", "keyparams", "authkey",
      "passphrase",
    ].map { Array($0.utf8) })

  private let more: Set<[UInt8]>

  init(more: [String]) {
    self.more = Set(more.map { Self.normal(Array($0.utf8)[...]) })
  }

  func isSecret(_ word: ArraySlice<UInt8>) -> Bool {
    guard word.count >= 3, word.count <= 64 else { return false }
    let name = Self.normal(word)
    if Self.whole.contains(name) || (!more.isEmpty && more.contains(name)) { return true }
    return Self.endings.contains { name.count >= $0.count && name.suffix($0.count).elementsEqual($0) }
  }

  /// Whether a word can be a secret's name at all, by its last letter: decides for nearly every word.
  @inline(__always)
  func mayBeSecret(last: UInt8) -> Bool {
    guard more.isEmpty else { return true }
    switch last | 0x20 {
    case 0x6E, 0x64, 0x65, 0x74, 0x6C, 0x79, 0x73: return true  // n d e t l y s
    default: return false
    }
  }

  /// Values that give nothing away: nothing, yes or no.
  static func isHarmless(_ value: ArraySlice<UInt8>) -> Bool {
    value.isEmpty || value.elementsEqual("true".utf8) || value.elementsEqual("false".utf8)
      || value.elementsEqual("null".utf8) || value.elementsEqual("nil".utf8)
      || value.starts(with: Redactor.mark.utf8.dropLast())
  }

  /// Header lines whose whole rest is secret.
  static func takesLine(_ word: ArraySlice<UInt8>) -> Bool {
    let name = normal(word)
    return name.suffix(13).elementsEqual("authorization".utf8) || name.suffix(6).elementsEqual("cookie".utf8)
  }

  private static func normal(_ word: ArraySlice<UInt8>) -> [UInt8] {
    var name: [UInt8] = []
    name.reserveCapacity(word.count)
    for byte in word where byte != 0x2D && byte != 0x5F {
      name.append(byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte)
    }
    return name
  }
}
