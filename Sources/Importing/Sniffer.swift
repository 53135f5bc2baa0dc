import Bytes
import CallModel
import Captures
import EventLogs
import GetStats

/// What the first bytes of a source say about it.
enum Sniffed {
  case format(SourceFormat)
  /// Of no known format; the error says which, with a place where it claims to be JSON and is not.
  case unknown(SourceError)
}

/// Tells formats by content first and by name second, never by name alone.
enum Sniffer {
  /// Which reader takes this source. Throws a `SourceError` for formats that are known and refused by name.
  static func sniff(_ source: HeadedSource, _ file: FoundFile) throws -> Sniffed {
    let name = file.name
    let isNamedLines = SourceFormat.isNamedLines(name)
    if let error = UnsupportedFormats.error(source.head) { return .unknown(error) }
    let format = try source.head.withUnsafeBufferPointer { head in
      // Lines of JSON that are called so are looked at as such before they are taken for text with JSON in it.
      try statistics(head, name) ?? log(head, name, withStatistics: !isNamedLines)
        ?? CaptureReader.recognise(head, name: name)
    }
    if let format, format != .sdkText || !JSONVerdict.isDocument(source.head) { return .format(format) }
    if let error = source.headError { throw error }
    if isNamedLines {
      let format = try formatOfLines(source.head)
      if let format = try format ?? log(source.head, name) { return .format(format) }
    }
    if let format = try formatOfLongText(source, file) { return .format(format) }
    return .unknown(
      try JSONVerdict.of(source, name: name)
        ?? SourceError(.notAFormat, "of no known format: `callqa formats` lists them, --as FORMAT insists"))
  }

  // Statistics that are printed among events are those of a log.
  private static func statistics(_ head: UnsafeBufferPointer<UInt8>, _ name: String) throws -> SourceFormat? {
    let format = try GetStatsReader.recognise(head, name: name)
    return format == .googText ? try log(head, name, withStatistics: false) ?? format : format
  }

  private static func log(
    _ head: UnsafeBufferPointer<UInt8>, _ name: String, withStatistics: Bool = true
  ) throws -> SourceFormat? {
    try EventLogReader.recognise(head, name: name) {
      GetStatsReader.isPrinted($0) || withStatistics && GetStatsReader.holdsReport($0)
    }
  }

  private static func log(_ head: [UInt8], _ name: String) throws -> SourceFormat? {
    try head.withUnsafeBufferPointer { try log($0, name) }
  }

  /// How much of a text is searched for its first event: of what lies in a folder less than of what was named.
  private static func longest(_ file: FoundFile) -> Int { file.named ? 16 << 20 : 512 << 10 }

  /// The format of a text that begins with the chatter of other components.
  private static func formatOfLongText(_ source: HeadedSource, _ file: FoundFile) throws -> SourceFormat? {
    guard source.head.count >= HeadedSource.usual, source.head.withUnsafeBufferPointer(EventLogReader.isText)
    else { return nil }
    guard !JSONVerdict.isDocument(source.head), !isTable(source.head) else { return nil }
    source.widen(to: longest(file))
    return try log(source.head, file.name)
  }

  /// Whether a text is a table of figures and words (CSV with a heading), without a cell that could be a message: what its head
  /// does not tell stands nowhere in it. Such tables lie beside recordings, and a third of an import went into searching them.
  private static func isTable(_ head: [UInt8]) -> Bool {
    let rows = head.split(separator: 0x0A, maxSplits: linesTried + 1).prefix(linesTried)
    guard rows.count == linesTried, let heading = rows.first else { return false }
    let columns = cells(heading)
    guard columns.count > 2, columns.allSatisfy(isName) else { return false }
    return rows.dropFirst().allSatisfy { row in
      let cells = cells(row)
      return cells.count > 1 && cells.allSatisfy { $0.split(separator: UInt8(ascii: " ")).count <= maxWords }
    }
  }

  /// Most words in a cell of a table that is searched no further: an address with a port has two, a message has more.
  private static let maxWords = 3

  private static func cells(_ row: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    row.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
  }

  private static func isName(_ cell: ArraySlice<UInt8>) -> Bool {
    cell.contains(where: \.isASCIILetter)
      && cell.allSatisfy { $0.isASCIIWord || "-. %()/\"\r".utf8.contains($0) }
  }

  /// Most lines looked at until one is recognised.
  private static let linesTried = 20

  /// The format of a file of JSON lines whose first line says nothing: it is longer than the head, and then the reader of
  /// lines looks at it whole; or it was cut when the log was rotated, or broke, and then a line behind it says it.
  private static func formatOfLines(_ head: [UInt8]) throws -> SourceFormat? {
    guard let first = head.firstIndex(of: 0x0A) else {
      return head.count >= HeadedSource.usual && head.first == UInt8(ascii: "{") ? .runLog : nil
    }
    var rest = head[(first + 1)...]
    for _ in 0..<linesTried where !rest.isEmpty {
      let format = try rest.withUnsafeBufferPointer { try GetStatsReader.recognise($0, name: "") }
      if let format, [.getstatsLines, .rtcstatsV2, .jitsiRtcstats].contains(format) { return format }
      guard let end = rest.firstIndex(of: 0x0A) else { break }
      rest = rest[(end + 1)...]
    }
    return nil
  }
}

/// Files that hold something else, or what callqa reads in a wrapping it does not undo: told by their first bytes what they
/// are and what to do with them.
enum UnsupportedFormats {
  private static let kinds: [(at: Int, magic: [UInt8], words: String)] = [
    (0, [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], "compressed with xz: unpack it with `xz -d`"),
    (0, Array("BZh".utf8), "compressed with bzip2: unpack it with `bzip2 -d`"),
    (0, [0x04, 0x22, 0x4D, 0x18], "compressed with lz4: unpack it with `lz4 -d`"),
    (0, [0x50, 0x4B, 0x03, 0x04], "a zip archive: unpack it with `unzip`, and import the folder"),
    (0, [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], "a 7-Zip archive: unpack it, and import the folder"),
    (257, Array("ustar".utf8), "a tar archive: unpack it with `tar -xf`, and import the folder"),
  ]

  /// What is no wrapping of anything: no call is lost with it.
  private static let others: [(magic: [UInt8], words: String)] = [
    (Array("SQLite format 3\0".utf8), "an SQLite database: --db names the one to use"),
    (Array("%PDF-".utf8), "a PDF document"),
  ]

  /// What of a known kind is left as it is; nil where the first bytes say nothing.
  static func error(_ head: [UInt8]) -> SourceError? {
    if let other = others.first(where: { head.starts(with: $0.magic) }) {
      return SourceError(.notAFormat, other.words)
    }
    return words(head).map { SourceError(.unsupported, $0) }
  }

  /// What the first bytes of a file say, with the remedy; nil where they say nothing.
  private static func words(_ head: [UInt8]) -> String? {
    kinds.first { $0.at <= head.count && head[$0.at...].starts(with: $0.magic) }?.words
  }

  /// What makes lines of what a log service answers with: told by words that stand in it, all of them.
  private static let answers: [(words: [String], remedy: String)] = [
    (["\"events\"", "\"ingestionTime\"", "\"message\""], "CloudWatch: `jq -c '.events[]' X.json > x.jsonl`"),
    (["\"hits\"", "\"_source\""], "Elasticsearch: `jq -c '.hits.hits[]' X.json > x.jsonl`"),
    (
      ["\"breadcrumbs\"", "\"category\"", "\"timestamp\""],
      "Sentry: `jq -c '.. | objects | select(has(\"category\") and has(\"timestamp\"))' X.json > x.jsonl`"
    ),
    (
      ["\"resultType\"", "\"streams\"", "\"values\""],
      "Loki: `jq -c '[.data.result[] | .stream as $labels | .values[] | {labels: $labels, ns: .[0], line: .[1]}]"
        + " | sort_by(.ns)[] | .ts = (.ns[:-6] | tonumber)' X.json > x.jsonl`"
    ),
  ]

  /// What to do with one JSON object that a log service answered with; nil where it is none of those.
  static func remedy(forAnswer head: [UInt8]) -> String? {
    guard head.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") else { return nil }
    let text = String(decoding: head.prefix(HeadedSource.usual), as: UTF8.self)
    return answers.first { $0.words.allSatisfy(text.contains) }.map {
      "one JSON object with the lines of a log in it: make lines of it, for " + $0.remedy
    }
  }
}
