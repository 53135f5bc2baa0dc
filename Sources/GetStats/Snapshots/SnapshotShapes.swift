import Bytes

/// The forms in which the reports of one snapshot are written.
enum SnapshotShapes {
  /// Reads the next reports into the open snapshot: an object by id, an array of reports, of `{key, value}`, of `[id,
  /// report]`.
  static func read(_ scanner: inout JSONScanner, into connection: PeerConnection) throws {
    switch try scanner.peek() {
    case .object:
      try scanner.beginObject()
      while let key = try scanner.nextKey() {
        guard try scanner.peek() == .object else {
          try scanner.skip()
          continue
        }
        let id = try id(under: key, scanner)
        try parse(&scanner, id, connection)
      }
    case .array:
      try scanner.beginArray()
      while try scanner.nextElement() { try readElement(&scanner, into: connection) }
    default:
      try scanner.skip()
    }
  }

  /// The id of the next report under a name: its own if it comes first, otherwise the name. Under a number, as in lists
  /// converted to objects, its own id is searched.
  @inline(__always)
  private static func id(under key: JSONText, _ place: JSONScanner) throws(JSONError) -> JSONText {
    // Nearly always they are equal.
    var ahead = place
    let mark: StaticString = "{\"id\":\""
    if ahead.pass(mark.utf8Start, mark.utf8CodeUnitCount), let name = key.bytes.baseAddress,
      ahead.pass(name, key.bytes.count), ahead.isAtQuote()
    {
      return key
    }
    return try ownID(under: key, place)
  }

  @inline(never)
  private static func ownID(under key: JSONText, _ place: JSONScanner) throws(JSONError) -> JSONText {
    let isNumber = !key.bytes.isEmpty && key.bytes.allSatisfy(\.isASCIIDigit)
    var scanner = place
    try scanner.beginObject()
    while let name = try scanner.nextKey() {
      if name == "id" {
        guard try scanner.peek() == .string else { return key }
        let id = try scanner.string()
        return id.bytes.isEmpty ? key : id
      }
      guard isNumber else { break }
      try scanner.skip()
    }
    return key
  }

  /// Whether the next value is empty or the reports of a snapshot in a form that `read` accepts, by its first report.
  static func isPlain(_ place: JSONScanner) throws(JSONError) -> Bool {
    var scanner = place
    switch try scanner.peek() {
    case .object:
      try scanner.beginObject()
      while try scanner.nextKey() != nil {
        switch try scanner.peek() {
        case .object: return try isReport(scanner.skip())
        case .array: return false
        default: try scanner.skip()
        }
      }
      return true
    case .array:
      try scanner.beginArray()
      guard try scanner.nextElement() else { return true }
      let first = try scanner.skip()
      if try isReport(first) { return true }
      return try entry(first) != nil
    default: return false
    }
  }

  /// A report with its id beside it: `{key, value}` or `[id, report]`; nil for other values.
  static func entry(
    _ value: UnsafeBufferPointer<UInt8>
  ) throws(JSONError) -> (id: JSONText, report: UnsafeBufferPointer<UInt8>)? {
    var scanner = JSONScanner(value)
    var id: JSONText?
    var report: UnsafeBufferPointer<UInt8>?
    switch try scanner.peek() {
    case .object:
      try scanner.beginObject()
      while let key = try scanner.nextKey() {
        switch key {
        case "key" where try scanner.peek() == .string: id = try scanner.string()
        case "id" where try scanner.peek() == .string:
          let text = try scanner.string()
          id = id ?? text
        case "value" where try scanner.peek() == .object: report = try scanner.skip()
        case "type": return nil
        default: try scanner.skip()
        }
      }
    case .array:
      try scanner.beginArray()
      guard try scanner.nextElement(), try scanner.peek() == .string else { return nil }
      id = try scanner.string()
      guard try scanner.nextElement(), try scanner.peek() == .object else { return nil }
      report = try scanner.skip()
    default: break
    }
    guard let id, let report, try isReport(report) else { return nil }
    return (id, report)
  }

  /// Whether an object is a report rather than a container of reports.
  private static func isReport(_ value: UnsafeBufferPointer<UInt8>) throws(JSONError) -> Bool {
    guard let marks = try ReportMarks(of: JSONScanner(value)), let type = marks.type else { return false }
    if ReportType.names(type, id: marks.id ?? type) { return true }
    return try !ReportSearch.holdsReport(value)
  }

  /// Whether the next object or array is empty.
  static func isEmpty(_ place: JSONScanner) throws -> Bool {
    var scanner = place
    switch try scanner.peek() {
    case .object:
      try scanner.beginObject()
      return try scanner.nextKey() == nil
    case .array:
      try scanner.beginArray()
      return try !scanner.nextElement()
    default: return false
    }
  }

  /// Whether an object only has empty members for kinds of reports: `{"ts":…,"inbound-rtp":{},"audio":[]}`.
  static func hasEmptyParts(_ place: JSONScanner) throws -> Bool {
    var scanner = place
    guard try scanner.peek() == .object else { return false }
    var hasParts = false
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      let kind = try scanner.peek()
      if kind == .object || kind == .array {
        guard try isEmpty(scanner), MemberName.isOfParts(key.decoded()) else { return false }
        hasParts = true
      }
      try scanner.skip()
    }
    return hasParts
  }

  /// One element of an array of reports.
  static func readElement(_ scanner: inout JSONScanner, into connection: PeerConnection) throws {
    switch try scanner.peek() {
    case .object:
      var ahead = scanner
      var id: JSONText?
      var value: JSONScanner?
      try ahead.beginObject()
      while let key = try ahead.nextKey() {
        if key == "id" || key == "key", id == nil, try ahead.peek() == .string {
          id = try ahead.string()
          // In a report other members follow; if only the id is beside it, the report comes next.
          if key == "id", try !isValue(ahead) { break }
        } else if key == "value", try ahead.peek() == .object {
          value = ahead
          try ahead.skip()
        } else {
          try ahead.skip()
        }
      }
      guard let id else {
        try scanner.skip()
        return
      }
      if var value {
        try parse(&value, id, connection)
        try scanner.skip()
      } else {
        try parse(&scanner, id, connection)
      }
    case .array:
      // An entry of a Map: [id, report].
      try scanner.beginArray()
      var id: JSONText?
      while try scanner.nextElement() {
        switch try scanner.peek() {
        case .string where id == nil: id = try scanner.string()
        case .object:
          if let id { try parse(&scanner, id, connection) } else { try scanner.skip() }
        default: try scanner.skip()
        }
      }
    default: try scanner.skip()
    }
  }

  /// Whether the next member is the report of a pair.
  private static func isValue(_ place: JSONScanner) throws(JSONError) -> Bool {
    var scanner = place
    guard let key = try scanner.nextKey(), key == "value" else { return false }
    return try scanner.peek() == .object
  }

  private static func parse(_ scanner: inout JSONScanner, _ id: JSONText, _ connection: PeerConnection) throws
  {
    guard id.hasEscapes else { return try connection.parse(&scanner, id: id.bytes) }
    try id.decoded().withUnsafeBufferPointer { try connection.parse(&scanner, id: $0) }
  }
}
