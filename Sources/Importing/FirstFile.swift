import Bytes
import Glibc

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
