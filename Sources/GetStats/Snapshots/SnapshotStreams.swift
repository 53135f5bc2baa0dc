import Bytes

/// The streams of the first snapshot in a value, to distinguish polls from other connections if names do not.
struct SnapshotStreams {
  /// The most reports kept, and values examined.
  private static let most = 256
  private static let maxValues = 4096
  /// Polls are farther apart than this, ms; connections of one page are polled together.
  static let stepMs = 100.0

  private var streams: Set<[UInt8]> = []
  private var all: Set<[UInt8]> = []
  /// Pairs and candidates, which connections never share.
  private var paths: Set<[UInt8]> = []
  private var timeMs = -Double.infinity
  private var values = 0

  /// No streams.
  init() {}

  /// Examines the next value.
  init(_ place: JSONScanner) throws(JSONError) {
    var scanner = place
    _ = try look(&scanner, [], ReportSearch.maxLevels)
  }

  /// Whether it is a later poll of the same connection.
  func isLater(_ connection: PeerConnection) -> Bool {
    guard isAfter(connection) else { return false }
    let present = connection.presentReports
    if streams.isEmpty { return !all.isEmpty && all == Set(present.map(\.id)) }
    return present.contains { $0.type.isStream && streams.contains($0.id) }
  }

  /// Whether it has other streams than the connection, at the same time.
  func isBeside(_ connection: PeerConnection) -> Bool {
    guard !streams.isEmpty, !isAfter(connection) else { return false }
    return !connection.presentReports.contains { $0.type.isStream && streams.contains($0.id) }
  }

  /// Whether it is also on another path: each receiver of one connection has its own streams too.
  func isApart(_ connection: PeerConnection) -> Bool {
    isBeside(connection) && !paths.isEmpty && !sharesPath(connection)
      && connection.presentReports.contains { $0.type.isOfOnePath }
  }

  /// Whether it is on the connection's path, and so belongs to it.
  func sharesPath(_ connection: PeerConnection) -> Bool {
    !paths.isEmpty
      && connection.presentReports.contains { $0.type.isOfOnePath && paths.contains($0.id) }
  }

  /// Whether it is on a path that the connection never used, without any of its streams, at the same time.
  func isOnAnotherPath(_ connection: PeerConnection) -> Bool {
    !paths.isEmpty && timeMs > latest(of: connection) - Self.stepMs && !isAfter(connection)
      && !hasOwn(of: connection) && connection.everHadReport { $0.type.isOfOnePath }
  }

  /// Whether the connection ever had one of its streams, or part of its path.
  func hasOwn(of connection: PeerConnection) -> Bool {
    paths.contains { connection.knows($0) } || streams.contains { connection.knows($0) }
  }

  private func isAfter(_ connection: PeerConnection) -> Bool {
    let latest = latest(of: connection)
    return !latest.isFinite || !timeMs.isFinite || timeMs >= latest + Self.stepMs
  }

  /// Time of the connection's last poll, by its reports.
  private func latest(of connection: PeerConnection) -> Double {
    connection.presentReports.reduce(-Double.infinity) { latest, report in
      report.isOfFarEnd || report.timeMs.isNaN
        ? latest : max(latest, ReportTime.normal(report.timeMs) ?? report.timeMs)
    }
  }

  /// True once enough was examined.
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
