import Bytes

/// The snapshot that reports standing alone make up: it is whole when one of them comes again.
///
/// A report that stays alone is a row: which poll it is of, others tell that are still to come.
struct LooseSnapshot {
  private var connection: NamedConnection?
  private var pollMs = Double.nan
  private var line: Int?
  private var ids: Set<[UInt8]> = []
  /// The only one so far, as it was written.
  private var first: (report: [UInt8], id: [UInt8])?
  private var isBegun = false

  var isOpen: Bool { connection != nil }

  /// Begins, where nothing is open.
  mutating func begin(_ connection: NamedConnection, pollMs: Double = .nan, line: Int? = nil) {
    self.connection = connection
    self.pollMs = pollMs
    self.line = line
  }

  /// Says that another list of reports of the same moment begins, which may hold some of them again.
  mutating func beginList() { ids.removeAll(keepingCapacity: true) }

  /// Ends it where a report of that id came already.
  mutating func makeRoom(for id: [UInt8]) throws { if ids.contains(id) { try close() } }

  /// Takes a report that stands alone.
  mutating func add(_ report: UnsafeBufferPointer<UInt8>, id: [UInt8]) throws {
    guard let connection else { return }
    if ids.count <= connection.context.options.reportsPerSnapshot { ids.insert(id) }
    if !isBegun, first == nil, connection.isSure {
      first = (Array(report), id)
      return
    }
    try open(connection)
    try connection.parse(report, id: id)
  }

  private mutating func open(_ connection: NamedConnection) throws {
    if isBegun { return }
    isBegun = true
    try connection.beginSnapshot(pollMs: pollMs, line: line)
    guard let first else { return }
    self.first = nil
    try first.report.withUnsafeBufferPointer { try connection.parse($0, id: first.id) }
  }

  /// Ends it, if it is open.
  mutating func close() throws {
    guard let connection else { return }
    defer { forget() }
    if let first,
      let row = try first.report.withUnsafeBufferPointer({ report throws(JSONError) in
        try ReportRow(report, id: first.id, pollMs: pollMs, line: line)
      })
    {
      return try connection.add(row)
    }
    try open(connection)
    try connection.endSnapshot()
  }

  private mutating func forget() {
    connection = nil
    first = nil
    isBegun = false
    ids.removeAll(keepingCapacity: true)
  }
}
