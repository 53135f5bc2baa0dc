import Bytes
import CallModel
import Captures
import Concurrency
import Glibc
import IO

/// The user's request for an import.
public struct ImportRequest: Sendable {
  /// Files and folders; `-` is standard input.
  public var paths: [String]
  /// The format to use instead of recognising it; `rtp` is a capture whose UDP payloads are RTP.
  public var format: SourceFormat?
  public var assumeRTP = false
  /// The limits of the readers.
  public var reading = ReaderOptions()
  /// The run of new calls; takes precedence over that of a manifest.
  public var run: String?
  public var labels: [String: String] = [:]
  /// The call of all files.
  public var call: String?
  public var jobs = 1
  /// Replaces people and addresses before anything is stored, if set.
  public var pseudonyms: Pseudonymizer?
  /// Whether texts of events that nothing names are kept (`--keep-unknown`).
  public var keepsUnknown = false
  /// The most bytes taken from one file after decompression.
  public var largestSource = Limit.source.value
  /// Limit on the decompressed size of a file.
  public var expansion = Expansion()

  /// A request for paths, with defaults.
  public init(paths: [String]) { self.paths = paths }

  /// Whether a text is an IP address.
  public static func isAddress(_ text: String) -> Bool { CaptureReader.isAddress(text) }

  /// Opens a file with these limits; throws `BytesError`.
  func open(_ path: RawPath, hashing: Bool) throws -> InputFile {
    try InputFile(path, largest: largestSource, expansion: expansion, hashing: hashing)
  }
}

/// A JSON object of names and texts, sorted by name.
func jsonObject(_ members: [String: String]) -> String {
  var json = ByteWriter()
  json.append("{")
  for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
    if index > 0 { json.append(",") }
    json.append(json: member.key)
    json.append(":")
    json.append(json: member.value)
  }
  json.append("}")
  return json.string
}

/// The first named file, read and hashed in the background while the database is still being opened: creating the
/// tables of a new one takes some milliseconds, in which other cores would be idle.
public final class FirstFile: Sendable {
  private let identity: Identity
  private let ahead: Locked<ReadAhead?>

  /// The identity of a file, whatever its name.
  private struct Identity: Equatable {
    var device: dev_t
    var number: ino_t

    /// Nil unless it is a large file.
    init?(_ path: RawPath) {
      var status = stat()
      guard path.withCString({ stat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFREG,
        status.st_size >= ReadAhead.smallest
      else { return nil }
      (device, number) = (status.st_dev, status.st_ino)
    }
  }

  /// Starts reading it. Nil if the first path is not a large file, or cannot be read, which is reported when it is
  /// imported.
  public init?(of request: ImportRequest) {
    guard let path = request.paths.first.map({ RawPath($0) }), let identity = Identity(path),
      let file = try? request.open(path, hashing: true), let ahead = try? ReadAhead(file)
    else { return nil }
    self.identity = identity
    self.ahead = Locked(ahead)
  }

  /// Returns the file, once, to its importer.
  func take(at path: RawPath) -> ReadAhead? {
    ahead.withLock { ahead in
      guard ahead != nil, Identity(path) == identity else { return nil }
      return ahead.take()
    }
  }
}
