import Bytes
import CallModel
import Captures
import IO

/// Reads a capture again, packet by packet.
public struct CapturePackets {
  private let path: String
  private let request: ImportRequest
  private let format: SourceFormat

  /// A capture at a path, compressed or not. Throws a `SourceError` if it is not a capture.
  public init(_ path: String, limits request: ImportRequest) throws {
    self.path = path
    self.request = request
    do {
      let source = HeadedSource(try request.open(RawPath(word: path), hashing: false), count: 4096)
      if let error = source.headError { throw error }
      let found = try source.head.withUnsafeBufferPointer { try CaptureReader.recognise($0, name: path) }
      guard let found else {
        throw SourceError(.notAFormat, "no capture: packets are listed of pcap and pcapng files")
      }
      format = found
    } catch {
      throw SourceError.of(error)
    }
  }

  /// Its streams, in the order of their first packets.
  public func streams() throws -> [PacketTable.Stream] {
    try PacketTable.streams(format, from: request.open(RawPath(word: path), hashing: false))
  }

  /// All packets of a stream, including missing ones. Throws `SourceError`, and the errors of `row`.
  public func rows(of stream: PacketTable.Stream, _ row: (PacketRow) throws -> Void) throws {
    try PacketTable.rows(
      of: stream, format, from: request.open(RawPath(word: path), hashing: false), row: row)
  }
}
