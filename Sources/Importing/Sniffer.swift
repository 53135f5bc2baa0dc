import Bytes
import CallModel
import Captures
import EventLogs
import GetStats

/// What the first bytes of a source say about it.
enum Sniffed {
  case format(SourceFormat)
  /// Of no known format; the error says which, with a place where it claims to be JSON and is not.
  case unknown(SourceError)
}

/// Tells formats by content first and by name second, never by name alone.
enum Sniffer {
  /// Which reader takes this source. Throws a `SourceError` for formats that are known and refused by name.
  static func sniff(_ source: HeadedSource, name: String) throws -> Sniffed {
    let format = try source.head.withUnsafeBufferPointer { head in
      try GetStatsReader.recognise(head, name: name)
        ?? EventLogReader.recognise(head, name: name)
        ?? CaptureReader.recognise(head, name: name)
    }
    if let format { return .format(format) }
    if let error = source.headError { throw error }
    guard claimsJSON(source.head, name: name) else {
      return .unknown(
        SourceError(.notAFormat, "of no known format: `callqa formats` lists them, --as FORMAT insists"))
    }
    return .unknown(try jsonVerdict(source))
  }

  /// Whether this looks like JSON or calls itself so, and may be told where it is not.
  private static func claimsJSON(_ head: [UInt8], name: String) -> Bool {
    let bare = [".gz", ".zst", ".br"].reduce(name.lowercased()) {
      $0.hasSuffix($1) ? String($0.dropLast($1.utf8.count)) : $0
    }
    if [".json", ".jsonl", ".ndjson"].contains(where: bare.hasSuffix) { return true }
    guard let first = head.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) else { return false }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }

  private static func jsonVerdict(_ source: HeadedSource) throws -> SourceError {
    do {
      try validateJSON(source)
      return SourceError(
        .notAFormat,
        "valid JSON, but no statistics or events that callqa knows: `callqa formats` lists what it reads")
    } catch let error as JSONError {
      return SourceError(.notJSON, error.reason, byte: error.byte)
    }
  }
}
