/// Names that a request bears for the whole call, over all legs that back-to-back user agents make of it.
struct SIPCorrelation {
  /// Names that every leg of a call has alike, with their kind.
  private(set) var names: [String] = []
  /// Values of extension headers, which may be the Call-ID of the leg before.
  private(set) var values: [String] = []

  private static let most = 16
  private static let longest = 256
  /// A name is no less random than that.
  private static let shortest = 16

  /// Takes a header that says nothing else, its name in lower case.
  mutating func take(_ name: String, _ value: String) {
    guard value.utf8.count <= Self.longest else { return }
    switch name {
    case "session-id": add(name, value.prefix { $0 != ";" })  // RFC 7989
    case "p-charging-vector": add(name, parameter("icid-value", of: value))  // RFC 7315
    case "cisco-guid": add(name, value[...])
    default: if name.hasPrefix("x-"), values.count < Self.most { values.append(value) }
    }
  }

  private mutating func add(_ kind: String, _ value: Substring) {
    let name = value.filter { $0 != " " && $0 != "\"" }.lowercased()
    // The null identifier (RFC 7989 section 5) names nothing.
    guard name.utf8.count >= Self.shortest, names.count < Self.most,
      name.contains(where: { $0 != "0" && $0 != "-" })
    else { return }
    names.append("\(kind) \(name)")
  }

  private func parameter(_ name: String, of value: String) -> Substring {
    for part in value.split(separator: ";") {
      let pair = part.split(separator: "=", maxSplits: 1)
      if pair.count == 2, pair[0].filter({ $0 != " " }).lowercased() == name { return pair[1] }
    }
    return ""
  }
}
