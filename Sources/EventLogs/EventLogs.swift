import Bytes
import CallModel
import LogText

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

  /// Handles a SIP message found in a log.
  public typealias Signalling = (SignallingMessage) throws -> Void

  /// One reader per format, in the order in which they are asked whether they recognise a source. Plain text
  /// is tried last.
  static var readers: [any LogReader.Type] {
    [
      HARReader.self, QualityReportReader.self, ChannelStatsReader.self, FigureReader.self,
      SummaryReader.self,
      RunLogReader.self, SSEReader.self,
    ]
  }

  /// The formats that this module reads.
  public static let formats =
    readers.map { $0.description } + [SDKTextReader.description, SIPTextReader.description]

  /// Whether this module reads a format.
  public static func reads(_ format: SourceFormat) -> Bool { formats.contains { $0.format == format } }

  /// The format of figures if a form names them: a form is more special than any other sign. Throws `SourceError` if a
  /// form is invalid.
  public static func recogniseFigures(_ head: UnsafeBufferPointer<UInt8>) throws -> SourceFormat? {
    try FigureReader.recognises(head) ? .figures : nil
  }

  /// What each form of figures is of, and how it is recognised, for users. Throws `SourceError` if one is invalid.
  public static func forms() throws -> [(title: String, recognisedBy: String)] {
    try Dialects.installedLayouts().all.map { form in
      let names = form.layout?.has.map(\.path.text).joined(separator: ", ") ?? ""
      return (form.title ?? form.by, names)
    }.sorted { $0.title < $1.title }
  }

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
    if TextShape.isAboutCalls(lines, try Dialects.installed(), isStatistics: isStatistics) { return .sdkText }
    return SIPTextReader.recognises(lines) ? .sipText : nil
  }

  /// Reads a source into the sink. Statistics in a text log are passed to `statistics` and `printed`. Throws
  /// `SourceError` and any error of the sink.
  public static func read(
    _ format: SourceFormat, from source: any ByteSource, into sink: any RecordSink, options: ReaderOptions,
    statistics: Statistics? = nil, printed: Printed? = nil, signalling: Signalling? = nil
  ) throws {
    if format == .har {
      var reader = HARReader(
        sink: sink, dialects: try Dialects.installed(), options: options, signalling: signalling)
      return try reader.read(source)
    }
    if format == .sipText {
      let reader = SIPTextReader(sink: sink, options: options, signalling: signalling ?? { _ in })
      return try reader.read(source)
    }
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

/// A SIP message that an end sent or received, or saw on its way, according to a log.
public struct SignallingMessage: Sendable {
  public var timeMs: Double
  /// A name or an address; nil is the end that wrote the log.
  public var from: String?
  public var to: String?
  public var text: [UInt8]
  /// The line of the log that it begins in.
  public var line: Int?
}

/// Recognises an SDK's text log by the events in its first lines.
private enum TextShape {
  /// Whether the bytes are lines of text and not markup.
  static func isText(_ head: UnsafeBufferPointer<UInt8>) -> Bool {
    let text = head.starts(with: [0xEF, 0xBB, 0xBF]) ? head[3...] : head[...]
    guard let start = text.firstIndex(where: { $0 > UInt8(ascii: " ") }) else { return false }
    // Markup begins with an angle bracket followed by a letter or a punctuation mark; a syslog line has its
    // priority in angle brackets.
    if head[start] == UInt8(ascii: "<"), start + 1 >= head.count || !head[start + 1].isASCIIDigit {
      return false
    }
    return !head.prefix(4096).contains {
      $0 == 0
        || $0 < UInt8(ascii: " ")
          && ![UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"), 0x1B].contains($0)
    }
  }

  /// Whether the lines are about calls, as shown by statistics, an event of a run log, or events of an SDK:
  /// one event is enough if lines or events have times, three are needed if they have none.
  static func isAboutCalls(
    _ head: [UInt8], _ dialects: Dialects, isStatistics: (UnsafeBufferPointer<UInt8>) -> Bool
  ) -> Bool {
    var signs = Signs(dialects)
    var lines = PartialLineJoiner(longestLine: head.count)
    var spread = MultilineJSONJoiner(longest: head.count)
    // Parts of lines in a container's log are joined in chronological order.
    var stamps = TextStamps()
    let split = head.lines()
    for line in ReversedLog.fall(Array(head.prefix(64 << 10)), &stamps) ? split.reversed() : split {
      line.withUnsafeBufferPointer { bytes in
        lines.take(bytes, number: 0, offset: 0) { line, _, _ in
          spread.take(line, number: 0, offset: 0) { line, _, _ in signs.see(line, isStatistics) }
        }
      }
      // Some programs print statistics over several lines in a form other than JSON, which is not joined.
      if signs.areEnough || line.withUnsafeBufferPointer(isStatistics) { return true }
    }
    spread.finish { line, _, _ in signs.see(line, isStatistics) }
    return signs.areEnough
  }

  /// What has been found so far.
  private struct Signs {
    private(set) var areEnough = false
    private let finder: TextLine
    private var split = TextStamps()
    private var clock = TextClock(writtenMs: 0)
    private var stamps = 0
    private var events = 0
    private var sentences: [RawEvent] = []
    private var open: [UInt8] = []

    init(_ dialects: Dialects) { finder = TextLine(dialects: dialects) }

    mutating func see(
      _ line: UnsafeBufferPointer<UInt8>, _ isStatistics: (UnsafeBufferPointer<UInt8>) -> Bool
    ) {
      let carried = UnwrappedLine(line, &split, finder)
      let message = carried.text
      if carried.stamp != nil { stamps += 1 }
      let event = RunLogLine.event(
        endingLine: message, line: 1, clock: &clock, isName: { finder.isName($0) })
      if event != nil
        || message.withUnsafeBufferPointer({
          JSONTail.find(in: $0).map(isStatistics) ?? false
        })
      {
        areEnough = true
        return
      }
      // An object may continue over several lines.
      let text =
        open.isEmpty ? Array(message.prefix(2000)) : open + [UInt8(ascii: "\n")] + message.prefix(2000)
      open = []
      switch finder.find(text[...]) {
      case .event(let event):
        let isSure = event.timeMs != nil || event.request != nil && Self.isTraced(message)
        events += event.specificity == .generic ? 0 : isSure ? 3 : 1
        if sentences.count < 64 { sentences.append(event) }
      case .openObject: if text.count < 8000 { open = text }
      case .nothing: break
      }
      areEnough = events >= (stamps > 0 ? 1 : 3) || Sentences.sdk(of: sentences) != nil
    }

    // In curl's output of what it sends, an SDK's path is the request itself.
    private static func isTraced(_ message: ArraySlice<UInt8>) -> Bool {
      message.starts(with: "> ".utf8) && ByteSearch.contains(" HTTP/", in: message.prefix(4096))
    }
  }
}
