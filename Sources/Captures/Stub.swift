import Bytes
import CallModel

// Holds the place of the real reader until it lands: delete this file in that commit.

/// Recognises nothing yet.
public enum CaptureReader {
  public static func recognise(_ head: UnsafeBufferPointer<UInt8>, name: String) throws -> SourceFormat? {
    nil
  }
  public static func read(
    _ format: SourceFormat, from source: any ByteSource, into sink: any RecordSink, options: ReaderOptions
  ) throws {}
}
