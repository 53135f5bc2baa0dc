import CallModel

/// Reads statistics in the text of an application's log: as JSON, as printed by Kandy Link's mobile SDK, or as debug
/// output of objects.
public struct TextStatistics {
  private var snapshots: SnapshotLineReader
  private var printed: GoogTextReader
  private var objects = PrintedReports()
  private var streams = LoggedStreams()

  /// A reader that passes its records to the sink.
  public init(sink: any RecordSink, options: ReaderOptions) {
    let context = RecordContext(sink: sink, options: options)
    snapshots = SnapshotLineReader(context, isAmidText: true, ends: nil)
    printed = GoogTextReader(context)
  }

  /// Whether any were printed.
  public var hasPrinted: Bool { printed.hasTaken }

  /// Reads the JSON of a line if it is a snapshot. Throws as `SnapshotLineReader` does.
  public mutating func json(_ json: UnsafeBufferPointer<UInt8>, number: Int, offset: Int) throws -> Bool {
    try snapshots.line(json, number: number, offset: offset)
  }

  /// Reads a line if it is part of printed statistics; `timeMs` is called for the line's time if the statistics have
  /// none.
  public mutating func line(
    _ text: UnsafeBufferPointer<UInt8>, number: Int, timeMs: () -> Double? = { nil }
  ) throws -> Bool {
    if let reports = streams.reports(in: text, timeMs: timeMs) {
      for report in reports {
        _ = try report.withUnsafeBufferPointer { try snapshots.line($0, number: number, offset: 0) }
      }
      return true
    }
    let (isPart, json) = objects.take(text)
    if let json {
      return try json.withUnsafeBufferPointer { try snapshots.line($0, number: number, offset: 0) }
    }
    if isPart { return true }
    return try printed.line(text, number: number)
  }

  /// Ends the input.
  public mutating func finish() throws {
    try printed.finish()
    try snapshots.finish()
  }
}

extension GetStatsReader {
  /// Whether a line contains a report in debug output.
  public static func isPrinted(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    PrintedReports.stand(in: line) || LoggedStreams.stand(in: line)
  }
}
