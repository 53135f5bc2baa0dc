import Bytes

/// The names of members whose value is a person: the same in JSON, in JSON in a string and in running text.
enum PersonalMembers {
  /// In lower case without `_` and `-`.
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
  /// The same whatever stands in front: `remoteDisplayName`, `callee_phone_number`, `stage_presenter_name`.
  private static let endings =
    ["displayname", "fullname", "username", "userid", "phonenumber", "sipuri", "emailaddress"]
    + [
      "caller", "callee", "participant", "peer", "presenter", "speaker", "sender", "recipient", "receiver",
      "attendee", "member", "contact", "customer", "organizer", "moderator", "author",
    ].map { $0 + "name" }
  /// What says who it is within an object that is a person: `"caller": {"name": …}`.
  private static let within: Set<String> = [
    "name", "first", "last", "given", "family", "givenname", "familyname", "middlename", "surname", "alias",
    "id",
  ]
  /// Words that stand under such a name and are no person.
  private static let words: Set<String> = [
    "caller", "callee", "local", "remote", "new", "checking", "connecting", "connected", "completed",
    "disconnected", "failed", "closed", "stable", "idle", "ringing", "active", "ended", "held", "unknown",
    "initiating", "initiated", "answering", "answered", "cancelled", "canceled", "busy", "rejected", "none",
    "have-local-offer", "have-remote-offer", "have-local-pranswer", "have-remote-pranswer", "gathering",
    "complete", "offer", "answer", "guest", "host", "chair", "anonymous", "true", "false", "null", "-", "",
  ]

  /// Whether the value of a member is a person.
  ///
  /// - Parameter isOfPerson: whether the object that it stands in is one.
  static func isPerson(_ name: some Sequence<UInt8>, within isOfPerson: Bool = false) -> Bool {
    let plain = name.filter { $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "-") }
    let word = String(decoding: plain, as: UTF8.self).lowercased()
    return names.contains(word) || isOfPerson && within.contains(word)
      || endings.contains(where: word.hasSuffix)
  }

  /// Whether a text says how things stand, or of which site it is, rather than who somebody is; or is a pseudonym already.
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
