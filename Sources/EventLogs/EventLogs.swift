import Bytes
import CallModel

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

  /// Which of this room's formats the first bytes are, nil if none. Throws `SourceError` where a dialect file is broken.
  ///
  /// Text in which `isStatistics` finds some is a text log too.
  public static func recognise(
    _ head: UnsafeBufferPointer<UInt8>, name: String,
    isStatistics: (UnsafeBufferPointer<UInt8>) -> Bool = { _ in false }
  ) throws -> SourceFormat? {
    if HARShape.isHAR(head) { return .har }
    if QualityReportReader.isReport(head) { return .qualityReport }
    if ChannelStatsReader.isTable(head) { return .channelStats }
    if SummaryReader.isSummary(head, try Dialects.installed()) { return .callSummary }
    if isRunLog(head) { return .runLog }
    if SSEShape.isStream(head) { return .sse }
    guard TextShape.isText(head) else { return nil }
    let lines = EventList.firstLines(of: head) ?? Array(head)
    return TextShape.tells(lines, try Dialects.installed(), isStatistics: isStatistics) ? .sdkText : nil
  }

  /// Reads a source into the sink; statistics in a text log are for `statistics` and `printed`. Throws `SourceError`, and what the sink throws.
  public static func read(
    _ format: SourceFormat, from source: any ByteSource, into sink: any RecordSink, options: ReaderOptions,
    statistics: Statistics? = nil, printed: Printed? = nil
  ) throws {
    switch format {
    case .runLog: try readRunLog(source, sink, options)
    case .sse:
      var reader = SSEReader(sink: sink, dialects: try Dialects.installed(), options: options)
      try reader.read(source)
    case .har:
      var reader = HARReader(sink: sink, dialects: try Dialects.installed(), options: options)
      try reader.read(source)
    case .qualityReport:
      var reader = QualityReportReader(sink: sink, options: options)
      try reader.read(source)
    case .channelStats:
      var reader = ChannelStatsReader(sink: sink, options: options)
      try reader.read(source)
    case .callSummary:
      var reader = SummaryReader(sink: sink, dialects: try Dialects.installed(), options: options)
      try reader.read(source)
    case .sdkText:
      var reader = SDKTextReader(
        sink: sink, dialects: try Dialects.installed(), options: options, statistics: statistics,
        printed: printed)
      try reader.read(inOrderOfTime(EventList.lines(source), noting: sink))
    default: throw SourceError(.notAFormat, "\(format.rawValue) is not an event log")
    }
  }

  /// The lines of a log from the oldest to the newest; where they stand the other way round, a note says so.
  public static func inOrderOfTime(_ source: any ByteSource, noting sink: any RecordSink) throws
    -> any ByteSource
  {
    try ReversedLog.reordered(source, noting: sink)
  }

  // The first line that is an object decides.
  private static func isRunLog(_ head: UnsafeBufferPointer<UInt8>) -> Bool {
    var clock = TextClock(writtenMs: 0)
    if let list = EventList.firstLines(of: head) {
      return list.withUnsafeBufferPointer { isRunLog($0) }
    }
    let bytes = UnsafeBufferPointer(rebasing: head.prefix(64 << 10))
    for line in ByteSearch.lines(in: bytes, most: 20) {
      let line = UnsafeBufferPointer(rebasing: bytes[line])
      guard RunLogLine.mayBeEvent(line) else { continue }
      if (try? RunLogLine.event(line, line: 1, clock: &clock)) != nil { return true }
    }
    return RunLogLine.begins(bytes)
  }

  private static func readRunLog(
    _ source: any ByteSource, _ sink: any RecordSink, _ options: ReaderOptions
  ) throws {
    var lines = LineReader(
      try inOrderOfTime(EventList.lines(source), noting: sink), longestLine: options.longestLine)
    var reader = RunLogLineReader(sink: sink, options: options)
    while try lines.next({ bytes, number, offset in
      if bytes.allSatisfy({ $0 <= UInt8(ascii: " ") }) { return }
      if try !reader.line(bytes, number: number, offset: offset) {
        try sink.reject(Reject("a line that tells no event", line: number, byte: offset))
      }
    }) {
      if let long = lines.tooLong {
        try sink.reject(.line(longerThan: options.longestLine, line: long.line, byte: long.offset))
      }
    }
    try reader.finish()
  }
}
