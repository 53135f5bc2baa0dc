import Bytes
import CallModel
import Captures
import EventLogs
import GetStats

extension FileImport {
  /// Hands a source to the reader of its format, and what stands between, of another kind, to the reader of that.
  func read(
    _ format: SourceFormat, from source: any ByteSource, into sink: any RecordSink, file: FoundFile
  ) throws {
    var options = request.reading
    options.fileName = file.name
    options.assumeRTP = request.assumeRTP
    if let head = (source as? HeadedSource)?.head, format != .pcap, format != .pcapng {
      options.reportClockUnitMs = head.withUnsafeBufferPointer(GetStatsReader.clockUnitMs)
    }
    guard [.getstatsLines, .runLog, .sdkText, .googText, .sse].contains(format) else {
      return try readWhole(format, from: source, into: sink, options)
    }
    let text = NULFreeBytes(source)
    let counted = RecordCount(sink)
    let lines = LineBudget(
      text, telling: counted, most: options.linesTellingNothing.addingClamped(Int(max(0, file.bytes))))
    try readWhole(format, from: lines, into: counted, options)
    if text.leftOut > 0 { try sink.note(Self.note(ofNULs: text.leftOut)) }
  }

  /// What is said of NUL bytes that were left out.
  static func note(ofNULs count: Int) -> String {
    "\(count) NUL bytes in it were left out, as copytruncate or a loss of power leaves them: what stood in their place is lost"
  }

  private func readWhole(
    _ format: SourceFormat, from source: any ByteSource, into sink: any RecordSink, _ options: ReaderOptions
  ) throws {
    switch format {
    case .getstatsLines, .runLog:
      var router = RunLogRouter(sink: sink, options: options)
      let lines = format == .runLog ? EventList.lines(source) : ReportTable.lines(source)
      try router.read(EventLogReader.inOrderOfTime(lines, noting: sink))
    case .getstatsJSON:
      let ends = LoggedEnds(limit: options.connectionsPerSource)
      var events = RunLogLineReader(sink: sink, options: options, ends: ends)
      try GetStatsReader.read(format, from: source, into: sink, options: options, ends: ends) {
        json, number, offset in
        if try events.line(json, number: number, offset: offset) { return true }
        guard let inner = WrappedLine.object(in: json) else { return false }
        return try events.line(inner, number: number, offset: offset)
      }
      try events.finish()
    case .webrtcInternals, .rtcstatsV0, .rtcstatsV2, .rtcstatsV3, .jitsiRtcstats:
      try GetStatsReader.read(format, from: source, into: sink, options: options)
    case .googText, .sdkText:
      // Either may stand among the other.
      var statistics = TextStatistics(sink: sink, options: options)
      try EventLogReader.read(
        .sdkText, from: source, into: sink, options: options,
        statistics: { try statistics.json($0, number: $1, offset: $2) },
        printed: { try statistics.line($0, number: $1) })
      try statistics.finish()
      if format == .googText, !statistics.hasPrinted {
        throw SourceError(.notAFormat, "the text holds no statistics entry")
      }
    case .sse, .har:
      try EventLogReader.read(format, from: source, into: sink, options: options)
    case .pcap, .pcapng:
      try CaptureReader.read(format, from: source, into: sink, options: options)
    }
  }
}
