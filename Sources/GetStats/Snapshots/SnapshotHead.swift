import Bytes
import CallModel

/// What an object says beside the reports in it: when they were polled, and of which connection.
struct SnapshotHead {
  var timeMs = Double.nan
  /// The connection's name.
  var name: JSONText?
  /// The name of whom the connection leads to: the connection's own, where it has no other.
  var peer: JSONText?
  /// What the object says of itself: its id is the connection's name where the object is no report.
  var marks = ReportMarks()
  var facts = ConnectionFacts()
  var isEvent = false

  /// Takes a member, or passes it over.
  mutating func take(_ key: JSONText, _ scanner: inout JSONScanner) throws(JSONError) {
    switch key {
    case "ts", "t", "time", "timestamp", "timestamp_us", "timestampUs":
      // A long name is that of a report.
      if key.bytes.count > 4 { marks.hasTimestamp = true }
      if let time = try ReportTime.read(&scanner), timeMs.isNaN { timeMs = time }
    case "pc", "peerConnectionId", "pcId", "pcid", "connection", "connectionId", "connection_id":
      name = try Self.text(&scanner) ?? name
    case "peerId", "peer_id": peer = try Self.text(&scanner) ?? peer
    case "id", "type": try marks.take(key, &scanner)
    case "event":
      isEvent = try scanner.peek() == .string
      try scanner.skip()
    default: if try !facts.take(key, &scanner) { try scanner.skip() }
    }
  }

  private static func text(_ scanner: inout JSONScanner) throws(JSONError) -> JSONText? {
    guard try scanner.peek() == .string else {
      try scanner.skip()
      return nil
    }
    return try scanner.string()
  }
}
