import CallModel
import Glibc

/// A file to import, and whether the user named it or it was met in a folder.
public struct FoundFile: Sendable, Equatable {
  /// Path as it will be shown and stored: absolute, links in it resolved.
  public var path: String
  /// A named file of no known format is refused; one met in a folder is skipped.
  public var named: Bool
  /// Size in bytes as it lies there.
  public var bytes: Int64
}

/// Something named on the command line, or met in a folder, that is no readable file.
public struct Unreadable: Sendable {
  public var path: String
  public var error: SourceError
}

/// Finds the files below the named paths: sorted, each once, links followed without going round in circles.
public struct FileWalker {
  private var seenFolders: Set<[UInt64]> = []
  private var seenFiles: Set<[UInt64]> = []

  /// Nothing walked yet.
  public init() {}

  /// Hands every file below `path` to `found`, and everything that cannot be read to `lost`.
  public mutating func walk(
    _ path: String, found: (FoundFile) throws -> Void, lost: (Unreadable) throws -> Void
  ) rethrows {
    try visit(path, named: true, found: found, lost: lost)
  }

  private mutating func visit(
    _ path: String, named: Bool, found: (FoundFile) throws -> Void, lost: (Unreadable) throws -> Void
  ) rethrows {
    var status = stat()
    guard stat(path, &status) == 0 else {
      // A dangling link met in a folder is no input; a missing file that was named is.
      if named || errno != ENOENT { try lost(Unreadable(path: path, error: .system(errno))) }
      return
    }
    let identity = [UInt64(status.st_dev), UInt64(status.st_ino)]
    switch status.st_mode & S_IFMT {
    case S_IFREG:
      guard seenFiles.insert(identity).inserted else { return }
      try found(FoundFile(path: Self.absolute(path), named: named, bytes: Int64(status.st_size)))
    case S_IFDIR:
      guard seenFolders.insert(identity).inserted else { return }
      try visitFolder(path, found: found, lost: lost)
    default:
      let what = SourceError(
        .unreadable, "not a regular file (a pipe, socket or device): pass its data as '-' instead")
      if named { try lost(Unreadable(path: path, error: what)) }
    }
  }

  private mutating func visitFolder(
    _ path: String, found: (FoundFile) throws -> Void, lost: (Unreadable) throws -> Void
  ) rethrows {
    guard let names = entries(of: path) else {
      return try lost(Unreadable(path: path, error: .system(errno)))
    }
    for name in names {
      try visit(path.hasSuffix("/") ? path + name : path + "/" + name, named: false, found: found, lost: lost)
    }
  }

  /// Names in a folder in byte order, hidden ones left out; nil where it cannot be opened.
  private func entries(of path: String) -> [String]? {
    guard let folder = opendir(path) else { return nil }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
  }

  /// The absolute path of a folder; nil where the path is none.
  static func folder(_ path: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
    return absolute(path)
  }

  private static func absolute(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}

extension SourceError {
  /// What the system said, in its words and with a remedy where there is one.
  static func system(_ code: Int32) -> SourceError {
    let words = String(cString: strerror(code))
    switch code {
    case ENOENT, ENOTDIR: return SourceError(.missing, "no such file or folder: check the path")
    case EACCES, EPERM: return SourceError(.unreadable, "\(words): ask its owner for permission to read it")
    default: return SourceError(.unreadable, words)
    }
  }
}
