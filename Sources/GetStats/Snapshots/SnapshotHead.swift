import Bytes
import CallModel

/// What an object says beside the reports in it: when they were polled, of which connection, and whose that is.
struct SnapshotHead {
  /// By what an end of a call is named, the best first.
  private enum End: UInt8 { case endpoint, user, participant, client, none }

  var timeMs = Double.nan
  /// Whether the time does not say in which zone it is.
  private(set) var lacksZone = false
  /// The connection's name.
  var name: JSONText?
  /// The name of whom the connection leads to: the connection's own, where it has no other.
  var peer: JSONText?
  /// The call's id, and the name of the end.
  private(set) var call: JSONText?
  private(set) var endpoint: JSONText?
  private var end = End.none
  /// What people call what the object is about: of an element of a list that holds polls, whose they are.
  private(set) var title: JSONText?
  private var sdk: JSONText?
  private var userAgent: JSONText?
  /// What the object says of itself: its id is the connection's name where the object is no report.
  var marks = ReportMarks()
  var isEvent = false

  var ids: ConnectionIDs {
    var ids = ConnectionIDs()
    ids.call = call?.decoded() ?? []
    ids.endpoint = endpoint?.decoded() ?? []
    return ids
  }

  /// What is known of a connection, with what is said here.
  func facts(within around: ConnectionFacts) -> ConnectionFacts {
    var facts = around
    if let call { facts.call = call.string }
    if let endpoint {
      facts.endpoint = endpoint.string
      if end == .user || end == .participant { facts.person = facts.endpoint }
    }
    if let sdk { facts.sdk = sdk.string }
    if let userAgent { facts.userAgent = userAgent.string }
    return facts
  }

  /// Takes a member, or passes it over.
  mutating func take(_ key: JSONText, _ scanner: inout JSONScanner) throws(JSONError) {
    switch key {
    case "ts", "t", "time", "timestamp", "timestamp_us", "timestampUs":
      // A long name is that of a report.
      if key.bytes.count > 4 { marks.hasTimestamp = true }
      if timeMs.isNaN, try scanner.peek() == .string {
        var ahead = scanner
        lacksZone = try ReportTime.lacksZone(ahead.string().decoded())
      }
      if let time = try ReportTime.read(&scanner), timeMs.isNaN { timeMs = time }
    case "pc", "peerConnectionId", "pcId", "pcid", "connection", "connectionId", "connection_id":
      name = try Self.text(&scanner) ?? name
    case "peerId", "peer_id": peer = try Self.text(&scanner) ?? peer
    case "id", "type": try marks.take(key, &scanner)
    case "call", "callId", "call_id", "callSid": call = try Self.id(&scanner) ?? call
    case "endpoint": try take(.endpoint, &scanner)
    case "userId", "user_id", "user": try take(.user, &scanner)
    case "participantId", "participant_id", "participant": try take(.participant, &scanner)
    case "clientId", "client_id": try take(.client, &scanner)
    case "name", "displayName", "display_name": title = try Self.id(&scanner) ?? title
    case "sdk": sdk = try Self.text(&scanner) ?? sdk
    case "userAgent": userAgent = try Self.text(&scanner) ?? userAgent
    case "event":
      isEvent = try scanner.peek() == .string
      try scanner.skip()
    default: try scanner.skip()
    }
  }

  private mutating func take(_ kind: End, _ scanner: inout JSONScanner) throws(JSONError) {
    guard let text = try Self.id(&scanner), kind.rawValue <= end.rawValue else { return }
    endpoint = text
    end = kind
  }

  private static func text(_ scanner: inout JSONScanner) throws(JSONError) -> JSONText? {
    guard try scanner.peek() == .string else {
      try scanner.skip()
      return nil
    }
    return try scanner.string()
  }

  /// The same, also where it is a number; nil where it is empty.
  private static func id(_ scanner: inout JSONScanner) throws(JSONError) -> JSONText? {
    if try scanner.peek() == .number { return JSONText(escaped: try scanner.skip()) }
    guard let text = try text(&scanner), !text.bytes.isEmpty else { return nil }
    return text
  }
}
