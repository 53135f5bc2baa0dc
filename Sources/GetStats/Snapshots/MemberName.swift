/// What the name of a member says about the reports under it.
enum MemberName: Equatable {
  /// Their time, ms since the epoch.
  case time(Double)
  /// The number of their poll.
  case number
  /// That they are reports, or their kind.
  case kind
  /// Their owner.
  case owner

  init(_ name: [UInt8]) {
    if let number = numberInText(name) {
      self = ReportTime.normal(number).flatMap { ReportTime.isEpoch($0) ? .time($0) : nil } ?? .number
    } else if let time = ReportTime.written(name) {
      self = .time(time)
    } else {
      self = Self.ofWords(name)
    }
  }

  /// Words for polls and their contents; with a number, one of several.
  private static let polls: Set = [
    "all", "args", "array", "attributes", "body", "breadcrumb", "breadcrumbs", "content", "context",
    "contexts", "current", "data", "detail", "details", "doc", "document", "documents", "entries", "event",
    "events", "extra", "extras", "fields", "get", "history", "hit", "hits", "items", "json", "last", "list",
    "log", "logs", "message", "meta", "metadata", "metrics", "parameters", "params", "payload", "poll",
    "polls", "properties", "props", "raw", "record", "records", "report", "reports", "response", "result",
    "results", "row", "rows", "rtc", "sample", "samples", "snapshot", "snapshots",
    "stat", "statistics", "stats", "telemetry", "tick", "ticks", "value", "values", "web", "webrtc",
  ]
  /// Words for things that can occur several times; with a number, one of them.
  private static let parts: Set = [
    "audio", "bandwidth", "candidate", "candidates", "certificate", "certificates", "channel", "channels",
    "codec", "codecs", "connection", "connections", "contributing", "ice", "inbound", "media", "outbound",
    "pair",
    "pairs", "pc", "pcs", "peer", "peers", "playout", "rtp", "source", "sources", "stream", "streams",
    "track",
    "tracks", "transport", "transports", "trickled", "video",
  ]
  /// Longer names are not made of these words.
  private static let maxBytes = 64
  /// Words that are only used to distinguish the two ends.
  private static let ends: Set = ["local", "remote"]

  private static let connections: Set = ["connection", "connections", "pc", "pcs", "transport", "transports"]

  /// Whether the values of a member are connections, whose names are not those of people.
  static func isOfConnections(_ name: [UInt8]) -> Bool {
    name.count <= maxBytes && words(name).contains(where: connections.contains)
  }

  /// Whether a name is that of a part of a poll: a kind of report, or a medium.
  static func isOfParts(_ name: [UInt8]) -> Bool {
    guard name.count <= maxBytes else { return false }
    let words = words(name)
    return words.contains(where: parts.contains)
      && words.allSatisfy { parts.contains($0) || polls.contains($0) || ends.contains($0) }
  }

  private static func ofWords(_ name: [UInt8]) -> MemberName {
    guard name.count <= maxBytes else { return .owner }
    let words = words(name)
    guard !words.isEmpty else { return name.isEmpty ? .kind : .owner }
    let hasNumber = name.contains(where: \.isASCIIDigit)
    if words.allSatisfy(polls.contains) { return hasNumber ? .number : .kind }
    if hasNumber || words.allSatisfy(ends.contains) { return .owner }
    return words.allSatisfy { polls.contains($0) || parts.contains($0) || ends.contains($0) } ? .kind : .owner
  }

  /// The lower-cased words of a name, without its numbers: `rawRTCStats` is raw, rtc and stats.
  private static func words(_ name: [UInt8]) -> [String] {
    var words: [String] = []
    var word = ""
    for (index, byte) in name.enumerated() {
      let isCapital = byte.isASCIICapital
      guard isCapital || byte.isASCIISmall || byte >= 0x80 else {
        words.append(word)
        word = ""
        continue
      }
      let follows = index > 0 && name[index - 1].isASCIISmall
      let leads = index + 1 < name.count && name[index + 1].isASCIISmall
      if isCapital, follows || leads {
        words.append(word)
        word = ""
      }
      word.unicodeScalars.append(Unicode.Scalar(isCapital ? byte | 0x20 : byte))
    }
    return (words + [word]).filter { !$0.isEmpty }
  }
}
