/// Methods of the SDKs that dial: `createCall bob`, `callUserWithId 01701234567`. The callee is their first, unnamed
/// argument.
enum DialMethods {
  private static let beginnings = [
    "createcall", "startcall", "makecall", "placecall", "establishcall", "calluser", "callphonenumber",
    "callsip",
    "createvoipcall", "createpstncall", "createsipcall",
  ]

  /// The member with the callee of this method; nil if the method does not dial.
  static func callee(of raw: String) -> String? {
    let name = raw.lowercased().filter { $0 != "_" }
    return beginnings.contains(where: name.hasPrefix) ? "0" : nil
  }
}
