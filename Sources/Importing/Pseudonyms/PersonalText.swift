import Bytes

/// Finds people and addresses in running text (descriptions, log lines, URLs) by their shape, and known names anywhere.
struct PersonalText {
  let pseudonyms: Pseudonymizer
  /// Names of people that were met, so that they are found where no shape gives them away.
  private var known = KnownNames()
  /// Whether somebody was found by a member's name in what was looked at last.
  var hasFound = false

  init(_ pseudonyms: Pseudonymizer) { self.pseudonyms = pseudonyms }

  /// Remembers who was met. Words of one or two letters occur everywhere and are left.
  mutating func meet(_ name: String) {
    guard name.utf8.count > 2, !name.hasPrefix("person-"), known.hasRoom else { return }
    known.insert(name)
    // A form writes the blank of a name as a plus.
    let spelled = Pseudonymizer.spelledOut(name)
    if spelled != name { known.insert(spelled) }
    // A number is also written without its plus, and a URI without its scheme.
    if let digits = Pseudonymizer.digits(ofNumber: name) { known.insert(digits) }
    if let colon = name.firstIndex(of: ":"), name.contains("@") {
      meet(String(name[name.index(after: colon)...]))
    }
  }

  /// The text with people and addresses replaced.
  mutating func replaced(_ text: String) -> String {
    knownReplaced(byShape(SpacedNumbers.replaced(replacedByMember(text), by: pseudonyms)))
  }

  /// The text with people in it replaced, and addresses as they are.
  mutating func namesReplaced(_ text: String) -> String {
    knownReplaced(SpacedNumbers.replaced(replacedByMember(text), by: pseudonyms))
  }

  /// The text with those replaced who were met.
  func knownReplaced(_ text: String) -> String {
    var text = text
    for name in known.candidates(in: text) { text = replace(name, in: text) }
    return text
  }

  /// The version of a program, which is no address though it may look like one, without people in it.
  mutating func replaced(version: String) -> String {
    // As behind the name of the program: `Chrome/156.0.0.0`.
    String(replaced("/" + version).dropFirst())
  }

  // MARK: By shape

  // A run of characters that may stand in an address, a SIP URI, an e-mail address or a number.
  private static func belongs(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"), 0x80...0xFF:
      true
    case UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "+"), UInt8(ascii: "-"),
      UInt8(ascii: "_"), UInt8(ascii: "%"), UInt8(ascii: "~"):
      true
    default: false
    }
  }

  /// The text with that replaced which has the shape of a person or an address; who was met is not looked for.
  func byShape(_ text: String) -> String {
    let bytes = Array(text.utf8)
    guard bytes.contains(where: { $0.isASCIIDigit || $0 == UInt8(ascii: "@") }) else {
      return userOfDescription(text)
    }
    var out: [UInt8] = []
    out.reserveCapacity(bytes.count)
    var at = 0
    while at < bytes.count {
      guard Self.belongs(bytes[at]) else {
        out.append(bytes[at])
        at += 1
        continue
      }
      var end = at
      while end < bytes.count, Self.belongs(bytes[end]) { end += 1 }
      // What follows a slash is a version (`Chrome/156.0.0.0`), unless it is of a URL (`//host`).
      let isVersion =
        at > 0 && bytes[at - 1] == UInt8(ascii: "/") && !(at > 1 && bytes[at - 2] == bytes[at - 1])
      out += word(String(decoding: bytes[at..<end], as: UTF8.self), isVersion: isVersion).utf8
      at = end
    }
    return userOfDescription(String(decoding: out, as: UTF8.self))
  }

  private func word(_ word: String, isVersion: Bool) -> String {
    var head = ""
    var rest = Substring(word)
    for scheme in ["sips:", "sip:", "tel:", "mailto:", "xmpp:"] where rest.lowercased().hasPrefix(scheme) {
      head = String(rest.prefix(scheme.count))
      rest = rest.dropFirst(scheme.count)
    }
    let tail = rest.reversed().prefix { ".:-_%".contains($0) }
    let core = String(rest.dropLast(tail.count))
    let end = String(String(tail).reversed())
    if !head.isEmpty || core.contains("@") || core.contains("%40") {
      guard !core.isEmpty, core != "@" else { return word }
      return head + pseudonyms.person(core) + end
    }
    if isPhoneNumber(core) { return pseudonyms.person(core) + end }
    if !isVersion, core.contains("."), core.first?.isNumber == true { return pseudonyms.address(core) + end }
    if core.contains(":"), core.utf8.count >= 3 { return pseudonyms.address(core + end) }
    return word
  }

  /// `+` and at least seven digits (E.164).
  private func isPhoneNumber(_ word: String) -> Bool {
    guard word.hasPrefix("+") else { return false }
    let digits = word.utf8.reduce(0) { $0 + ($1.isASCIIDigit ? 1 : 0) }
    return digits >= 7
      && word.utf8.dropFirst().allSatisfy { (UInt8(ascii: "-")...UInt8(ascii: "9")).contains($0) }
  }

  /// `o=alice …` of a session description (RFC 8866) names who opened the session; its lines may be escaped.
  private func userOfDescription(_ text: String) -> String {
    guard text.contains("o=") else { return text }
    var out = ""
    var rest = text[...]
    while let start = rest.firstRange(of: "o=") {
      let before = rest[..<start.lowerBound]
      let user = rest[start.upperBound...].prefix { $0 != " " && $0 != "\"" && $0 != "\\" }
      let isLine =
        before.isEmpty
        ? text.hasPrefix("o=")
        : before.utf8.last == UInt8(ascii: "\n") || before.utf8.suffix(2).elementsEqual("\\n".utf8)
      out += before + "o="
      out += isLine && user != "-" && !user.isEmpty ? pseudonyms.person(String(user)) : String(user)
      rest = rest[user.endIndex...]
    }
    return out + rest
  }

  // MARK: Known names

  private func replace(_ name: String, in text: String) -> String {
    guard text.utf8.count >= name.utf8.count, text.contains(name) else { return text }
    let with = pseudonyms.person(name)
    var out = ""
    var rest = Substring(text)
    while let found = rest.firstRange(of: name) {
      let before = rest[..<found.lowerBound].last ?? out.last
      let after = rest[found.upperBound...].first
      // Part of a longer word is another word.
      let isWhole = !(before.map(isWordPart) ?? false) && !(after.map(isWordPart) ?? false)
      out += rest[..<found.lowerBound] + (isWhole ? Substring(with) : rest[found])
      rest = rest[found.upperBound...]
    }
    return out + rest
  }

  private func isWordPart(_ character: Character) -> Bool { character.isLetter || character.isNumber }
}
