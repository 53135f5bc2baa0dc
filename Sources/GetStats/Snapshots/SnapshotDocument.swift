import Bytes
import CallModel

/// Reads a JSON file of one or more getStats snapshots in any wrapper, with one value in memory at a time.
///
/// A single report belongs to the open snapshot; a report whose id is already in it begins the next one.
struct SnapshotDocument {
  private let stream: JSONStream
  private var walk: SnapshotWalk
  private var loose = LenientSnapshot()
  /// Time and name beside the reports rather than around them.
  private var place = SnapshotWalk.Place()
  private var id: [UInt8]?
  /// Number of list elements, and of those read by others.
  private var elements = 0
  private var taken = 0

  init(_ source: any ByteSource, into sink: any RecordSink, options: ReaderOptions, ends: LoggedEnds? = nil) {
    walk = SnapshotWalk(RecordContext(sink: sink, options: options), ends: ends)
    stream = JSONStream(source, longestValue: options.longestValue)
  }

  /// Reads the whole source; list elements without reports are offered to `others`. Throws `SourceError`.
  mutating func read(others: GetStatsReader.ElementHandler) throws {
    while try !stream.isAtEnd() {
      place = SnapshotWalk.Place(facts: place.facts)
      id = nil
      switch try stream.peek() {
      case .array: try list(place, others)
      case .object: try object(others)
      default: _ = try stream.value()
      }
      try loose.close()
    }
    try walk.connections.finish()
    if walk.found == 0, taken == 0 { throw SourceError(.notAFormat, "the JSON holds no getStats report") }
  }

  private mutating func object(_ others: GetStatsReader.ElementHandler) throws {
    try stream.beginObject()
    while let key = try stream.nextKey() {
      let kind = try stream.peek()
      guard kind == .array || kind == .object else {
        try beside(key, try stream.value())
        continue
      }
      let around = try place(around: key)
      guard kind == .array else {
        try walk.member(key, try stream.value(), around, isOneOfMany: true, &loose)
        continue
      }
      let inner = try walk.place(under: key, around, isOneOfMany: true) { [stream] in Self.seen(stream) }
      if inner == nil { loose.beginList() } else { try loose.close() }
      var place = inner ?? around
      place.isOfConnections = MemberName.isOfConnections(key)
      try list(place, others)
      if inner != nil { try loose.close() }
    }
  }

  /// The identification beside a member: an id there is the connection's if the member's name is not a known word.
  private mutating func place(around key: [UInt8]) throws -> SnapshotWalk.Place {
    guard let id, place.name.bytes.isEmpty, MemberName(key) == .kind else { return place }
    var named = place
    let name = SnapshotName(bytes: id, basis: .id)
    named.name = try walk.connections.owner(name, within: place) { [stream] in Self.seen(stream) }
    return named
  }

  /// The next value; nil if it is too long to examine, or invalid, which reading it will report.
  private static func seen(_ stream: JSONStream) -> SnapshotStreams {
    (try? stream.read { scanner throws(JSONError) in try SnapshotStreams(scanner) }) ?? SnapshotStreams()
  }

  /// Reads what is beside the snapshots: their time and identification.
  private mutating func beside(_ key: [UInt8], _ value: UnsafeBufferPointer<UInt8>) throws {
    var head = SnapshotHead()
    var scanner = JSONScanner(value)
    try key.withUnsafeBufferPointer { key throws(JSONError) in
      try head.take(JSONText(escaped: key), &scanner)
    }
    place.facts = head.facts(within: place.facts)
    if !head.timeMs.isNaN { place.timeMs = head.timeMs }
    if head.lacksZone { try walk.connections.context.noteMissingZone() }
    id = head.marks.id?.decoded() ?? id
    if let name = head.name ?? head.peer { place.name = SnapshotName(bytes: name.decoded()) }
  }

  private mutating func list(_ place: SnapshotWalk.Place, _ others: GetStatsReader.ElementHandler) throws {
    let before = (found: walk.found, taken: taken)
    var (misses, number, foreign) = (0, -1, 0)
    let around = walk.beginList()
    defer { walk.endList(around) }
    try stream.beginArray()
    while try stream.nextElement() {
      number += 1
      let kind = try stream.peek()
      let offset = stream.offset
      let value = try stream.value()
      elements += 1
      guard kind == .object || kind == .array,
        try !walk.element(value, number: number, place, &loose, isFile: true)
      else { continue }
      if try others(value, elements, offset) {
        taken += 1
      } else if try !ReportSearch.isBlank(JSONScanner(value)) {
        misses += 1
        if try walk.isForeign(value) { foreign += 1 }
      }
    }
    guard walk.found > before.found || taken > before.taken else { return }
    let left = walk.elementsFound > 0 ? foreign : 0
    try walk.leaveOut(left)
    try walk.reject(misses - left, place)
  }
}

/// The snapshot made up of single reports: it is complete when one of them occurs again.
///
/// A report that remains alone is a row: its poll is found from later ones.
struct LenientSnapshot {
  private var connection: NamedConnection?
  private var pollMs = Double.nan
  private var line: Int?
  private var ids: Set<[UInt8]> = []
  /// The only report so far, in its source form.
  private var first: (report: [UInt8], id: [UInt8])?
  private var isBegun = false

  var isOpen: Bool { connection != nil }

  /// Begins, unless one is open.
  mutating func begin(_ connection: NamedConnection, pollMs: Double = .nan, line: Int? = nil) {
    self.connection = connection
    self.pollMs = pollMs
    self.line = line
  }

  /// Begins another list of reports of the same time, which may repeat some of them.
  mutating func beginList() { ids.removeAll(keepingCapacity: true) }

  /// Ends it if a report with that id is already in it.
  mutating func makeRoom(for id: [UInt8]) throws { if ids.contains(id) { try close() } }

  /// Adds a single report.
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
