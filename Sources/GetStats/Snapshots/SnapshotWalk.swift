import Bytes
import CallModel

/// Finds the reports in JSON however they are nested and wrapped, and puts together those of one poll of one connection.
///
/// What they stand in tells: an object with a time or a name of its own, a member whose name is a time, a number or nobody's
/// word, and each element of a list that is no report begins another snapshot; lists of reports under words such as
/// `stats` or `inboundRtpStreamStats` are parts of one.
struct SnapshotWalk {
  /// When and whose what stands in a place is.
  struct Place {
    var timeMs = Double.nan
    var name = ConnectionName()
    var facts = ConnectionFacts()
    var line: Int?
    /// Its number in the list it is an element of; nil where it is none.
    var element: Int?
    /// Whether it is in a list of connections, by the list's name.
    var isOfConnections = false
    /// What holds the reports of one poll, as far as that is known.
    var poll: UnsafeBufferPointer<UInt8>?
    var levels = ReportSearch.maxLevels
  }

  var connections: SnapshotConnections
  /// Reports found.
  private(set) var found = 0
  /// Those of them that were elements of the list that is open.
  private(set) var elementsFound = 0

  init(_ context: RecordContext, ends: LoggedEnds? = nil) {
    connections = SnapshotConnections(context, ends: ends)
  }

  /// Takes all reports in a complete value. False if it holds none.
  mutating func take(_ value: UnsafeBufferPointer<UInt8>, _ place: Place) throws -> Bool {
    let before = found
    var open = LenientSnapshot()
    var place = place
    place.poll = value
    try enter(value, place, &open)
    try open.close()
    return found > before
  }

  /// Takes a member of an object: a report by its id, or something with reports in it.
  ///
  /// `isOneOfMany` says that reports stand under other names beside it too.
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

  /// When and whose what stands under a member is, where that tells it from what stands around it; else nil.
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

  /// Takes an element of a list: a report with or without its id beside it, or something with reports in it. False if it
  /// is neither; it may be a snapshot before media then.
  ///
  /// `isFile` says that the list is most of a file, which may hold the reports of many polls in any order.
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

  /// Says that a list begins whose elements are to be told from those of the one around it; gives what to end it with.
  mutating func beginList() -> Int {
    defer { elementsFound = 0 }
    return elementsFound
  }

  /// Says that it ended.
  mutating func endList(_ around: Int) { elementsFound = around }

  /// Whether an element of a list in which no report was found is a record that an application put among the reports of a
  /// poll, and not one of them in a form that is not known. To be asked at the end of the list.
  func isForeign(_ value: UnsafeBufferPointer<UInt8>) throws -> Bool {
    var scanner = JSONScanner(value)
    guard try scanner.peek() == .object else { return false }
    return try !ReportSearch.holdsUntyped(scanner)
  }

  /// Takes note of records that applications put among reports: the reports are none the less complete.
  func leaveOut(_ count: Int) throws {
    for _ in 0..<count { try connections.context.sink.note(Self.foreign) }
  }

  private static let foreign = "a record of another kind among the reports, left out"

  /// Counts elements of a list in which no report was found, where there are some in the others.
  func reject(_ count: Int, _ place: Place) throws {
    guard count > 0 else { return }
    var reject = Reject("a snapshot in which no report is found", line: place.line)
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
      case .string where number == 0: place.name = ConnectionName(bytes: try scanner.string().decoded())
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
      // Among snapshots an object without a report is a snapshot that is not read; among reports it is none of them.
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

  /// The name that an object gives what is in it; nil where it gives none.
  private mutating func name(
    _ head: SnapshotHead, _ value: UnsafeBufferPointer<UInt8>, element: Int?, _ place: inout Place
  ) throws -> ConnectionName? {
    if let name = head.name ?? head.peer { return ConnectionName(bytes: name.decoded()) }
    let name: ConnectionName
    if let id = head.marks.id, place.name.bytes.isEmpty {
      name = ConnectionName(bytes: id.decoded(), basis: .id)
    } else if let element {
      // Polls have times; what has a name and no time is whose they are.
      if head.timeMs.isNaN, head.endpoint == nil, let title = head.marks.id ?? head.title {
        // Who is known already has connections that are named; and names of connections are nobody's.
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

  /// Whether reports stand under several names that may be those of connections.
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

  /// What tells an object to be a report; nil if it is none, or one of no known type that holds reports itself.
  private func reportMarks(_ value: UnsafeBufferPointer<UInt8>) throws -> ReportMarks? {
    guard let marks = try ReportMarks(of: JSONScanner(value)), marks.isReport, let type = marks.type else {
      return nil
    }
    return try ReportType.names(type, id: marks.id ?? type) || !ReportSearch.holdsReport(value) ? marks : nil
  }

  /// Takes a report that is a row; false where only its place in the file tells its poll.
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
