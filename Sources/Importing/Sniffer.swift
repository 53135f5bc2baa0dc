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
    if let error = KnownElsewhere.error(source.head) { return .unknown(error) }
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
    if let advice = source.head.withUnsafeBufferPointer(EventLogReader.advice) {
      return .unknown(SourceError(.unsupported, advice))
    }
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
    try EventLogReader.recognise(head, name: name) { withStatistics && GetStatsReader.holdsReport($0) }
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
      return cells.count > 1 && cells.allSatisfy { $0.split(separator: UInt8(ascii: " ")).count <= mostWords }
    }
  }

  /// Most words in a cell of a table that is searched no further: an address with a port has two, a message has more.
  private static let mostWords = 3

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
