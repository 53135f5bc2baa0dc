import Bytes
import CallModel
import Captures
import Concurrency
import Glibc
import IO

/// What the user asked to be imported, and how.
public struct ImportRequest: Sendable {
  /// Files and folders; `-` is standard input.
  public var paths: [String]
  /// Insist on a format instead of recognising it; `rtp` is a capture whose UDP payloads are RTP.
  public var format: SourceFormat?
  public var assumeRTP = false
  /// The limits of the readers.
  public var reading = ReaderOptions()
  /// The run that new calls belong to; a manifest's own run gives way to it.
  public var run: String?
  public var labels: [String: String] = [:]
  /// The call that every file belongs to.
  public var call: String?
  public var jobs = 1
  /// Replaces people and addresses at the door, if set.
  public var pseudonyms: Pseudonymizer?
  /// Most bytes taken from one file after decompression.
  public var largestSource = 64 << 30
  /// How much a packed file may become.
  public var expansion = Expansion()

  /// The given paths, everything else as by default.
  public init(paths: [String]) { self.paths = paths }

  /// Whether a text is an IP address.
  public static func isAddress(_ text: String) -> Bool { CaptureReader.isAddress(text) }

  /// Opens a file within the limits; throws `BytesError`.
  func open(_ path: RawPath, hashing: Bool) throws -> InputFile {
    try InputFile(path, largest: largestSource, expansion: expansion, hashing: hashing)
  }
}

/// Names and texts as a JSON object, names in order.
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

/// The first file that is named, read and digested beside while the database is still being opened: making the tables of a
/// new one takes some milliseconds, in which other cores would have nothing to do.
public final class FirstFile: Sendable {
  private let identity: Identity
  private let ahead: Locked<ReadAhead?>

  /// Which file a path leads to, whatever it is called.
  private struct Identity: Equatable {
    var device: dev_t
    var number: ino_t

    /// Nil where there is no large file.
    init?(_ path: RawPath) {
      var status = stat()
      guard path.withCString({ stat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFREG,
        status.st_size >= ReadAhead.smallest
      else { return nil }
      (device, number) = (status.st_dev, status.st_ino)
    }
  }

  /// Begins to read it. Nil where what is named first is no large file, or cannot be read, which the one who imports it will
  /// say.
  public init?(of request: ImportRequest) {
    guard let path = request.paths.first.map({ RawPath($0) }), let identity = Identity(path),
      let file = try? request.open(path, hashing: true), let ahead = try? ReadAhead(file)
    else { return nil }
    self.identity = identity
    self.ahead = Locked(ahead)
  }

  /// Hands it over, once, to the one who imports it.
  func take(at path: RawPath) -> ReadAhead? {
    ahead.withLock { ahead in
      guard ahead != nil, Identity(path) == identity else { return nil }
      return ahead.take()
    }
  }
}
