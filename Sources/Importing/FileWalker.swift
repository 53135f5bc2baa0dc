import CallModel
import Glibc
import IO

/// Finds the files below some paths: sorted, but with a folder's manifest first, each file once, and following links
/// without cycles.
public struct FileWalker {
  private var places = VisitedFolders()
  /// Paths that earlier walks could not open, and those of them that this walk could: folders, and links without a
  /// target.
  private let left: Set<String>
  private(set) var opened: [String] = []

  /// The database being written, with the files that SQLite keeps or may create beside it: not inputs.
  private var ownFiles: Set<FileIdentity> = []
  private var ownPlaces: Set<RawPath> = []

  /// A walk that has not begun.
  ///
  /// - Parameters:
  /// - database: path of the database being written, which may be among the files.
  /// - left: paths that earlier walks could not open; `opened` has those that this one could.
  public init(passingOver database: String? = nil, left: Set<String> = []) {
    self.left = left
    guard let database else { return }
    for path in [database] + Self.companions.map({ database + $0 }) {
      var status = stat()
      if stat(path, &status) == 0 { ownFiles.insert(FileIdentity(status)) }
    }
    let place = Self.absolute(RawPath(database))
    ownPlaces = Set(([""] + Self.companions).map { RawPath(bytes: place.bytes + Array($0.utf8)) })
  }

  private func isOwn(_ place: RawPath, _ status: stat) -> Bool {
    ownPlaces.contains(place) || ownFiles.contains(FileIdentity(status))
  }

  /// Suffixes of the files that SQLite creates beside an open database.
  private static let companions = ["-wal", "-shm", "-journal"]

  /// Whether an empty file is one of SQLite's.
  static func isCompanion(_ name: String) -> Bool { companions.contains { name.hasSuffix($0) } }

  /// Passes all files below `path` to `found`, and everything that cannot be read to `lost`.
  public mutating func walk(
    _ path: String, found: (FoundFile) throws -> Void, lost: (Unreadable) throws -> Void
  ) rethrows {
    let path = RawPath(word: path)
    var status = stat()
    guard path.withCString({ stat($0, &status) }) == 0 else {
      return try lost(Unreadable(location: path, error: .system(errno)))
    }
    try visitTarget(path, at: Self.absolutePlace(of: path), status, named: true, found: found, lost: lost)
  }

  /// Visits a named path, or the target of a link.
  private mutating func visitTarget(
    _ path: RawPath, at place: RawPath, _ status: stat, named: Bool, found: (FoundFile) throws -> Void,
    lost: (Unreadable) throws -> Void
  ) rethrows {
    let location = Self.absolute(path)
    switch status.st_mode & S_IFMT {
    case S_IFREG:
      if location != place { note(open: place) }
      guard named || !isOwn(location, status), places.mayTakeByLink(location, status) else { return }
      try found(FoundFile(location: location, named: named, bytes: Int64(status.st_size)))
    case S_IFDIR:
      if location != place { note(open: place) }
      guard places.mayEnterByLink(location) else { return }
      try visitFolder(location, spelled: named ? path : nil, found: found, lost: lost)
    default:
      let what = "not a regular file (a pipe, socket or device): pass its data as '-' instead"
      try lost(
        named
          ? Unreadable(location: path, error: SourceError(.unreadable, what))
          : Unreadable(location: place, error: SourceError(.notAFormat, what), met: .skipped))
    }
  }

  /// Visits an entry of a folder.
  private mutating func visit(
    _ place: RawPath, found: (FoundFile) throws -> Void, lost: (Unreadable) throws -> Void
  ) rethrows {
    var status = stat()
    guard place.withCString({ lstat($0, &status) }) == 0 else {
      let code = errno
      // Ignore files deleted since the folder was read.
      if code == ENOENT { return }
      return try lost(Unreadable(location: place, error: .system(code), met: .refused))
    }
    switch status.st_mode & S_IFMT {
    case S_IFREG:
      guard !isOwn(place, status), places.mayTake(place, status) else { return }
      try found(FoundFile(location: place, named: false, bytes: Int64(status.st_size)))
    case S_IFDIR:
      if places.mayEnter(place) { try visitFolder(place, found: found, lost: lost) }
    case S_IFLNK:
      guard place.withCString({ stat($0, &status) }) == 0 else {
        let isDangling = errno == ENOENT
        return try lost(
          Unreadable(
            location: place,
            error: isDangling ? SourceError(.missing, "a link to a file that is not there") : .system(errno),
            met: isDangling ? .skipped : .refused))
      }
      fallthrough
    default: try visitTarget(place, at: place, status, named: false, found: found, lost: lost)
    }
  }

  private mutating func visitFolder(
    _ folder: RawPath, spelled: RawPath? = nil, found: (FoundFile) throws -> Void,
    lost: (Unreadable) throws -> Void
  ) rethrows {
    guard let names = folder.entries else {
      let error = SourceError.system(errno)
      places.close(folder)
      return try lost(
        Unreadable(location: spelled ?? folder, error: error, met: spelled == nil ? .refused : nil))
    }
    note(open: folder)
    // A manifest applies to everything below its folder.
    let manifest = Array(Manifest.name.utf8)
    if names.contains(manifest) { try visit(folder.appending(manifest), found: found, lost: lost) }
    for name in names where name.first != UInt8(ascii: ".") && name != manifest {
      try visit(folder.appending(name), found: found, lost: lost)
    }
  }

  private mutating func note(open place: RawPath) {
    guard !left.isEmpty else { return }
    let text = place.text
    if left.contains(text) { opened.append(text) }
  }

  /// The absolute path of a folder; nil if the path is not a folder.
  static func folder(_ path: String) -> String? {
    let path = RawPath(word: path)
    var status = stat()
    guard path.withCString({ stat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
    return absolute(path).text
  }

  /// The absolute path of an entry in a folder, even for a link without a target.
  private static func absolutePlace(of path: RawPath) -> RawPath {
    guard let (folder, name) = path.parted else { return path }
    return absolute(folder).appending(name)
  }

  private static func absolute(_ path: RawPath) -> RawPath {
    guard let resolved = path.withCString({ realpath($0, nil) }) else { return path }
    defer { free(resolved) }
    return RawPath(bytes: UnsafeRawBufferPointer(start: resolved, count: strlen(resolved)))
  }
}

extension SourceError {
  /// An error of the system, with a remedy if there is one.
  static func system(_ code: Int32) -> SourceError {
    let words = String(cString: strerror(code))
    switch code {
    case ENOENT, ENOTDIR: return SourceError(.missing, "no such file or folder: check the path")
    case EACCES, EPERM: return SourceError(.unreadable, "\(words): ask its owner for permission to read it")
    default: return SourceError(.unreadable, words)
    }
  }
}

/// The folders and files visited by a walk, so that each file is found once and links cause no cycles.
///
/// A visited folder covers everything below it except hidden names. So only named paths and targets of links have to be
/// stored, and files with several hard links: few of the hundred thousands of a night.
struct VisitedFolders {
  private var folders: Set<RawPath> = []
  private var files: Set<RawPath> = []
  private var manyNamed: Set<FileIdentity> = []
  /// Folders that could not be read, which cover nothing.
  private var closed: Set<RawPath> = []

  /// Whether to visit a folder found in its own place.
  func mayEnter(_ folder: RawPath) -> Bool { !folders.contains(folder) }

  /// Whether to visit a folder that is named or the target of a link; records it as visited.
  mutating func mayEnterByLink(_ folder: RawPath) -> Bool {
    guard !covers(folder) else { return false }
    return folders.insert(folder).inserted
  }

  /// Whether a file found in its own place is new.
  mutating func mayTake(_ file: RawPath, _ status: stat) -> Bool {
    !files.contains(file) && isNewName(status)
  }

  /// Whether a file that is named or the target of a link is new, and will not be found later.
  mutating func mayTakeByLink(_ file: RawPath, _ status: stat) -> Bool {
    guard !covers(file) else { return false }
    return files.insert(file).inserted && isNewName(status)
  }

  mutating func close(_ folder: RawPath) { closed.insert(folder) }

  private mutating func isNewName(_ status: stat) -> Bool {
    status.st_nlink < 2 || manyNamed.insert(FileIdentity(status)).inserted
  }

  private func covers(_ place: RawPath) -> Bool {
    var place = place
    while !folders.contains(place) {
      guard let (folder, name) = place.parted, name.first != UInt8(ascii: "."), !closed.contains(folder)
      else {
        return false
      }
      place = folder
    }
    return true
  }
}

/// The identity of a file with several names.
struct FileIdentity: Hashable {
  private var device: UInt64
  private var inode: UInt64

  init(_ status: stat) {
    (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
  }
}
