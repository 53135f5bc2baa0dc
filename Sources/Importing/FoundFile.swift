import CallModel
import CallStore
import IO

/// A file to import, and whether the user named it or it was met in a folder.
public struct FoundFile: Sendable, Equatable {
  /// Where it lies: absolute, links in it resolved.
  var location: RawPath
  /// A named file of no known format is refused; one met in a folder is skipped.
  public var named: Bool
  /// Size in bytes as it lies there.
  public var bytes: Int64
  /// The named folder it was met in, itself or through a link; absolute, links in it resolved.
  var folder: String?
  /// Where its bytes lie while it is imported, of a file of an archive.
  var unpacked: RawPath?
  /// Why it cannot be read, of what was met in a folder and is none that can.
  var trouble: Unreadable?

  /// Path as it will be shown and stored.
  public var path: String { location.text }
  /// Where it is read.
  var place: RawPath { unpacked ?? location }

  /// Its name without its folders.
  var name: String { path.split(separator: "/").last.map(String.init) ?? path }
}

/// Something named on the command line, or met in a folder, that is no readable file.
public struct Unreadable: Sendable, Equatable {
  var location: RawPath
  public var error: SourceError
  /// Nil for what was named; of what was met in a folder, whether it is passed over or refused.
  public var met: SourceStatus.Word?

  /// Path as it will be shown and stored.
  public var path: String { location.text }
}
