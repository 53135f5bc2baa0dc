import CallModel
import CallStore
import IO

/// A file to import, named by the user or found in a folder.
public struct FoundFile: Sendable, Equatable {
  /// Its absolute path, with links resolved.
  var location: RawPath
  /// Named files of unknown format are rejected; those found in a folder are skipped.
  public var named: Bool
  /// Size on disk, bytes.
  public var bytes: Int64
  /// The named folder it was found in, directly or through a link; absolute, with links resolved.
  var folder: String?
  /// The temporary path of a file unpacked from an archive.
  var unpacked: RawPath?
  /// The interface of a capture that is read as one of its own, by its number.
  var tap: Int?
  /// Why an entry of a folder cannot be read.
  var unreadable: Unreadable?

  /// Path for display and storage.
  public var path: String { location.text }
  /// Path for reading.
  var place: RawPath { unpacked ?? location }

  /// Whether one of some files of its size has its content.
  func isCopy(ofOneOf others: [FoundFile]) -> Bool {
    func digest(_ file: FoundFile) -> String? {
      file.bytes > 0 && file.tap == nil && file.unreadable == nil ? try? sha256(ofFile: file.place) : nil
    }
    guard !others.isEmpty, let own = digest(self) else { return false }
    return others.contains { digest($0) == own }
  }

  /// Its name without folders.
  var name: String { path.split(separator: "/").last.map(String.init) ?? path }
}

/// A path from the command line, or an entry of a folder, that is not a readable file.
public struct Unreadable: Sendable, Equatable {
  var location: RawPath
  public var error: SourceError
  /// Nil for a named path; for an entry of a folder, whether it is skipped or rejected.
  public var met: SourceStatus.Value?

  /// Path for display and storage.
  public var path: String { location.text }
}
