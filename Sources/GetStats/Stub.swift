import Bytes
import CallModel

// Holds the place of the real reader until it lands: delete this file in that commit.

/// Recognises nothing yet.
public enum GetStatsReader {
  public static func recognise(_ head: UnsafeBufferPointer<UInt8>, name: String) throws -> SourceFormat? {
    nil
  }
  public static func read(
    _ format: SourceFormat, from source: any ByteSource, into sink: any RecordSink, options: ReaderOptions
  ) throws {}
}

/// Takes no line yet.
public struct SnapshotLineReader {
  public init(sink: any RecordSink, options: ReaderOptions) {}
  public mutating func line(_ bytes: UnsafeBufferPointer<UInt8>, number: Int, offset: Int) throws -> Bool {
    false
  }
  public mutating func finish() throws {}
}
