import Bytes
import CallModel
import EventLogs
import GetStats
import Redaction

/// Reads line logs that may mix statistics and events: each line goes to the reader that recognises it, and lines
/// wrapped by another logger are unwrapped.
struct RunLogRouter {
  private var snapshots: SnapshotLineReader
  private var events: RunLogLineReader
  private let sink: any RecordSink
  private let options: ReaderOptions
  /// Redacts the secrets of all SDKs; created for the first rejected line.
  private var redactor: Redactor?
  private var actions = 0

  init(sink: any RecordSink, options: ReaderOptions) {
    let ends = LoggedEnds(limit: options.connectionsPerSource)
    snapshots = SnapshotLineReader(sink: sink, options: options, ends: ends)
    events = RunLogLineReader(sink: sink, options: options, ends: ends)
    self.sink = sink
    self.options = options
  }

  mutating func read(_ source: any ByteSource) throws {
    let (sink, longest) = (sink, options.longestLine)
    var chunks = CollectedChunks()
    let notes = try PartialLineJoiner.read(
      source, longestLine: longest,
      tooLong: { try sink.reject(.line(longerThan: longest, line: $0, byte: $1)) },
      { try chunks.take($0, line: $1, offset: $2) { try take($0, line: $1, offset: $2) } })
    try chunks.finish { try take($0, line: $1, offset: $2) }
    for note in notes + [chunks.note].compactMap({ $0 }) { try sink.note(note) }
    if actions > 0 {
      try sink.note(
        "\(Plural.of(actions, "line only says", "lines only say")) where Elasticsearch is to put the next one (_bulk)"
      )
    }
    try snapshots.finish()
    try events.finish()
  }

  private mutating func take(_ bytes: UnsafeBufferPointer<UInt8>, line: Int, offset: Int) throws {
    guard bytes.contains(where: { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }) else { return }
    do {
      if try offer(bytes, line: line, offset: offset) { return }
      if let inner = WrappedLine.object(in: bytes),
        try inner.bytes.withUnsafeBufferPointer({ try offer($0, as: inner, line: line, offset: offset) })
      {
        return
      }
      if ElasticsearchBulkAction.isAction(in: bytes) {
        actions += 1
        return
      }
      try sink.reject(
        Reject("neither statistics nor an event", line: line, byte: offset, excerpt: excerpt(bytes)))
    } catch let error as SourceError where error.code == .notJSON {
      // An invalid line is rejected with its position; the others are kept.
      try sink.reject(
        Reject("not JSON: \(error.reason)", line: line, byte: error.byte ?? offset, excerpt: excerpt(bytes)))
    }
  }

  // Statistics first, if a line may have any: some applications log each poll as an event, and no event contains
  // reports.
  private mutating func offer(
    _ bytes: UnsafeBufferPointer<UInt8>, as object: WrappedLine.Object? = nil, line: Int, offset: Int
  ) throws -> Bool {
    func isEvent() throws -> Bool {
      guard let object else { return try events.line(bytes, number: line, offset: offset) }
      return try events.line(object, number: line, offset: offset)
    }
    if Self.mayHoldReport(bytes) {
      return try snapshots.line(bytes, number: line, offset: offset) || isEvent()
    }
    return try isEvent() || snapshots.line(bytes, number: line, offset: offset)
  }

  // Every report has a type.
  private static func mayHoldReport(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    ByteSearch.find("\"type\"", in: bytes) != nil
  }

  /// The first characters of a rejected line, redacted before it is shortened, as half a secret cannot be recognised.
  private mutating func excerpt(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    let redactor = redactor ?? Redactor(secretNames: Dialects.secretNames)
    self.redactor = redactor
    return String(redactor.text(String(decoding: bytes.prefix(8192), as: UTF8.self)).prefix(120))
  }
}
