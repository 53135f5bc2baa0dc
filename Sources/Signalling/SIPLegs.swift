/// Ids that a request carries for the whole call, across all legs that B2BUAs create.
struct SIPCorrelation {
  /// Ids that are the same on every leg of a call, each with its kind.
  private(set) var names: [String] = []
  /// Values of extension headers, which may be the Call-ID of the previous leg.
  private(set) var values: [String] = []
  /// Extension headers with a value that nobody guesses: the same on another leg of the call if the agent copies them.
  private(set) var marks: [String] = []

  private static let most = 16
  private static let longest = 256
  /// The minimum length of an id, so that it is sufficiently random.
  private static let shortest = 16

  /// Takes a header without any other use here; its name is in lower case.
  mutating func take(_ name: String, _ value: String) {
    guard value.utf8.count <= Self.longest else { return }
    switch name {
    case "session-id": add(name, value.prefix { $0 != ";" })  // RFC 7989
    case "p-charging-vector": add(name, parameter("icid-value", of: value))  // RFC 7315
    case "cisco-guid": add(name, value[...])
    default:
      let isOwn = name.hasPrefix("x-")
      if isOwn, values.count < Self.most { values.append(value) }
      if isOwn || name.hasSuffix("-id") || name.contains("trace"), marks.count < Self.most,
        Self.isUnguessable(value)
      {
        marks.append("\(name) \(value)")
      }
    }
  }

  /// Whether a value is an id made of random digits and letters, rather than a name, a number or an address.
  private static func isUnguessable(_ value: String) -> Bool {
    let (digits, letters) = value.utf8.reduce(into: (0, 0)) { count, byte in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): count.0 += 1
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): count.1 += 1
      case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: ":"): break
      default: count.0 = .min
      }
    }
    return digits >= 4 && letters >= 2 && digits + letters >= shortest
  }

  private mutating func add(_ kind: String, _ value: Substring) {
    let name = value.filter { $0 != " " && $0 != "\"" }.lowercased()
    // The null UUID (RFC 7989 section 5) identifies nothing.
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

/// The legs of a call that a B2BUA continues under another Call-ID.
///
/// They are recognised by the caller's own media address, if the agent does not relay media; by ids that both
/// legs carry, or a Call-ID that contains the other; or by one SSRC that enters on one leg and leaves on the other.
/// Without such evidence, legs remain separate calls.
public struct SIPLegs {
  /// The Call-ID of a call's first leg, by that of a later leg.
  private var first: [String: String] = [:]
  /// The call that last carried an id.
  private var named: [String: String] = [:]
  private static let most = 20_000
  private static let mostNamed = 80_000

  public init() {}

  /// The Call-ID of the first leg of a message's call.
  public func call(of message: SIPMessage) -> String { call(of: message.callID) }

  /// The Call-ID of the first leg of a call.
  public func call(of callID: String) -> String { first[callID] ?? callID }

  /// Records that an INVITE begins another leg of a call.
  public mutating func join(_ callID: String, to call: String) -> Bool {
    guard first.count < Self.most else { return false }
    first[callID] = first[call] ?? call
    return true
  }

  /// A topology-hiding proxy changes the Call-ID but keeps the caller's tag, which is random. This is its
  /// minimum length.
  private static let shortestTag = 8

  private func tagged(_ message: SIPMessage) -> String? {
    message.fromTag.utf8.count >= Self.shortestTag ? "tag \(message.fromTag) \(message.sequence)" : nil
  }

  /// The minimum lengths of a Call-ID, and of its part before the `@`, that another one may contain.
  private static let (shortestID, shortestLocal) = (8, 12)
  private static let longestID = 256
  private static let mostParts = 16

  /// The Call-IDs of calls that an INVITE may continue, if it comes from where they were sent: what agents pass on
  /// or build their own ids from.
  public func calls(likelyOf message: SIPMessage) -> [String] {
    let marks = message.correlation.marks.compactMap { named["mark \($0)"] }.filter { !$0.isEmpty }
    let ids = Self.parts(of: message.callID[...]).compactMap { named["id \($0)"] }
    let locals = Self.parts(of: Self.local(message)).compactMap { named["local \($0)"] }
    let tagged = [tagged(message)].compactMap { $0.flatMap { named[$0] } }
    return (tagged + ids + locals + marks).map { first[$0] ?? $0 }.filter { $0 != message.callID }
  }

  /// Records the ids that a call carries from its first INVITE on.
  public mutating func begin(_ message: SIPMessage) {
    let local = Self.local(message)
    let ids = [
      tagged(message), message.callID.utf8.count >= Self.shortestID ? "id \(message.callID)" : nil,
      local.utf8.count >= Self.shortestLocal ? "local \(local)" : nil,
    ]
    for name in message.correlation.names + ids.compactMap({ $0 }) where hasRoom(for: name) {
      named[name] = message.callID
    }
    for mark in message.correlation.marks.map({ "mark \($0)" }) where hasRoom(for: mark) {
      // What several calls have says nothing of one.
      named[mark] = named[mark].map { $0 == message.callID } ?? true ? message.callID : ""
    }
  }

  private func hasRoom(for name: String) -> Bool { named.count < Self.mostNamed || named[name] != nil }

  private static func local(_ message: SIPMessage) -> Substring { message.callID.prefix { $0 != "@" } }

  /// An id, and what is left of it without what stands before the first or after the last separators.
  private static func parts(of id: Substring) -> [Substring] {
    guard id.utf8.count <= longestID else { return [] }
    let separators = id.indices.filter { !id[$0].isLetter && !id[$0].isNumber }
    return [id] + separators.suffix(mostParts).map { id[..<$0] }
      + separators.prefix(mostParts).map { id[id.index(after: $0)...] }
  }

  /// The Call-IDs of calls that an INVITE refers to as the one that it continues.
  public func calls(namedBy message: SIPMessage) -> [String] {
    let known = message.correlation.names.compactMap { named[$0] } + message.correlation.values
    return known.map { first[$0] ?? $0 }.filter { $0 != message.callID }
  }
}
