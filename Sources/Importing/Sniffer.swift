import Bytes
import CallModel
import Captures
import EventLogs
import GetStats

/// The format according to the first bytes of a source.
enum Sniffed {
  case format(SourceFormat)
  /// Unknown; the error has the position if the source claims to be JSON and is invalid.
  case unknown(SourceError)
}

/// Recognises formats by content first and by name second, never by name alone.
enum Sniffer {
  /// The format of a source. Throws a `SourceError` for known formats that are not supported.
  static func sniff(_ source: HeadedSource, _ file: FoundFile) throws -> Sniffed {
    let name = file.name
    let isNamedLines = SourceFormat.isNamedLines(name)
    if let error = UnsupportedFormats.error(source.head) { return .unknown(error) }
    let format = try source.head.withUnsafeBufferPointer { head in
      // The magic number of a capture is no text. Files named as JSON lines are examined as such before they are
      // treated as text with JSON.
      try CaptureReader.recognise(head, name: name) ?? EventLogReader.recogniseFigures(head) ?? statistics(
        head, name)
        ?? log(head, name, withStatistics: !isNamedLines)
    }
    if let format, format != .sdkText || !JSONRefusal.isDocument(source.head) { return .format(format) }
    if let error = source.headError { throw error }
    if isNamedLines {
      let format = try formatOfLines(source.head)
      if let format = try format ?? log(source.head, name) { return .format(format) }
    }
    if let format = try formatOfLongText(source, file) { return .format(format) }
    return .unknown(
      try JSONRefusal.of(source, name: name) ?? JSONRefusal.ofTable(source.head) ?? UnreadLogs.error(
        source.head)
        ?? SourceError(.notAFormat, "of no known format: `callqa formats` lists them, --as FORMAT insists"))
  }

  // Statistics printed among events belong to a log.
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

  /// How much of a text is searched for its first event: less for files found in a folder than for named ones.
  private static func longest(_ file: FoundFile) -> Int {
    file.named ? Limit.searchedInNamed.value : Limit.searchedInFolder.value
  }

  /// The format of a text that begins with output of other components.
  private static func formatOfLongText(_ source: HeadedSource, _ file: FoundFile) throws -> SourceFormat? {
    guard source.head.count >= HeadedSource.usual, source.head.withUnsafeBufferPointer(EventLogReader.isText)
    else { return nil }
    guard !JSONRefusal.isDocument(source.head), !isTable(source.head) else { return nil }
    source.widen(to: longest(file))
    return try log(source.head, file.name)
  }

  /// Whether a text is a table of figures and words (CSV with a header) without any cell that could be a message: if
  /// its head is not a known format, the rest is not either. Such tables are found beside recordings, and searching
  /// them took a third of an import.
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

  /// The most words in a table cell of a file that is not searched: an address with a port has two, a message has more.
  private static let maxWords = 3

  private static func cells(_ row: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    row.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
  }

  private static func isName(_ cell: ArraySlice<UInt8>) -> Bool {
    cell.contains(where: \.isASCIILetter)
      && cell.allSatisfy { $0.isASCIIWord || "-. %()/\"\r".utf8.contains($0) }
  }

  /// The most lines examined.
  private static let linesTried = 20

  /// The format of a file of JSON lines whose first line is inconclusive: longer than the head, in which case the line
  /// reader examines it as a whole; or cut by log rotation, or invalid, in which case a later line decides.
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

/// Files with other content, or in a container that callqa does not unpack: recognised by their first bytes, with a
/// remedy.
enum UnsupportedFormats {
  private static let kinds: [(at: Int, magic: [UInt8], words: String)] = [
    (0, [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], "compressed with xz: unpack it with `xz -d`"),
    (0, Array("BZh".utf8), "compressed with bzip2: unpack it with `bzip2 -d`"),
    (0, [0x04, 0x22, 0x4D, 0x18], "compressed with lz4: unpack it with `lz4 -d`"),
    (0, [0x50, 0x4B, 0x03, 0x04], "a zip archive: unpack it with `unzip`, and import the folder"),
    (0, [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], "a 7-Zip archive: unpack it, and import the folder"),
    (257, Array("ustar".utf8), "a tar archive: unpack it with `tar -xf`, and import the folder"),
  ]

  /// Other files, which contain no call.
  private static let others: [(magic: [UInt8], words: String)] = [
    (Array("SQLite format 3\0".utf8), "an SQLite database: --db names the one to use"),
    (Array("%PDF-".utf8), "a PDF document"),
  ]

  /// The error for a known unsupported format; nil if the first bytes are unknown.
  static func error(_ head: [UInt8]) -> SourceError? {
    if let other = others.first(where: { head.starts(with: $0.magic) }) {
      return SourceError(.notAFormat, other.words)
    }
    return words(head).map { SourceError(.unsupported, $0) }
  }

  /// The description and remedy for a file's first bytes; nil if they are unknown.
  private static func words(_ head: [UInt8]) -> String? {
    kinds.first { $0.at <= head.count && head[$0.at...].starts(with: $0.magic) }?.words
  }

  /// How to convert responses of log services to lines, by words that all occur in them.
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

  /// The remedy for a JSON object returned by a log service; nil if it is none of those.
  static func remedy(forAnswer head: [UInt8]) -> String? {
    guard head.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") else { return nil }
    let text = String(decoding: head.prefix(HeadedSource.usual), as: UTF8.self)
    return answers.first { $0.words.allSatisfy(text.contains) }.map {
      "one JSON object with the lines of a log in it: make lines of it, for " + $0.remedy
    }
  }
}
