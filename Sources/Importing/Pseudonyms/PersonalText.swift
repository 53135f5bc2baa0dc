import Bytes

/// Finds people and addresses in free text (descriptions, log lines, URLs) by form, and known names anywhere.
struct PersonalText {
  let pseudonyms: Pseudonymizer
  /// Names of people found so far, to find them where their form does not show it.
  private var known = KnownNames()
  /// Whether the last text had a person in a named member.
  var hasFound = false

  init(_ pseudonyms: Pseudonymizer) { self.pseudonyms = pseudonyms }

  /// Remembers a person. Words of one or two letters occur everywhere and are ignored.
  mutating func meet(_ name: String) {
    guard name.utf8.count > 2, !name.hasPrefix("person-"), known.hasRoom else { return }
    known.insert(name)
    // Forms encode a blank as a plus.
    let spelled = Pseudonymizer.spelledOut(name)
    if spelled != name { known.insert(spelled) }
    // A number may also be written without its plus, and a URI without its scheme.
    if let digits = Pseudonymizer.digits(ofNumber: name) { known.insert(digits) }
    if let colon = name.firstIndex(of: ":"), name.contains("@") {
      meet(String(name[name.index(after: colon)...]))
    }
  }

  /// The text with people and addresses replaced.
  mutating func replaced(_ text: String) -> String {
    knownReplaced(byShape(SpacedNumbers.replaced(replacedByMember(text), by: pseudonyms)))
  }

  /// The text with people replaced, but not addresses.
  mutating func namesReplaced(_ text: String) -> String {
    knownReplaced(SpacedNumbers.replaced(replacedByMember(text), by: pseudonyms))
  }

  /// The text with known people replaced.
  func knownReplaced(_ text: String) -> String {
    var text = text
    for name in known.candidates(in: text) { text = replace(name, in: text) }
    for name in known.others where text.contains(name) { text = replaceComposed(name, in: text) }
    return text
  }

  /// The version of a program, which is not an address even if it looks like one, with people replaced.
  mutating func replaced(version: String) -> String {
    // As after the name of the program: `Chrome/156.0.0.0`.
    String(replaced("/" + version).dropFirst())
  }

  // MARK: By form

  // A character of an address, a SIP URI, an e-mail address or a number.
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

  /// The text with everything replaced that has the form of a person or an address, but not known names.
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
      // After a slash follows a version (`Chrome/156.0.0.0`), except in a URL (`//host`).
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

  /// `o=alice …` of a session description (RFC 8866) is the user who created the session; its lines may be escaped.
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
    let with = pseudonyms.person(known.person(of: name))
    let (bytes, wanted) = (Array(text.utf8), Array(name.utf8))
    let isExact = !known.ignoresCase(name)
    var out: [UInt8] = []
    var (at, kept) = (0, 0)
    while at + wanted.count <= bytes.count {
      let end = at + wanted.count
      let isSame = zip(bytes[at..<end], wanted).allSatisfy {
        $0 == $1 || !isExact && $0.asciiLowercased == $1
      }
      guard isSame, isWhole(at..<end, in: bytes) else {
        at += 1
        continue
      }
      out += bytes[kept..<at] + with.utf8
      (at, kept) = (end, end)
    }
    return kept == 0 ? text : String(decoding: out + bytes[kept...], as: UTF8.self)
  }

  // The same letters may be composed in another way, which texts compare as equal.
  private func replaceComposed(_ name: String, in text: String) -> String {
    var out = ""
    var rest = Substring(text)
    while let found = rest.firstRange(of: name) {
      let before = rest[..<found.lowerBound].last ?? out.last
      let after = rest[found.upperBound...].first
      let isWhole = !(before.map(isWordPart) ?? false) && !(after.map(isWordPart) ?? false)
      out += rest[..<found.lowerBound] + (isWhole ? Substring(pseudonyms.person(name)) : rest[found])
      rest = rest[found.upperBound...]
    }
    return out + rest
  }

  // A part of a longer word is not the name; an encoded sign before it is no part of it: `%2Fzoe`.
  private func isWhole(_ range: Range<Int>, in bytes: [UInt8]) -> Bool {
    let before = bytes[..<range.lowerBound].suffix(4)
    let isEscaped = before.dropFirst(max(0, before.count - 3)).first == UInt8(ascii: "%") && before.count >= 3
    // Four bytes hold a whole character, or its last part.
    let last = String(decoding: before, as: UTF8.self).last
    let first = String(decoding: bytes[range.upperBound...].prefix(4), as: UTF8.self).first
    return (isEscaped || !(last.map(isWordPart) ?? false)) && !(first.map(isWordPart) ?? false)
  }

  private func isWordPart(_ character: Character) -> Bool { character.isLetter || character.isNumber }
}

/// People in free text by the preceding name: `displayName=Zoe`, `\"caller\":\"Zoe\"`, `?user=zoe&…`, `"Zoe" <sip:…>`.
extension PersonalText {
  /// The text with people in named members replaced; they are remembered.
  mutating func replacedByMember(_ text: String) -> String {
    let bytes = Array(text.utf8)
    guard
      bytes.contains(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: "<") })
    else { return text }
    var out: [UInt8] = []
    var kept = 0
    var at = 0
    var around = PersonalBrackets()
    while at < bytes.count {
      around.pass(bytes[at], at)
      // An element of a list of people.
      if around.isInList, bytes[at] != UInt8(ascii: " "), let value = Self.value(bytes, at: at) {
        replace(value, of: bytes, &kept, &out)
        around.isInList = false
        at = max(at + 1, value.upperBound)
        continue
      }
      guard Self.isLetter(bytes[at]) else {
        if let name = Self.nameBeforeURI(bytes, at) { replace(name, of: bytes, &kept, &out) }
        at += 1
        continue
      }
      let start = at
      while at < bytes.count, Self.isLetter(bytes[at]) { at += 1 }
      // The n of an escaped line end is not part of the name.
      let isEscaped = start > 0 && bytes[start - 1] == UInt8(ascii: "\\") && at - start > 1
      // Check the name first: the separator may be far away, and would be searched for every name.
      guard let place = Self.valuePlace(bytes, after: at),
        PersonalMembers.isPerson(bytes[(isEscaped ? start + 1 : start)..<at], within: around.areOfPerson)
          || isEscaped && PersonalMembers.isPerson(bytes[start..<at])
      else { continue }
      guard let value = Self.value(bytes, at: place) else {
        around.opening = place
        continue
      }
      replace(value, of: bytes, &kept, &out)
      at = max(at, value.upperBound)
    }
    guard kept > 0 else { return text }
    return String(decoding: out + bytes[kept...], as: UTF8.self)
  }

  private mutating func replace(
    _ range: Range<Int>, of bytes: [UInt8], _ kept: inout Int, _ out: inout [UInt8]
  ) {
    let name = String(decoding: bytes[range], as: UTF8.self)
    let isNumber = name.utf8.allSatisfy(\.isASCIIDigit)
    guard range.lowerBound >= kept, !PersonalMembers.isWord(name), !isNumber || name.utf8.count >= 5 else {
      return
    }
    meet(name)
    hasFound = true
    out += bytes[kept..<range.lowerBound] + Array(pseudonyms.person(name).utf8)
    kept = range.upperBound
  }

  // The start of the value of a member whose name ends at an index; nil without a separator.
  private static func valuePlace(_ bytes: [UInt8], after end: Int) -> Int? {
    var at = end
    while at < bytes.count,
      bytes[at] == UInt8(ascii: "\\") || bytes[at] == UInt8(ascii: "\"") || bytes[at] == UInt8(ascii: "'")
    { at += 1 }
    while at < bytes.count, bytes[at] == UInt8(ascii: " ") { at += 1 }
    guard at < bytes.count, bytes[at] == UInt8(ascii: ":") || bytes[at] == UInt8(ascii: "=") else {
      return nil
    }
    at += 1
    while at < bytes.count, bytes[at] == UInt8(ascii: " ") { at += 1 }
    return at
  }

  // The value that begins at an index, without its quotes.
  private static func value(_ bytes: [UInt8], at place: Int) -> Range<Int>? {
    var at = place
    let quoting = at
    while at < bytes.count, bytes[at] == UInt8(ascii: "\\") { at += 1 }
    guard at < bytes.count else { return nil }
    if bytes[at] == UInt8(ascii: "\"") || bytes[at] == UInt8(ascii: "'") {
      let quote = bytes[at]
      let start = at + 1
      at = start
      while at < bytes.count, bytes[at] != quote { at += 1 }
      if at < bytes.count { at -= quoting < start - 1 ? start - 1 - quoting : 0 }
      return start < at ? start..<at : nil
    }
    let start = at
    while at < bytes.count, !endsValue(bytes[at]) { at += 1 }
    while at > start, bytes[at - 1] == UInt8(ascii: " ") { at -= 1 }
    return start < at ? start..<at : nil
  }

  // The display name of `"Zoe" <sip:…>` or `Zoe <zoe@…>`, with the bracket at an index.
  private static func nameBeforeURI(_ bytes: [UInt8], _ bracket: Int) -> Range<Int>? {
    guard bytes[bracket] == UInt8(ascii: "<"), bracket > 1, isAddress(bytes[(bracket + 1)...]) else {
      return nil
    }
    var end = bracket
    while end > 0, bytes[end - 1] == UInt8(ascii: " ") { end -= 1 }
    var start = end
    if end > 0, bytes[end - 1] == UInt8(ascii: "\"") {
      end -= 1
      if end > 0, bytes[end - 1] == UInt8(ascii: "\\") { end -= 1 }
      start = end
      while start > 0, bytes[start - 1] != UInt8(ascii: "\"") { start -= 1 }
    } else {
      while start > 0, !endsValue(bytes[start - 1]), bytes[start - 1] != UInt8(ascii: ":") { start -= 1 }
      while start < end, bytes[start] == UInt8(ascii: " ") { start += 1 }
      // Text before a name is not part of it.
      while let gap = bytes[start..<end].firstIndex(of: UInt8(ascii: " ")),
        leading.contains(String(decoding: bytes[start..<gap], as: UTF8.self).lowercased())
      { start = gap + 1 }
    }
    return start < end ? start..<end : nil
  }

  private static let leading: Set = [
    "from", "to", "by", "for", "with", "of", "call", "calling", "called", "incoming", "outgoing", "dialing",
  ]

  // A URI or e-mail address.
  private static func isAddress(_ rest: ArraySlice<UInt8>) -> Bool {
    if ["sip", "tel", "mai"].contains(where: { rest.starts(with: $0.utf8) }) { return true }
    let inner = rest.prefix(longestAddress).prefix { $0 > UInt8(ascii: " ") && $0 != UInt8(ascii: ">") }
    return inner.contains(UInt8(ascii: "@")) && rest.dropFirst(inner.count).first == UInt8(ascii: ">")
  }

  private static let longestAddress = 320

  private static func isLetter(_ byte: UInt8) -> Bool {
    byte.isASCIILetter || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
  }

  // Control characters, quotes, & , ; < > ) ] } { [ \
  private static func endsValue(_ byte: UInt8) -> Bool {
    switch byte {
    case 0..<UInt8(ascii: " "), UInt8(ascii: "\""), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: ")"),
      UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "["),
      UInt8(ascii: "\\"), UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"):
      true
    default: false
    }
  }
}

/// The brackets around a position in free text, and whether they belong to a person: `"caller": {"name": …}`,
/// `participants: [Zoe, …]`.
private struct PersonalBrackets {
  private enum Kind { case other, object, list }
  private var open: [Kind] = []
  /// Where the value of a person's member begins.
  var opening: Int?
  /// Whether the next value is an element of a list of people.
  var isInList = false

  /// Whether the members here belong to a person.
  var areOfPerson: Bool { open.last == .object }

  mutating func pass(_ byte: UInt8, _ place: Int) {
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      let isPerson = place == opening || isInList
      open.append(!isPerson ? .other : byte == UInt8(ascii: "{") ? .object : .list)
      isInList = open.last == .list
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      _ = open.popLast()
      isInList = false
    case UInt8(ascii: ","): isInList = open.last == .list
    default: break
    }
  }
}
