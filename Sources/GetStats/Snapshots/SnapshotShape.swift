import Bytes

/// What a JSON value met on the way to the reports is.
enum SnapshotShape {
  /// One report.
  case report
  /// A report with its id beside it: `{key, value}` or `[id, report]`.
  case entry
  /// All reports of one moment: an object by id, an array of reports, an array of entries.
  case snapshot
  /// A snapshot with its time or connection beside it.
  case wrapped
  /// An array of any of these.
  case list
  case other

  /// Looks at a complete value.
  init(_ value: UnsafeBufferPointer<UInt8>) throws(JSONError) {
    var scanner = JSONScanner(value)
    switch try scanner.peek() {
    case .object: self = try Self.ofObject(&scanner)
    case .array: self = try Self.ofArray(&scanner)
    default: self = .other
    }
  }

  private static func ofObject(_ scanner: inout JSONScanner) throws(JSONError) -> SnapshotShape {
    var hasType = false
    var hasName = false
    var hasTime = false
    var holdsReports = false
    var hasValue = false
    var wraps = false
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      let kind = try scanner.peek()
      switch key {
      case "type": hasType = kind == .string
      case "id", "key": hasName = kind == .string || hasName
      case "timestamp": hasTime = true
      case "value": hasValue = kind == .object
      case "report", "reports", "stats", "getStats", "peerConnections":
        wraps = wraps || kind == .object || kind == .array
      default: break
      }
      let value = try scanner.skip()
      if kind == .object, !holdsReports { holdsReports = try isReport(value) }
    }
    if hasType && (hasName || hasTime) { return .report }
    if hasName && hasValue { return .entry }
    if wraps { return .wrapped }
    return holdsReports ? .snapshot : .other
  }

  private static func ofArray(_ scanner: inout JSONScanner) throws(JSONError) -> SnapshotShape {
    try scanner.beginArray()
    guard try scanner.nextElement() else { return .other }
    let kind = try scanner.peek()
    let first = try scanner.skip()
    if kind == .string, try scanner.nextElement() {
      return try scanner.peek() == .object ? .entry : .other
    }
    if kind == .object {
      var inner = JSONScanner(first)
      switch try ofObject(&inner) {
      case .report, .entry: return .snapshot
      case .other: return .other
      default: return .list
      }
    }
    return kind == .array ? .list : .other
  }

  private static func isReport(_ value: UnsafeBufferPointer<UInt8>) throws(JSONError) -> Bool {
    var scanner = JSONScanner(value)
    var marks = 0
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      if key == "type", try scanner.peek() == .string { marks |= 1 }
      if key == "id" || key == "timestamp" { marks |= 2 }
      try scanner.skip()
    }
    return marks == 3
  }

  /// The `id` member of a report.
  static func id(of value: UnsafeBufferPointer<UInt8>) throws(JSONError) -> [UInt8]? {
    var scanner = JSONScanner(value)
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      if key == "id", try scanner.peek() == .string { return try scanner.string().decoded() }
      try scanner.skip()
    }
    return nil
  }

  /// Names under which snapshots are put, so that they are no connection's name.
  static func isContainerName(_ name: [UInt8]) -> Bool {
    let words = [
      "report", "reports", "stats", "getstats", "snapshots", "samples", "data", "result", "results", "polls",
      "ticks", "values", "log",
    ]
    return words.contains(String(decoding: name, as: UTF8.self).lowercased())
  }
}
