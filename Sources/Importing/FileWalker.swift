import CallModel
import Glibc
import IO

/// Finds the files below the named paths: sorted, but a manifest before all else in its folder, each once, links followed
/// without going round in circles.
public struct FileWalker {
  private var places = VisitedFolders()
  /// Places that were left before, and of those the ones that a walk found to be open now: folders, and links that led nowhere.
  private let left: Set<String>
  private(set) var opened: [String] = []

  /// The database that is written to, and what SQLite keeps beside it, or may yet make there: no input where they are met.
  private var ownFiles: Set<FileIdentity> = []
  private var ownPlaces: Set<RawPath> = []

  /// Nothing walked yet.
  ///
  /// - Parameters:
  ///   - database: path of the database that is written to, which may lie among the files.
  ///   - left: what could not be opened by earlier walks; `opened` has those that could be by this one.
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

  /// What SQLite puts beside a database while it is open.
  private static let companions = ["-wal", "-shm", "-journal"]

  /// Whether a file that is empty is so because SQLite leaves it so.
  static func isCompanion(_ name: String) -> Bool { companions.contains { name.hasSuffix($0) } }

  /// Hands every file below `path` to `found`, and everything that cannot be read to `lost`.
  public mutating func walk(
    _ path: String, found: (FoundFile) throws -> Void, lost: (Unreadable) throws -> Void
  ) rethrows {
    let path = Self.asSpelled(path)
    var status = stat()
    guard path.withCString({ stat($0, &status) }) == 0 else {
      return try lost(Unreadable(location: path, error: .system(errno)))
    }
    try visitTarget(path, at: Self.absolutePlace(of: path), status, named: true, found: found, lost: lost)
  }

  /// What is named, or what a link at a place leads to.
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

  /// What a folder holds at a place.
  private mutating func visit(
    _ place: RawPath, found: (FoundFile) throws -> Void, lost: (Unreadable) throws -> Void
  ) rethrows {
    var status = stat()
    guard place.withCString({ lstat($0, &status) }) == 0 else {
      let code = errno
      // What went away since its folder was read is nothing that was met.
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
    guard let names = Self.entries(of: folder) else {
      let error = SourceError.system(errno)
      places.close(folder)
      return try lost(
        Unreadable(location: spelled ?? folder, error: error, met: spelled == nil ? .refused : nil))
    }
    note(open: folder)
    // What it says is of all that lies below.
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

  /// Names in a folder in byte order; nil where it cannot be opened.
  private static func entries(of path: RawPath) -> [[UInt8]]? {
    guard let folder = path.withCString({ opendir($0) }) else { return nil }
    defer { closedir(folder) }
    var names: [[UInt8]] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { name in
        name.baseAddress.map { Array(name.prefix(strlen($0.assumingMemoryBound(to: CChar.self)))) }
      }
      if let name { names.append(name) }
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

/// What a walk goes through, so that it meets each file once and follows links without going round in circles.
///
/// A folder that is gone through covers all below it but hidden names. So only what is named or met through a link needs to
/// be kept, and files with more than one name: hardly any of the hundred thousands of a night.
struct VisitedFolders {
  private var folders: Set<RawPath> = []
  private var files: Set<RawPath> = []
  private var manyNamed: Set<FileIdentity> = []
  /// Folders whose names could not be read: they cover nothing.
  private var closed: Set<RawPath> = []

  /// Whether a folder met at its own place is to be gone through.
  func mayEnter(_ folder: RawPath) -> Bool { !folders.contains(folder) }

  /// Whether a folder that is named, or that a link leads to, is to be gone through; from then on it is.
  mutating func mayEnterByLink(_ folder: RawPath) -> Bool {
    guard !covers(folder) else { return false }
    return folders.insert(folder).inserted
  }

  /// Whether a file met at its own place is met for the first time.
  mutating func mayTake(_ file: RawPath, _ status: stat) -> Bool {
    !files.contains(file) && isNewName(status)
  }

  /// Whether a file that is named, or that a link leads to, was not met and will not be.
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

/// What makes two names one file.
struct FileIdentity: Hashable {
  private var device: UInt64
  private var inode: UInt64

  init(_ status: stat) {
    (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
  }
}
