import Bytes
import CallModel

/// A reader of one format: what the format is, how it is recognised by its first bytes, and how a source is read.
protocol LogReader {
  static var description: FormatDescription { get }

  /// Whether the first bytes of a source, decompressed, are of this format. Throws `SourceError` where a dialect file is broken.
  static func recognises(_ head: UnsafeBufferPointer<UInt8>) throws -> Bool

  /// Throws `SourceError` where a dialect file is broken.
  init(sink: any RecordSink, options: ReaderOptions) throws

  /// Reads a source to its end. Throws `SourceError`, and what the sink throws.
  mutating func read(_ source: any ByteSource) throws
}

/// The readers of event logs: run logs, plain text logs of SDKs, server-sent events.
public enum EventLogReader {
  /// Whether the bytes are lines of text at all, and no markup.
  public static func isText(_ head: UnsafeBufferPointer<UInt8>) -> Bool { TextShape.isText(head) }

  /// Takes the statistics that stand in a line of text, given as JSON, the number of the line and its first byte; false where they are none.
  public typealias Statistics = (_ json: UnsafeBufferPointer<UInt8>, _ line: Int, _ offset: Int) throws ->
    Bool

  /// Takes a line of text if it is statistics, or a part of some that are printed over lines; false where it is none. The log's own time of
  /// the line is asked for where it is needed.
  public typealias Printed = (_ text: UnsafeBufferPointer<UInt8>, _ line: Int, _ timeMs: () -> Double?) throws
    -> Bool

  /// One reader for each format, in the order in which they are asked whether a source is theirs. Plain text comes last.
  static var readers: [any LogReader.Type] {
    [
      HARReader.self, QualityReportReader.self, ChannelStatsReader.self, SummaryReader.self,
      RunLogReader.self, SSEReader.self,
    ]
  }

  /// The formats that are read here.
  public static let formats = readers.map { $0.description } + [SDKTextReader.description]

  /// Whether a format is one of them.
  public static func reads(_ format: SourceFormat) -> Bool { formats.contains { $0.format == format } }

  /// Which of these formats the first bytes are, nil if none. Throws `SourceError` where a dialect file is broken.
  ///
  /// Text in which `isStatistics` finds some is a text log too.
  public static func recognise(
    _ head: UnsafeBufferPointer<UInt8>, name: String,
    isStatistics: (UnsafeBufferPointer<UInt8>) -> Bool = { _ in false }
  ) throws -> SourceFormat? {
    if let reader = try readers.first(where: { try $0.recognises(head) }) { return reader.description.format }
    guard TextShape.isText(head) else { return nil }
    let lines = EventList.firstLines(of: head) ?? Array(head)
    return TextShape.tells(lines, try Dialects.installed(), isStatistics: isStatistics) ? .sdkText : nil
  }

  /// Reads a source into the sink; statistics in a text log are for `statistics` and `printed`. Throws `SourceError`, and what the sink throws.
  public static func read(
    _ format: SourceFormat, from source: any ByteSource, into sink: any RecordSink, options: ReaderOptions,
    statistics: Statistics? = nil, printed: Printed? = nil
  ) throws {
    if format == .sdkText {
      var reader = SDKTextReader(
        sink: sink, dialects: try Dialects.installed(), options: options, statistics: statistics,
        printed: printed)
      return try reader.read(inOrderOfTime(EventList.lines(source), noting: sink))
    }
    guard let kind = readers.first(where: { $0.description.format == format }) else {
      throw SourceError(.notAFormat, "\(format.rawValue) is not an event log")
    }
    var reader = try kind.init(sink: sink, options: options)
    try reader.read(source)
  }

  /// The lines of a log from the oldest to the newest; where they stand the other way round, a note says so.
  public static func inOrderOfTime(_ source: any ByteSource, noting sink: any RecordSink) throws
    -> any ByteSource
  {
    try ReversedLog.reordered(source, noting: sink)
  }
}
