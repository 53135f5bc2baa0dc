import Bytes
import CallModel

/// Finds the reports in JSON with any nesting and wrapping, and combines those of one poll of one connection.
///
/// The structure decides: an object with its own time or name, a member whose name is a time, a number or an unknown
/// word, and each list element that is not a report begins another snapshot; lists of reports under words such as
/// `stats` or `inboundRtpStreamStats` are parts of one.
struct SnapshotWalk {
  /// Time and owner of the contents of a value.
  struct Place {
    var timeMs = Double.nan
    var name = SnapshotName()
    var facts = ConnectionFacts()
    var line: Int?
    /// Its index in a list; nil if it is not in one.
    var element: Int?
    /// Whether it is in a list of connections, by the list's name.
    var isOfConnections = false
    /// The value with the reports of one poll, if known.
    var poll: UnsafeBufferPointer<UInt8>?
    var levels = ReportSearch.maxLevels
  }

  var connections: SnapshotConnections
  /// Number of reports found.
  private(set) var found = 0
  /// Number of those that were elements of the open list.
  private(set) var elementsFound = 0

  init(_ context: RecordContext, ends: LoggedEnds? = nil) {
    connections = SnapshotConnections(context, ends: ends)
  }

  /// Reads all reports in a complete value. False if there are none.
  mutating func take(_ value: UnsafeBufferPointer<UInt8>, _ place: Place) throws -> Bool {
    let before = found
    var open = LenientSnapshot()
    var place = place
    place.poll = value
    try enter(value, place, &open)
    try open.close()
    return found > before
  }

  /// Reads a member of an object: a report by its id, or a container of reports.
  ///
  /// `isOneOfMany`: there are reports under other names beside it too.
  mutating func member(
    _ key: [UInt8], _ value: UnsafeBufferPointer<UInt8>, _ place: Place, isOneOfMany: Bool,
    _ open: inout LenientSnapshot
  ) throws {
    if let marks = try reportMarks(value) {
      return try add(value, id: marks.id?.decoded() ?? key, place, &open)
    }
    if try MemberName(key) == .owner && !ReportSearch.holdsReport(value) { return }
    let inner = try self.place(under: key, place, isOneOfMany: isOneOfMany) {
      try SnapshotStreams(JSONScanner(value))
    }
    var around = inner ?? place
    around.isOfConnections = MemberName.isOfConnections(key)
    guard inner != nil else {
      open.beginList()
      return try enter(value, around, &open)
    }
    try open.close()
    _ = try take(value, around)
  }

  /// Time and owner of a member's contents, if they differ from those around it; otherwise nil.
  mutating func place(
    under key: [UInt8], _ place: Place, isOneOfMany: Bool, seen: () throws -> SnapshotStreams
  ) throws -> Place? {
    var inner = place
    switch MemberName(key) {
    case .time(let timeMs): inner.timeMs = timeMs
    case .number:
      inner.name = try connections.owner(place.name.member(key, .number), within: place, seen: seen)
    case .owner where place.name.bytes.isEmpty || isOneOfMany:
      inner.name = try connections.owner(place.name.member(key, .key), within: place, seen: seen)
    case .kind, .owner: return nil
    }
    return inner
  }

  /// Reads a list element: a report with or without its id beside it, or a container of reports. False if it is
  /// neither, such as a snapshot before there is media.
  ///
  /// `isFile`: the list is most of a file, and may have the reports of many polls in any order.
  mutating func element(
    _ value: UnsafeBufferPointer<UInt8>, number: Int, _ place: Place, _ open: inout LenientSnapshot,
    isFile: Bool = false
  ) throws -> Bool {
    if let entry = try SnapshotShapes.entry(value) {
      elementsFound += 1
      let id = entry.id.decoded()
      try open.makeRoom(for: id)
      try add(entry.report, id: id, place, &open)
    } else if let marks = try reportMarks(value) {
      elementsFound += 1
      let id = marks.id?.decoded() ?? []
      if isFile, try addRow(value, id: id, place) { return true }
      try open.makeRoom(for: id)
      try add(value, id: id, place, &open)
    } else {
      try open.close()
      var place = place
      place.element = number
      return try take(value, place)
    }
    return true
  }

  /// Begins a list whose elements are counted separately; returns the state to end it with.
  mutating func beginList() -> Int {
    defer { elementsFound = 0 }
    return elementsFound
  }

  /// Ends the list.
  mutating func endList(_ around: Int) { elementsFound = around }

  /// Whether a list element without reports is an application's record among the reports of a poll, and not a report of
  /// unknown form. Call it at the end of the list.
  func isForeign(_ value: UnsafeBufferPointer<UInt8>) throws -> Bool {
    var scanner = JSONScanner(value)
    guard try scanner.peek() == .object else { return false }
    return try !ReportSearch.holdsUntyped(scanner)
  }

  /// Records that applications added other records among the reports: the reports are complete nevertheless.
  func leaveOut(_ count: Int) throws {
    for _ in 0..<count { try connections.context.sink.note(Self.foreign) }
  }

  private static let foreign = "a record of another kind among the reports, left out"

  /// Counts list elements without reports, if other elements have some.
  func reject(_ count: Int, _ place: Place) throws {
    guard count > 0 else { return }
    var reject = Reject(
      "a snapshot in which no report is found: for figures of another kind `callqa guess FILE` proposes a form",
      line: place.line)
    reject.count = count
    try connections.context.sink.reject(reject)
  }

  private mutating func enter(
    _ value: UnsafeBufferPointer<UInt8>, _ place: Place, _ open: inout LenientSnapshot
  ) throws {
    var place = place
    place.levels -= 1
    guard place.levels >= 0 else { return }
    var scanner = JSONScanner(value)
    switch try scanner.peek() {
    case .array: try list(&scanner, place, &open)
    case .object:
      guard let opened = try QuotedReports.opened(value) else { return try object(value, place, &open) }
      try opened.withUnsafeBufferPointer { try object($0, place, &open) }
    default: break
    }
  }

  /// `[report…]`, `[snapshot…]`, or `[name, reports]`.
  private mutating func list(
    _ scanner: inout JSONScanner, _ place: Place, _ open: inout LenientSnapshot
  ) throws {
    var place = place
    let before = found
    var (misses, number, foreign, untyped) = (0, 0, 0, 0)
    let around = beginList()
    defer { endList(around) }
    place.element = nil
    try scanner.beginArray()
    while try scanner.nextElement() {
      switch try scanner.peek() {
      case .string where number == 0: place.name = SnapshotName(bytes: try scanner.string().decoded())
      case .object, .array:
        let value = try scanner.skip()
        if try !element(value, number: number, place, &open), try !ReportSearch.isBlank(JSONScanner(value)) {
          misses += 1
          if try isForeign(value) { foreign += 1 }
          if try ReportSearch.holdsUntyped(JSONScanner(value)) { untyped += 1 }
        }
      default: try scanner.skip()
      }
      number += 1
    }
    if found > before {
      // Among snapshots an object without reports is an unread snapshot; among reports it is another record.
      let left = elementsFound > 0 ? foreign : 0
      try leaveOut(left)
      try reject(misses - left, place)
    } else if untyped > 0 {
      var reject = Reject("statistics of a stream in a form that is not known", line: place.line)
      reject.count = untyped
      try connections.context.sink.reject(reject)
    }
  }

  private mutating func object(
    _ value: UnsafeBufferPointer<UInt8>, _ around: Place, _ open: inout LenientSnapshot
  ) throws {
    var head = SnapshotHead()
    var scanner = JSONScanner(value)
    try scanner.beginObject()
    while let key = try scanner.nextKey() { try head.take(key, &scanner) }
    var place = around
    place.facts = head.facts(within: around.facts)
    if !head.timeMs.isNaN {
      place.timeMs = head.timeMs
      place.poll = value
    }
    if head.lacksZone { try connections.context.noteMissingZone() }
    let isAnothers = place.facts.call != around.facts.call || place.facts.endpoint != around.facts.endpoint
    if isAnothers { try open.close() }
    place.element = nil
    if let name = try name(head, value, element: around.element, &place) {
      try open.close()
      place.name = name
    }
    let isOneOfMany = try !place.name.bytes.isEmpty && holdsSeveral(value)
    scanner = JSONScanner(value)
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      let kind = try scanner.peek()
      let inner = try scanner.skip()
      guard kind == .object || kind == .array else { continue }
      try member(key.decoded(), inner, place, isOneOfMany: isOneOfMany, &open)
    }
    if isAnothers || place.name.bytes != around.name.bytes { try open.close() }
  }

  /// The name that an object gives to its contents; nil if it has none.
  private mutating func name(
    _ head: SnapshotHead, _ value: UnsafeBufferPointer<UInt8>, element: Int?, _ place: inout Place
  ) throws -> SnapshotName? {
    if let name = head.name ?? head.peer { return SnapshotName(bytes: name.decoded()) }
    let name: SnapshotName
    if let id = head.marks.id, place.name.bytes.isEmpty {
      name = SnapshotName(bytes: id.decoded(), basis: .id)
    } else if let element {
      // Polls have times; an object with a name and no time is their owner.
      if head.timeMs.isNaN, head.endpoint == nil, let title = head.marks.id ?? head.title {
        // If the person is known, names are those of connections, which are not people.
        if place.facts.person == nil, !place.isOfConnections { place.facts.person = head.title?.string }
        name = place.name.member(title.decoded(), .id)
      } else {
        guard element > 0, head.endpoint == nil else { return nil }
        name = place.name.member(Array(String(element).utf8), .place)
      }
    } else {
      return nil
    }
    let around = place
    return try connections.owner(name, within: around) { try SnapshotStreams(JSONScanner(value)) }
  }

  /// Whether there are reports under several names that may be those of connections.
  private func holdsSeveral(_ value: UnsafeBufferPointer<UInt8>) throws -> Bool {
    var scanner = JSONScanner(value)
    var count = 0
    try scanner.beginObject()
    while count < 2, let key = try scanner.nextKey() {
      let kind = try scanner.peek()
      let inner = try scanner.skip()
      guard kind == .object || kind == .array, MemberName(key.decoded()) == .owner,
        try reportMarks(inner) == nil, try ReportSearch.holdsReport(inner)
      else { continue }
      count += 1
    }
    return count > 1
  }

  /// The evidence that an object is a report; nil if it is not, or has an unknown type and contains reports itself.
  private func reportMarks(_ value: UnsafeBufferPointer<UInt8>) throws -> ReportMarks? {
    guard let marks = try ReportMarks(of: JSONScanner(value)), marks.isReport, let type = marks.type else {
      return nil
    }
    return try ReportType.names(type, id: marks.id ?? type) || !ReportSearch.holdsReport(value) ? marks : nil
  }

  /// Reads a report as a row; false if only its position in the file shows its poll.
  private mutating func addRow(
    _ report: UnsafeBufferPointer<UInt8>, id: [UInt8], _ place: Place
  ) throws -> Bool {
    guard let row = try ReportRow(report, id: id, pollMs: place.timeMs, line: place.line),
      place.name.basis == .name || place.name.bytes.isEmpty
    else { return false }
    found += 1
    try connections.connection(place.name, place.facts, line: place.line)?.add(row)
    return true
  }

  private mutating func add(
    _ report: UnsafeBufferPointer<UInt8>, id: [UInt8], _ place: Place, _ open: inout LenientSnapshot
  ) throws {
    found += 1
    if !open.isOpen {
      var name = place.name
      if name.bytes.isEmpty, let poll = place.poll {
        name = try connections.nameless(place.facts, atMs: place.timeMs) {
          try SnapshotStreams(JSONScanner(poll))
        }
      }
      guard let connection = try connections.connection(name, place.facts, line: place.line) else { return }
      open.begin(connection, pollMs: place.timeMs, line: place.line)
    }
    try open.add(report, id: id)
  }
}
