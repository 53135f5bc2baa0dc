/// Whether a word beside a secret's name, which nothing ties to it, can be the secret.
extension SecretNames {
  /// Codes of digits look like one from four digits on, passwords with a digit in them; a token has letters and digits, and is no address.
  /// - Parameter least: the shortest token.
  static func looksSecret(_ value: Word, of name: Word, least: Int = 8) -> Bool {
    let digits = value.count(where: \.isASCIIDigit)
    if isCode(name) { return value.count >= 4 && digits == value.count }
    if isPassword(name) { return value.count >= 4 && digits > 0 }
    let letters = value.count(where: \.isASCIILetter)
    // A time has two letters at most.
    return value.count >= least && digits > 0 && letters >= 4 && value.first != UInt8(ascii: "/")
      && ByteSearch.find("://", in: value) == nil
  }

  /// `pin`, `passcode`, `otp` and what ends so.
  static func isCode(_ name: Word) -> Bool { codes.contains { endsInLetters(name, $0) } }

  /// `password` in its spellings.
  static func isPassword(_ name: Word) -> Bool { passwords.contains { endsInLetters(name, $0) } }

  private static let codes = ["pin", "pincode", "passcode", "accesscode", "securitycode", "otp"].map {
    Array($0.utf8)
  }
  private static let passwords = ["password", "passwd", "pwd", "passphrase"].map { Array($0.utf8) }

  // Whether a name ends with a word, case, hyphens and underscores aside.
  private static func endsInLetters(_ name: Word, _ word: [UInt8]) -> Bool {
    var rest = name[...]
    for byte in word.reversed() {
      while rest.last == UInt8(ascii: "-") || rest.last == UInt8(ascii: "_") { rest.removeLast() }
      guard let last = rest.popLast(), last | 0x20 == byte else { return false }
    }
    return true
  }
}
