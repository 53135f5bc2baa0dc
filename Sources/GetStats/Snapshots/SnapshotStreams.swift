import Bytes

/// What the first snapshot in a value is of: by that a poll is told from another connection where names do not tell.
struct SnapshotStreams {
  /// Reports kept, and values looked at, at most.
  private static let most = 256
  private static let maxValues = 4096
  /// Polls are further apart than that; connections of one page are polled together.
  static let stepMs = 100.0

  private var streams: Set<[UInt8]> = []
  private var all: Set<[UInt8]> = []
  /// Pairs and candidates: no two connections share one.
  private var paths: Set<[UInt8]> = []
  private var timeMs = -Double.infinity
  private var values = 0

  /// Nothing seen.
  init() {}

  /// Looks at the value that comes next.
  init(_ place: JSONScanner) throws(JSONError) {
    var scanner = place
    _ = try look(&scanner, [], ReportSearch.maxLevels)
  }

  /// Whether it is the same connection's at a later time.
  func isLater(_ connection: PeerConnection) -> Bool {
    guard isAfter(connection) else { return false }
    let present = connection.presentReports
    if streams.isEmpty { return !all.isEmpty && all == Set(present.map(\.id)) }
    return present.contains { $0.type.isStream && streams.contains($0.id) }
  }

  /// Whether it is of other streams than the connection's, at the same time.
  func isBeside(_ connection: PeerConnection) -> Bool {
    guard !streams.isEmpty, !isAfter(connection) else { return false }
    return !connection.presentReports.contains { $0.type.isStream && streams.contains($0.id) }
  }

  /// Whether it is besides of another path: each receiver of one connection tells of streams of its own too.
  func isApart(_ connection: PeerConnection) -> Bool {
    isBeside(connection) && !paths.isEmpty && !sharesPath(connection)
      && connection.presentReports.contains { $0.type.isOfOnePath }
  }

  /// Whether it is of the connection's path, and so of the connection.
  func sharesPath(_ connection: PeerConnection) -> Bool {
    !paths.isEmpty
      && connection.presentReports.contains { $0.type.isOfOnePath && paths.contains($0.id) }
  }

  /// Whether it is of another path than ever was the connection's, and of no stream of it, at the same time.
  func isOnAnotherPath(_ connection: PeerConnection) -> Bool {
    !paths.isEmpty && timeMs > latest(of: connection) - Self.stepMs && !isAfter(connection)
      && !hasOwn(of: connection) && connection.everHadReport { $0.type.isOfOnePath }
  }

  /// Whether the connection ever had one of its streams, or something of its path.
  func hasOwn(of connection: PeerConnection) -> Bool {
    paths.contains { connection.knows($0) } || streams.contains { connection.knows($0) }
  }

  private func isAfter(_ connection: PeerConnection) -> Bool {
    let latest = latest(of: connection)
    return !latest.isFinite || !timeMs.isFinite || timeMs >= latest + Self.stepMs
  }

  /// When the connection's last poll was, by its reports.
  private func latest(of connection: PeerConnection) -> Double {
    connection.presentReports.reduce(-Double.infinity) { latest, report in
      report.isOfFarEnd || report.timeMs.isNaN
        ? latest : max(latest, ReportTime.normal(report.timeMs) ?? report.timeMs)
    }
  }

  /// True where enough was seen.
  private mutating func look(
    _ scanner: inout JSONScanner, _ name: [UInt8], _ levels: Int
  ) throws(JSONError) -> Bool {
    values += 1
    if values > Self.maxValues || all.count >= Self.most { return true }
    let kind = try scanner.peek()
    guard levels > 0, kind == .object || kind == .array else {
      try scanner.skip()
      return false
    }
    if kind == .array {
      try scanner.beginArray()
      while try scanner.nextElement() { if try look(&scanner, [], levels - 1) { return true } }
      return !streams.isEmpty
    }
    var head = SnapshotHead()
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      let kind = try scanner.peek()
      if kind == .object || kind == .array {
        if try look(&scanner, key.decoded(), levels - 1) { return true }
      } else {
        try head.take(key, &scanner)
      }
    }
    guard head.marks.isReport, let type = head.marks.type else { return !streams.isEmpty }
    let id = head.marks.id?.decoded() ?? name
    all.insert(id)
    let meaning = id.withUnsafeBufferPointer { ReportType(name: type.bytes, id: $0) }
    if meaning.isStream { streams.insert(id) }
    if meaning.isOfOnePath { paths.insert(id) }
    if meaning != .remoteInbound, meaning != .remoteOutbound, !head.timeMs.isNaN {
      timeMs = max(timeMs, head.timeMs)
    }
    return false
  }
}
