import Bytes

/// The words of a free text that a reader has split: `"0":"Hello","1":"Zoe","2":"Quimby"`. People with several words in
/// their name are searched in the original text.
struct SplitWords {
  private typealias Member = (name: String, json: String)

  /// The object with each person of several words in one member; single words are handled elsewhere.
  static func mended(_ json: String, by text: inout PersonalText) -> String {
    guard let members = members(of: json) else { return json }
    var out: [Member] = []
    var hasChanged = false
    var at = 0
    while at < members.count {
      // A named member's value may be the first word: `note=Zoe Quimby`.
      var end = at + 1
      if word(of: members[at]) != nil {
        while end < members.count, isNumbered(members[end]), word(of: members[end]) != nil { end += 1 }
      }
      let before = Array(members[at..<end])
      let after = before.count > 1 ? mended(before, &text) : nil
      hasChanged = hasChanged || after != nil
      out += after ?? before
      at = end
    }
    return hasChanged ? object(of: out) : json
  }

  // MARK: One text

  // Nil if it contains nobody.
  private static func mended(_ members: [Member], _ text: inout PersonalText) -> [Member]? {
    guard PersonalMembers.isPerson(members[0].name.utf8), !isNumbered(members[0]) else {
      return renamed(members, &text)
    }
    // If a named member is a person, the following words belong to the name.
    var words = [word(of: members[0]) ?? ""]
    guard !PersonalMembers.isWord(words[0]) else { return renamed(members, &text) }
    for member in members.dropFirst() {
      guard let next = word(of: member), goesOn(words, with: next) else { break }
      words.append(next)
    }
    guard words.count > 1 else { return renamed(members, &text) }
    let name = words.joined(separator: " ")
    text.meet(name)
    if !isOfNumber(words[0]) { for word in words { text.meet(word) } }
    let rest = Array(members.dropFirst(words.count))
    return [(members[0].name, quoted(text.pseudonyms.person(name)))]
      + (rest.isEmpty ? [] : renamed(rest, &text) ?? rest)
  }

  // Whether the next word belongs to a name: digits to a number, a word that begins like a name to words.
  private static func goesOn(_ words: [String], with next: String) -> Bool {
    if isOfNumber(words[0]) {
      let digits = words.reduce(0) { $0 + $1.utf8.count { $0.isASCIIDigit } }
      return isOfNumber(next) && SpacedNumbers.goesOn(digits, by: next.utf8.count { $0.isASCIIDigit })
    }
    guard let first = next.first, first.isUppercase || first.isLetter && !first.isASCII else { return false }
    return !PersonalMembers.isWord(next) && !PersonalMembers.isConstant(next)
      && !words[0].contains(" ") && next.allSatisfy { $0.isLetter || "-.'’".contains($0) }
  }

  private static func isOfNumber(_ word: String) -> Bool {
    word.utf8.contains(where: \.isASCIIDigit)
      && word.utf8.allSatisfy { $0.isASCIIDigit || "+-.()/".utf8.contains($0) }
  }

  // Joins the text, replaces people, and splits it again.
  private static func renamed(_ members: [Member], _ text: inout PersonalText) -> [Member]? {
    let words = members.map { word(of: $0) ?? "" }
    guard !words.contains(where: { $0.isEmpty || $0.contains("\"") }) else { return nil }
    let whole = words.map { $0.contains(" ") ? "\"\($0)\"" : $0 }.joined(separator: " ")
    let replaced = text.namesReplaced(whole)
    guard replaced != whole else { return nil }
    var out: [Member] = []
    var at = 0
    for word in torn(replaced) {
      if let same = words[at...].firstIndex(of: word) {
        out.append(members[same])
        at = same + 1
      } else {
        out.append((members[at].name, quoted(word)))
        at += 1
      }
      guard at < members.count else { break }
    }
    return out
  }

  private static func torn(_ text: String) -> [String] {
    var words: [String] = []
    for (index, part) in text.split(separator: "\"", omittingEmptySubsequences: false).enumerated() {
      words += index.isMultiple(of: 2) ? part.split(separator: " ").map(String.init) : [String(part)]
    }
    return words
  }

  // MARK: Members

  // Nil if there is no unnamed word.
  private static func members(of json: String) -> [Member]? {
    var json = json
    return json.withUTF8 { bytes in
      guard mayBeTorn(bytes) else { return nil }
      var scanner = JSONScanner(bytes)
      var members: [Member] = []
      do throws(JSONError) {
        try scanner.beginObject()
        while let key = try scanner.nextKey() {
          let name = key.string
          members.append((name, String(decoding: try scanner.skip(), as: UTF8.self)))
        }
        try scanner.finish()
      } catch {
        return nil
      }
      return members
    }
  }

  private static func mayBeTorn(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard bytes.count > 4, bytes[0] == UInt8(ascii: "{") else { return false }
    return (1..<bytes.count - 1).contains {
      bytes[$0] == UInt8(ascii: "\"") && bytes[$0 + 1].isASCIIDigit
        && (bytes[$0 - 1] == UInt8(ascii: ",") || bytes[$0 - 1] == UInt8(ascii: "{"))
    }
  }

  private static func isNumbered(_ member: Member) -> Bool { member.name.utf8.allSatisfy(\.isASCIIDigit) }

  // The text of a scalar; nil for objects and lists.
  private static func word(of member: Member) -> String? {
    var json = member.json
    switch json.utf8.first {
    case UInt8(ascii: "{"), UInt8(ascii: "["), nil: return nil
    case UInt8(ascii: "\""):
      return json.withUTF8 { bytes in
        var scanner = JSONScanner(bytes)
        return try? scanner.string().string
      }
    default: return json
    }
  }

  private static func quoted(_ text: String) -> String {
    var out = ByteWriter()
    out.append(json: text)
    return out.string
  }

  private static func object(of members: [Member]) -> String {
    var out = ByteWriter(capacity: 64)
    for (index, member) in members.enumerated() {
      out.append(byte: UInt8(ascii: index == 0 ? "{" : ","))
      out.append(json: member.name)
      out.append(byte: UInt8(ascii: ":"))
      out.append(member.json)
    }
    out.append(byte: UInt8(ascii: "}"))
    return out.string
  }
}

/// Names of members whose value is a person: the same in JSON, in JSON in a string and in free text.
enum PersonalMembers {
  /// Lower-cased without `_` and `-`.
  private static let names: Set<String> = [
    "displayname", "callername", "calleename", "fullname", "firstname", "lastname", "nickname", "username",
    "user", "userid", "uid", "login", "email", "mail", "phone", "phonenumber", "number", "msisdn", "caller",
    "callee", "from", "to", "sip", "sipuri", "uri", "contact", "remoteparty", "remoteuser", "localuser",
    "remotename", "localname", "participant", "participants", "peer", "person",
    "identity", "owner", "aor", "destination", "originator", "callednumber", "callingnumber", "dialednumber",
    "callernumber", "calleenumber", "incomingnumber", "outgoingnumber", "remotenumber", "localnumber",
    "dialnumber",
    "destinationnumber", "targetnumber", "fromnumber", "tonumber", "callerid", "calleeid", "overlaytext",
    "servicetype", "member", "members", "attendee", "attendees", "statsid", "presenter", "sender",
    "recipient",
    "recipients", "recipientid", "origin",
  ]
  /// The same with any prefix: `remoteDisplayName`, `callee_phone_number`, `stage_presenter_name`.
  private static let endings =
    ["displayname", "fullname", "username", "userid", "phonenumber", "sipuri", "emailaddress"]
    + [
      "caller", "callee", "participant", "peer", "presenter", "speaker", "sender", "recipient", "receiver",
      "attendee", "member", "contact", "customer", "organizer", "moderator", "author",
    ].map { $0 + "name" }
  /// Members that identify a person within an object that is a person: `"caller": {"name": …}`.
  private static let within: Set<String> = [
    "name", "first", "last", "given", "family", "givenname", "familyname", "middlename", "surname", "alias",
    "id",
  ]
  /// Values of such members that are not people.
  private static let words: Set<String> = [
    "caller", "callee", "local", "remote", "new", "checking", "connecting", "connected", "completed",
    "disconnected", "failed", "closed", "stable", "idle", "ringing", "active", "ended", "held", "unknown",
    "initiating", "initiated", "answering", "answered", "cancelled", "canceled", "busy", "rejected", "none",
    "have-local-offer", "have-remote-offer", "have-local-pranswer", "have-remote-pranswer", "gathering",
    "complete", "offer", "answer", "guest", "host", "chair", "anonymous", "true", "false", "null", "-", "",
  ]

  /// Whether the value of a member is a person.
  ///
  /// - Parameter isOfPerson: whether its object is a person.
  static func isPerson(_ name: some Sequence<UInt8>, within isOfPerson: Bool = false) -> Bool {
    let plain = name.filter { $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "-") }
    let word = String(decoding: plain, as: UTF8.self).lowercased()
    return names.contains(word) || isOfPerson && within.contains(word)
      || endings.contains(where: word.hasSuffix)
  }

  /// Whether a text is a status or a site rather than a person; or is a pseudonym already.
  static func isWord(_ text: String) -> Bool {
    words.contains(text.lowercased()) || isPseudonym(text) || isSite(text)
  }

  static func isPseudonym(_ text: String) -> Bool { text.hasPrefix("person-") && text.utf8.count == 19 }

  /// Whether a word is the name of a constant: `IN_CALL`.
  static func isConstant(_ text: String) -> Bool {
    text.utf8.contains(UInt8(ascii: "_"))
      && text.utf8.allSatisfy { $0.isASCIICapital || $0.isASCIIDigit || $0 == UInt8(ascii: "_") }
  }

  // The origin of a page (RFC 6454): `https://app.example`.
  private static func isSite(_ text: String) -> Bool {
    guard let scheme = ["https://", "http://"].first(where: text.hasPrefix) else { return false }
    let host = text.dropFirst(scheme.utf8.count)
    return !host.isEmpty && !host.contains { "/@?#%".contains($0) }
  }
}
