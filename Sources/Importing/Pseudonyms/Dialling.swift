/// What dials in the SDKs: `createCall bob`, `callUserWithId 01701234567`. Its first argument is whom the call goes to, and has no name.
enum Dialling {
  private static let beginnings = [
    "createcall", "startcall", "makecall", "placecall", "establishcall", "calluser", "callphonenumber",
    "callsip",
    "createvoipcall", "createpstncall", "createsipcall",
  ]

  /// The member that holds whom a call of this method goes to; nil where the name is none that dials.
  static func callee(of raw: String) -> String? {
    let name = raw.lowercased().filter { $0 != "_" }
    return beginnings.contains(where: name.hasPrefix) ? "0" : nil
  }
}
