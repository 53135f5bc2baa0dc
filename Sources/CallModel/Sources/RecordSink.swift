/// Where readers put what they find. One sink takes one source, in the order of the file.
///
/// A reader numbers connections and streams from 0 as it meets them; the numbers mean nothing beyond the source.
public protocol RecordSink: AnyObject {
  /// Says or adds what is known of a connection; must come before anything that refers to it.
  func connection(_ connection: Int, _ facts: ConnectionFacts) throws
  /// Says or adds what is known of a stream; must come before its samples.
  func stream(_ stream: Int, of connection: Int, _ facts: StreamFacts) throws
  /// One instant of a stream; `extra` is a JSON object of members that have no column.
  func sample(_ sample: borrowing Sample, of stream: Int, extra: String?) throws
  /// Whole-stream figures, at the end of the source.
  func totals(_ totals: StreamTotals, of stream: Int) throws
  /// One instant of a connection's path.
  func transport(_ transport: TransportSample, of connection: Int) throws
  /// Something that happened, on a connection or on the source as a whole.
  func event(_ event: EventRecord, of connection: Int?) throws
  /// Something that was not taken.
  func reject(_ reject: Reject) throws
  /// Something worth telling about the source: what was guessed, dropped, recomputed. Equal notes are counted.
  func note(_ note: String) throws
  /// Packets read, for captures.
  func packets(_ count: Int) throws
}
