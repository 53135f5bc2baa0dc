import Bytes
import CallModel

/// The information in an object beside its reports: their time, connection and owner.
struct SnapshotHead {
  /// Names of an end of a call, the best first.
  private enum End: UInt8 { case endpoint, user, participant, client, none }

  var timeMs = Double.nan
  /// Whether the time has no zone.
  private(set) var lacksZone = false
  /// The connection's name.
  var name: JSONText?
  /// The name of the remote peer: used as the connection's, if it has no other.
  var peer: JSONText?
  /// The call's id, and the name of the end.
  private(set) var call: JSONText?
  private(set) var endpoint: JSONText?
  private var end = End.none
  /// The display name of the object: for a list element with polls, that of their owner.
  private(set) var title: JSONText?
  private var sdk: JSONText?
  private var userAgent: JSONText?
  /// Evidence in the object itself: its id is the connection's name if the object is not a report.
  var marks = ReportMarks()
  var isEvent = false

  var ids: ConnectionIDs {
    var ids = ConnectionIDs()
    ids.call = call?.decoded() ?? []
    ids.endpoint = endpoint?.decoded() ?? []
    return ids
  }

  /// Facts of a connection, including those found here.
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

  /// Processes a member, or skips it.
  mutating func take(_ key: JSONText, _ scanner: inout JSONScanner) throws(JSONError) {
    switch key {
    case "ts", "t", "time", "timestamp", "timestamp_us", "timestampUs":
      // A long name is that of a report's member.
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

  /// The same, also for numbers; nil if it is empty.
  private static func id(_ scanner: inout JSONScanner) throws(JSONError) -> JSONText? {
    if try scanner.peek() == .number { return JSONText(escaped: try scanner.skip()) }
    guard let text = try text(&scanner), !text.bytes.isEmpty else { return nil }
    return text
  }
}
