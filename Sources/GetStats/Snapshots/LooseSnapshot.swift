import Bytes

/// The snapshot that reports standing alone make up: it is whole when one of them comes again.
struct LooseSnapshot {
  private(set) var connection: PeerConnection?
  private var ids: Set<[UInt8]> = []

  var isOpen: Bool { connection != nil }

  /// Begins, where nothing is open.
  mutating func begin(_ connection: PeerConnection, pollMs: Double = .nan, line: Int? = nil) {
    connection.beginSnapshot(pollMs: pollMs, line: line)
    self.connection = connection
  }

  /// Says that another list of reports of the same moment begins, which may hold some of them again.
  mutating func beginList() { ids.removeAll(keepingCapacity: true) }

  /// Ends it where a report of that id came already.
  mutating func makeRoom(for id: [UInt8]) throws { if ids.contains(id) { try close() } }

  /// Takes a report that stands alone.
  mutating func add(_ report: UnsafeBufferPointer<UInt8>, id: [UInt8]) throws {
    if let connection, ids.count <= connection.context.options.reportsPerSnapshot { ids.insert(id) }
    var scanner = JSONScanner(report)
    try id.withUnsafeBufferPointer { try connection?.parse(&scanner, id: $0) }
  }

  /// Ends it, if it is open.
  mutating func close() throws {
    try connection?.endSnapshot()
    connection = nil
    ids.removeAll(keepingCapacity: true)
  }
}
