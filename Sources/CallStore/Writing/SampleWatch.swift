import CallModel

/// Looks at the samples of one source while they are stored, in the order in which they could be read back: by time, and
/// at one time by stream.
///
/// Streams and connections are named by their places in the source; their keys come at the end. Used by one thread at a
/// time.
public protocol SampleWatch: AnyObject {
  /// A stream that was not told yet, as it is known now.
  func stream(_ stream: Int, of connection: Int, _ facts: StreamFacts)
  /// The next instant of a stream.
  func sample(_ sample: SampleView, of stream: Int)
  /// The next instant of a connection's path, before the samples of its time.
  func transport(_ sample: TransportSample, of connection: Int)
  /// What was told of a connection is not as the store has it; no more of it is told.
  func giveUp(connection: Int)
  /// The source was read to its end.
  func finish()
  /// The source is in the database, its connections and streams under these keys.
  func stored(connections: [Int: Int64], streams: [Int64])
}
