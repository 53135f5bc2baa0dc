import Bytes
import CallModel
import CallStore
import Glibc

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
  /// Why it cannot be read, of what was met in a folder and is none that can.
  var trouble: Unreadable?

  /// Path as it will be shown and stored.
  public var path: String { location.text }

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

/// Finds the files below the named paths: sorted, each once, links followed without going round in circles.
public struct FileWalker {
  /// What makes two names one file.
  private struct Identity: Hashable {
    var device: UInt64
    var inode: UInt64

    init(_ status: stat) {
      (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
    }
  }

  private var seenFolders: Set<Identity> = []
  private var seenFiles: Set<Identity> = []
  /// Folders that were opened and links that led somewhere: what may have been in vain before.
  private(set) var opened: [String] = []

  /// The database that is written to, and what SQLite keeps beside it: no input where they are met.
  private var ownFiles: Set<Identity> = []

  /// Nothing walked yet.
  ///
  /// - Parameter database: path of the database that is written to, which may lie among the files.
  public init(passingOver database: String? = nil) {
    guard let database else { return }
    for path in [database] + Self.companions.map({ database + $0 }) {
      var status = stat()
      if stat(path, &status) == 0 { ownFiles.insert(Identity(status)) }
    }
  }

  /// What SQLite puts beside a database while it is open.
  private static let companions = ["-wal", "-shm", "-journal"]

  /// Whether a file that is empty is so because SQLite leaves it so.
  static func isCompanion(_ name: String) -> Bool { companions.contains { name.hasSuffix($0) } }

  /// Hands every file below `path` to `found`, and everything that cannot be read to `lost`.
  public mutating func walk(
    _ path: String, found: (FoundFile) throws -> Void, lost: (Unreadable) throws -> Void
  ) rethrows {
    try visit(Self.asSpelled(path), named: true, found: found, lost: lost)
  }

  private mutating func visit(
    _ path: RawPath, named: Bool, found: (FoundFile) throws -> Void, lost: (Unreadable) throws -> Void
  ) rethrows {
    var status = stat()
    guard path.withCString({ stat($0, &status) }) == 0 else {
      let code = errno
      if named { return try lost(Unreadable(location: path, error: .system(code))) }
      // What went away since its folder was read is nothing that was met.
      guard path.withCString({ lstat($0, &status) }) == 0 else { return }
      let isDangling = code == ENOENT
      try lost(
        Unreadable(
          location: Self.absolutePlace(of: path),
          error: isDangling ? SourceError(.missing, "a link to a file that is not there") : .system(code),
          met: isDangling ? .skipped : .refused))
      return
    }
    let identity = Identity(status)
    if !named, ownFiles.contains(identity) { return }
    switch status.st_mode & S_IFMT {
    case S_IFREG:
      let location = Self.absolute(path)
      noteLink(at: path, to: location)
      guard seenFiles.insert(identity).inserted else { return }
      try found(FoundFile(location: location, named: named, bytes: Int64(status.st_size)))
    case S_IFDIR:
      noteLink(at: path, to: Self.absolute(path))
      guard seenFolders.insert(identity).inserted else { return }
      try visitFolder(path, named: named, found: found, lost: lost)
    default:
      let what = "not a regular file (a pipe, socket or device): pass its data as '-' instead"
      if named {
        try lost(Unreadable(location: path, error: SourceError(.unreadable, what)))
      } else {
        let error = SourceError(.notAFormat, what)
        try lost(Unreadable(location: Self.absolutePlace(of: path), error: error, met: .skipped))
      }
    }
  }

  private mutating func noteLink(at path: RawPath, to location: RawPath) {
    let place = Self.absolutePlace(of: path)
    if place != location { opened.append(place.text) }
  }

  private mutating func visitFolder(
    _ path: RawPath, named: Bool, found: (FoundFile) throws -> Void, lost: (Unreadable) throws -> Void
  ) rethrows {
    guard let names = Self.entries(of: path) else {
      let error = SourceError.system(errno)
      return try lost(
        Unreadable(location: named ? path : Self.absolute(path), error: error, met: named ? nil : .refused))
    }
    opened.append(Self.absolute(path).text)
    for name in names where name.first != UInt8(ascii: ".") {
      try visit(path.appending(name), named: false, found: found, lost: lost)
    }
  }

  /// Names in a folder in byte order; nil where it cannot be opened.
  private static func entries(of path: RawPath) -> [[UInt8]]? {
    guard let folder = path.withCString({ opendir($0) }) else { return nil }
    defer { closedir(folder) }
    var names: [[UInt8]] = []
    while let entry = readdir(folder) {
      names.append(withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) })
    }
    return names.sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// A path as it is spelled on the disk: words of a command line come with U+FFFD for bytes that are no UTF-8.
  private static func asSpelled(_ path: String) -> RawPath {
    guard path.unicodeScalars.contains("\u{FFFD}"), access(path, F_OK) != 0 else { return RawPath(path) }
    var found = RawPath(path.hasPrefix("/") ? "/" : ".")
    for part in path.split(separator: "/") {
      let name = entries(of: found)?.first { String(decoding: $0, as: UTF8.self) == part }
      found = found.appending(name ?? Array(part.utf8))
    }
    return found
  }

  /// The absolute path of a folder; nil where the path is none.
  static func folder(_ path: String) -> String? {
    let path = asSpelled(path)
    var status = stat()
    guard path.withCString({ stat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
    return absolute(path).text
  }

  /// The absolute path of something in a folder, be it a link that leads nowhere.
  private static func absolutePlace(of path: RawPath) -> RawPath {
    guard let end = path.bytes.lastIndex(of: UInt8(ascii: "/")), end + 1 < path.bytes.count else {
      return path
    }
    let folder = RawPath(bytes: path.bytes[..<max(end, 1)])
    return absolute(folder).appending(Array(path.bytes[(end + 1)...]))
  }

  private static func absolute(_ path: RawPath) -> RawPath {
    guard let resolved = path.withCString({ realpath($0, nil) }) else { return path }
    defer { free(resolved) }
    return RawPath(bytes: UnsafeRawBufferPointer(start: resolved, count: strlen(resolved)))
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
