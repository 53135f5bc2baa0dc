import Bytes

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
