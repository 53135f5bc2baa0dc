import Bytes

/// Evidence in an object of whether it is a report.
struct ReportMarks {
  var id: JSONText?
  var type: JSONText?
  /// Whether it has a time under a name that reports use.
  var hasTimestamp = false

  /// Whether it is a report of a known type; types that are common words need a time as well.
  var isKnown: Bool {
    guard let type, ReportType.names(type, id: id ?? type) else { return false }
    return hasTimestamp || id != nil && type.bytes.contains(UInt8(ascii: "-"))
  }

  /// Whether it is a report, possibly of an unknown type.
  var isReport: Bool {
    guard let type else { return false }
    return id != nil && hasTimestamp
      || (id != nil || hasTimestamp) && ReportType.names(type, id: id ?? type)
  }

  /// No evidence yet.
  init() {}

  /// Examines the next value; nil if it is not an object.
  init?(of place: JSONScanner) throws(JSONError) {
    var scanner = place
    guard try scanner.peek() == .object else { return nil }
    try scanner.beginObject()
    while let key = try scanner.nextKey() { try take(key, &scanner) }
  }

  /// Processes a member, or skips it.
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

/// Searches JSON for reports.
enum ReportSearch {
  /// How many levels of objects and arrays are searched.
  static let maxLevels = 8

  /// Whether a complete value is, or contains, a report of a known type.
  static func holdsReport(_ value: UnsafeBufferPointer<UInt8>) throws(JSONError) -> Bool {
    var scanner = JSONScanner(value)
    return try finds(&scanner, maxLevels)
  }

  /// The same for the next value; throws if the head of a source ends within it.
  static func holdsReport(_ place: JSONScanner) throws(JSONError) -> Bool {
    var scanner = place
    return try finds(&scanner, maxLevels)
  }

  /// Stops at the first one.
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

  /// Whether the next value has the figures of a stream but no report type, as in statistics made by SDKs.
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

  /// Whether a value is empty, or only contains empty objects and arrays, as before there is media.
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

/// Reports in JSON inside a string: `"stats":"[{\"id\":…}]"`.
enum QuotedReports {
  /// Members with the reports of a snapshot.
  static func isTheirs(_ name: JSONText) -> Bool {
    name == "report" || name == "reports" || name == "stats" || name == "getStats"
  }

  /// Whether a text contains reports of a known type, up to a number of levels.
  static func hold(_ text: JSONText, _ levels: Int) -> Bool {
    guard levels > 0, let first = text.bytes.first, first == UInt8(ascii: "[") || first == UInt8(ascii: "{")
    else { return false }
    return text.decoded().withUnsafeBufferPointer { json in
      var scanner = JSONScanner(json)
      return (try? ReportSearch.finds(&scanner, levels)) ?? false
    }
  }

  /// The JSON in a text, if it contains reports, or is empty.
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

  /// An object with its reports decoded from text; nil if there are none in text.
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
