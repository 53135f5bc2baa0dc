/// Receives the records of a reader. One sink takes one source, in the order of the file.
///
/// A reader numbers connections and streams from 0 as it meets them; the numbers mean nothing beyond the source.
public protocol RecordSink: AnyObject {
  /// Sets or adds facts of a connection; must come before anything that refers to it.
  func connection(_ connection: Int, _ facts: ConnectionFacts) throws
  /// Sets or adds facts of a stream; must come before its samples.
  func stream(_ stream: Int, of connection: Int, _ facts: StreamFacts) throws
  /// One sample of a stream; `extra` is a JSON object of members without a column, from which the reader has removed
  /// secrets.
  func sample(_ sample: borrowing Sample, of stream: Int, extra: String?) throws
  /// Figures of a whole stream, at the end of the source.
  func totals(_ totals: StreamTotals, of stream: Int) throws
  /// One sample of a connection's path.
  func transport(_ transport: TransportSample, of connection: Int) throws
  /// An event of a connection or of the whole source.
  func event(_ event: EventRecord, of connection: Int?) throws
  /// Something that was rejected.
  func reject(_ reject: Reject) throws
  /// Something to report about the source: what was guessed, dropped or recomputed. Equal notes are counted.
  func note(_ note: String) throws
  /// Packets read, for captures.
  func packets(_ count: Int) throws
  /// A line was understood, and its records come later, in another order.
  func postpone()
  /// Everything of the connections and streams so far was given: none of their numbers comes again. What is kept of them
  /// may go.
  func settle() throws
}

extension RecordSink {
  public func postpone() {}
  public func settle() throws {}
}

/// Notes of readers that judging looks for.
public enum SourceNote {
  /// The note for statistics whose times have no time zone.
  public static let noZone = "times in it have no zone: taken as UTC"
  /// The note for statistics of received media that describe only what was sent again.
  public static let repeatsOnly =
    "aiortc reports only the retransmissions of a stream (RTX), under the id of the media: left out"
}
