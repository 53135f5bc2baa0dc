import Bytes
import CallModel

/// Reads what browsers and SDKs say of their connections: getStats in every dialect and container.
public enum GetStatsReader {
  /// Which of this room's formats a source is, from its first bytes (decompressed, up to 64 KiB); nil if none.
  ///
  /// Throws `SourceError` of code `unsupported` for what is known by name and not read.
  public static func recognise(_ head: UnsafeBufferPointer<UInt8>, name: String) throws -> SourceFormat? {
    try Recognition.format(of: head, name: name)
  }

  /// Whether a complete JSON value holds a report of a known type.
  public static func holdsReport(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
    (try? ReportSearch.holdsReport(value)) ?? false
  }

  /// Milliseconds a unit of the clock that stamped the reports, as the first bytes of a source tell it: for
  /// `ReaderOptions.reportClockUnitMs`. Nil where there is no doubt, or nothing to tell it by.
  public static func clockUnitMs(inHead head: UnsafeBufferPointer<UInt8>) -> Double? {
    ClockUnit.ms(inHead: head)
  }

  /// Takes an element of a list that is no snapshot, given as JSON with its number from 1 and its first byte; false where
  /// it is nothing else either.
  public typealias Others = (_ json: UnsafeBufferPointer<UInt8>, _ number: Int, _ offset: Int) throws -> Bool

  /// Reads a source as the given format; of a JSON file, what stands between the snapshots is for `others`, who may know of
  /// the same `ends`. Throws `SourceError`, `BytesError`, and what the sink throws.
  public static func read(
    _ format: SourceFormat, from source: any ByteSource, into sink: any RecordSink, options: ReaderOptions,
    ends: LoggedEnds? = nil, others: Others = { _, _, _ in false }
  ) throws {
    do {
      switch format {
      case .getstatsLines: try readLines(source, sink, options)
      case .getstatsJSON:
        var document = SnapshotDocument(source, into: sink, options: options, ends: ends)
        try document.read(others: others)
      case .rtcstatsV2, .rtcstatsV3, .jitsiRtcstats:
        var reader = RtcstatsReader(format, into: sink, options: options)
        try reader.read(source)
      case .rtcstatsV0:
        var reader = RtcstatsV0Reader(source, into: sink, options: options)
        try reader.read()
      case .googText:
        var reader = GoogTextReader(RecordContext(sink: sink, options: options))
        try reader.read(source)
      case .webrtcInternals:
        var reader = InternalsReader(source, into: sink, options: options)
        try reader.read()
      default: throw SourceError(.unsupported, "\(format.rawValue) is not read by this room")
      }
    } catch let error as JSONError {
      throw SourceError(.notJSON, error.reason, byte: error.byte)
    }
  }

  private static func readLines(
    _ source: any ByteSource, _ sink: any RecordSink, _ options: ReaderOptions
  ) throws {
    var reader = SnapshotLineReader(sink: sink, options: options)
    var lines = LineReader(source, longestLine: options.longestLine)
    while true {
      let more = try lines.next { bytes, number, offset in
        if bytes.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }) { return }
        if try !reader.line(bytes, number: number, offset: offset) {
          try sink.reject(Reject("not a getStats snapshot", line: number, byte: offset))
        }
      }
      if let long = lines.tooLong {
        try sink.reject(.line(longerThan: options.longestLine, line: long.line, byte: long.offset))
      }
      if !more { break }
    }
    try reader.finish()
  }
}
