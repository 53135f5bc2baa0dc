import Bytes

/// What an object says of itself by which it is known as a report, or not.
struct ReportMarks {
  var id: JSONText?
  var type: JSONText?
  /// Whether it has a time under a name that reports have it under.
  var hasTimestamp = false

  /// Whether it is a report of a type that is known; a type that is a common word needs a time beside it.
  var isKnown: Bool {
    guard let type, ReportType.names(type, id: id ?? type) else { return false }
    return hasTimestamp || id != nil && type.bytes.contains(UInt8(ascii: "-"))
  }

  /// Whether it is a report, were it of a type that nobody knows.
  var isReport: Bool {
    guard let type else { return false }
    return id != nil && hasTimestamp
      || (id != nil || hasTimestamp) && ReportType.names(type, id: id ?? type)
  }

  /// Nothing said yet.
  init() {}

  /// Looks at the value that comes next; nil if it is no object.
  init?(of place: JSONScanner) throws(JSONError) {
    var scanner = place
    guard try scanner.peek() == .object else { return nil }
    try scanner.beginObject()
    while let key = try scanner.nextKey() { try take(key, &scanner) }
  }

  /// Takes a member, or passes it over.
  mutating func take(_ key: JSONText, _ scanner: inout JSONScanner) throws(JSONError) {
    switch key {
    case "id" where try scanner.peek() == .string: id = try scanner.string()
    case "type" where try scanner.peek() == .string: type = try scanner.string()
    case "timestamp", "timestamp_us", "timestampUs":
      hasTimestamp = true
      try scanner.skip()
    default: try scanner.skip()
    }
  }
}

/// Looks for reports in JSON that may hold any.
enum ReportSearch {
  /// How many objects and arrays deep reports are looked for.
  static let maxLevels = 8

  /// Whether a complete value holds a report of a known type, or is one.
  static func holdsReport(_ value: UnsafeBufferPointer<UInt8>) throws(JSONError) -> Bool {
    var scanner = JSONScanner(value)
    return try finds(&scanner, maxLevels)
  }

  /// The same of the value that comes next; the head of a source may end within it, which is thrown.
  static func holdsReport(_ place: JSONScanner) throws(JSONError) -> Bool {
    var scanner = place
    return try finds(&scanner, maxLevels)
  }

  /// Stops where it finds one.
  static func finds(_ scanner: inout JSONScanner, _ levels: Int) throws(JSONError) -> Bool {
    let kind = try scanner.peek()
    guard levels > 0, kind == .object || kind == .array else {
      try scanner.skip()
      return false
    }
    if kind == .array {
      try scanner.beginArray()
      while try scanner.nextElement() { if try finds(&scanner, levels - 1) { return true } }
      return false
    }
    var marks = ReportMarks()
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      let kind = try scanner.peek()
      if kind == .object || kind == .array {
        if try finds(&scanner, levels - 1) { return true }
      } else if kind == .string, QuotedReports.isTheirs(key) {
        if try QuotedReports.hold(scanner.string(), levels - 1) { return true }
      } else {
        try marks.take(key, &scanner)
      }
      if marks.isKnown { return true }
    }
    return false
  }

  /// Whether what comes next has the figures of a stream, and does not say what type of report it is: as SDKs make their own of them.
  static func holdsUntyped(_ place: JSONScanner) throws(JSONError) -> Bool {
    var scanner = place
    guard try scanner.peek() == .object else { return false }
    var (hasSource, hasFigure) = (false, false)
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      switch key {
      case "type": return false
      case "ssrc": hasSource = true
      case "packetsReceived", "packetsSent", "packetsLost": hasFigure = true
      default: break
      }
      try scanner.skip()
    }
    return hasSource && hasFigure
  }

  /// Whether nothing stands in a value, or only objects and arrays in which nothing stands: that is told before media.
  static func isBlank(_ place: JSONScanner) throws -> Bool {
    var scanner = place
    return try isBlank(&scanner, maxLevels)
  }

  private static func isBlank(_ scanner: inout JSONScanner, _ levels: Int) throws(JSONError) -> Bool {
    guard levels > 0 else { return false }
    switch try scanner.peek() {
    case .array:
      try scanner.beginArray()
      while try scanner.nextElement() { if try !isBlank(&scanner, levels - 1) { return false } }
      return true
    case .object:
      var (isEmpty, isWrapper) = (true, false)
      try scanner.beginObject()
      while try scanner.nextKey() != nil {
        isEmpty = false
        let kind = try scanner.peek()
        guard kind == .object || kind == .array else {
          try scanner.skip()
          continue
        }
        isWrapper = true
        if try !isBlank(&scanner, levels - 1) { return false }
      }
      return isEmpty || isWrapper
    default: return false
    }
  }
}

/// Reports that were written as text once more: `"stats":"[{\"id\":…}]"`.
enum QuotedReports {
  /// Members that hold the reports of a snapshot.
  static func isTheirs(_ name: JSONText) -> Bool {
    name == "report" || name == "reports" || name == "stats" || name == "getStats"
  }

  /// Whether reports of a known type stand in a text, so many levels deep at most.
  static func hold(_ text: JSONText, _ levels: Int) -> Bool {
    guard levels > 0, let first = text.bytes.first, first == UInt8(ascii: "[") || first == UInt8(ascii: "{")
    else { return false }
    return text.decoded().withUnsafeBufferPointer { json in
      var scanner = JSONScanner(json)
      return (try? ReportSearch.finds(&scanner, levels)) ?? false
    }
  }

  /// The JSON in a text, as far as it is that of reports, or of none yet.
  static func json(_ text: JSONText) -> [UInt8]? {
    guard let first = text.bytes.first, first == UInt8(ascii: "[") || first == UInt8(ascii: "{") else {
      return nil
    }
    let json = text.decoded()
    let isTheirs = json.withUnsafeBufferPointer { json in
      var scanner = JSONScanner(json)
      do {
        try scanner.skip()
        try scanner.finish()
        return try ReportSearch.holdsReport(json) || SnapshotShapes.isEmpty(JSONScanner(json))
      } catch {
        return false
      }
    }
    return isTheirs ? json : nil
  }

  /// An object with the reports in it as they are; nil where none are written as text.
  static func opened(_ object: UnsafeBufferPointer<UInt8>) throws(JSONError) -> [UInt8]? {
    var opened: [UInt8] = []
    var kept = 0
    var scanner = JSONScanner(object)
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      guard isTheirs(key), try scanner.peek() == .string else {
        try scanner.skip()
        continue
      }
      let start = scanner.position
      guard let json = Self.json(try scanner.string()) else { continue }
      opened += object[kept..<start]
      opened += json
      kept = scanner.position
    }
    return kept > 0 ? opened + object[kept...] : nil
  }
}
