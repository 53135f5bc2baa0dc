import Bytes
import CallModel

/// A reader of one format: which format it is, how to recognise it by its first bytes, and how to read a
/// source.
protocol LogReader {
  static var description: FormatDescription { get }

  /// Whether the first bytes of a source, decompressed, are in this format. Throws `SourceError` if a dialect
  /// file is invalid.
  static func recognises(_ head: UnsafeBufferPointer<UInt8>) throws -> Bool

  /// Throws `SourceError` if a dialect file is invalid.
  init(sink: any RecordSink, options: ReaderOptions) throws

  /// Reads a source to its end. Throws `SourceError` and any error of the sink.
  mutating func read(_ source: any ByteSource) throws
}

/// The readers of event logs: run logs, plain text logs of SDKs, server-sent events.
public enum EventLogReader {
  /// Whether the bytes are lines of text and not markup.
  public static func isText(_ head: UnsafeBufferPointer<UInt8>) -> Bool { TextShape.isText(head) }

  /// Handles statistics found in a line of text, given as JSON with the line number and the offset of the
  /// line's first byte; returns false if they are none.
  public typealias Statistics = (_ json: UnsafeBufferPointer<UInt8>, _ line: Int, _ offset: Int) throws ->
    Bool

  /// Handles a line of text that holds statistics, or a part of statistics printed over several lines;
  /// returns false if it is neither. The log's own time of the line is passed as a closure, as it is rarely
  /// needed.
  public typealias Printed = (_ text: UnsafeBufferPointer<UInt8>, _ line: Int, _ timeMs: () -> Double?) throws
    -> Bool

  /// One reader per format, in the order in which they are asked whether they recognise a source. Plain text
  /// is tried last.
  static var readers: [any LogReader.Type] {
    [
      HARReader.self, QualityReportReader.self, ChannelStatsReader.self, SummaryReader.self,
      RunLogReader.self, SSEReader.self,
    ]
  }

  /// The formats that this module reads.
  public static let formats = readers.map { $0.description } + [SDKTextReader.description]

  /// Whether this module reads a format.
  public static func reads(_ format: SourceFormat) -> Bool { formats.contains { $0.format == format } }

  /// Returns the format of the first bytes; nil if it is none of these. Throws `SourceError` if a dialect
  /// file is invalid.
  ///
  /// Text in which `isStatistics` finds statistics is a text log too.
  public static func recognise(
    _ head: UnsafeBufferPointer<UInt8>, name: String,
    isStatistics: (UnsafeBufferPointer<UInt8>) -> Bool = { _ in false }
  ) throws -> SourceFormat? {
    if let reader = try readers.first(where: { try $0.recognises(head) }) { return reader.description.format }
    guard TextShape.isText(head) else { return nil }
    let lines = EventList.firstLines(of: head) ?? Array(head)
    return TextShape.isAboutCalls(lines, try Dialects.installed(), isStatistics: isStatistics)
      ? .sdkText : nil
  }

  /// Reads a source into the sink. Statistics in a text log are passed to `statistics` and `printed`. Throws
  /// `SourceError` and any error of the sink.
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

  /// Returns the lines of a log from the oldest to the newest. If the log is in reverse order, a note says
  /// so.
  public static func inOrderOfTime(_ source: any ByteSource, noting sink: any RecordSink) throws
    -> any ByteSource
  {
    try ReversedLog.reordered(source, noting: sink)
  }
}
