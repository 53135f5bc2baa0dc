import Bytes
import CallModel

/// The manifests met on a walk, by folder: which run a file belongs to, and which call by the manifest's word.
///
/// Added to by the thread that walks, which reads a folder's manifest before it gives out files below it.
final class Manifests: Sendable {
  private let byFolder = Locked<[String: Manifest]>([:])

  func add(_ manifest: Manifest, folder: String) { byFolder.withLock { $0[folder] = manifest } }

  /// The manifest of the innermost folder above the file.
  func above(_ path: String) -> (folder: String, manifest: Manifest)? {
    byFolder.withLock { byFolder in
      guard !byFolder.isEmpty else { return nil }
      var rest = path[...]
      while let end = rest.utf8.lastIndex(of: UInt8(ascii: "/")) {
        rest = rest[..<end]
        let folder = String(rest)
        if let manifest = byFolder[folder] { return (folder, manifest) }
      }
      return nil
    }
  }

  /// The call that the manifest says the file belongs to: by its list of files, or by a folder of the call's name.
  func call(of path: String) -> Manifest.Call? {
    guard let (folder, manifest) = above(path) else { return nil }
    let relative = String(decoding: path.utf8.dropFirst(folder.utf8.count + 1), as: UTF8.self)
    // A night may have been packed since its manifest was written.
    let unpacked = SourceFormat.unpacked(relative)
    let folders = relative.split(separator: "/").dropLast().map(String.init)
    return manifest.calls?.first { call in
      if let files = call.files {
        return files.contains { $0 == relative || $0 == unpacked || relative.hasPrefix($0 + "/") }
      }
      return folders.contains(call.call_id)
    }
  }
}
