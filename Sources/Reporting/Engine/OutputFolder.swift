import CProcess
import Glibc
import IO
import Rendering

/// A folder that is created atomically: written next to its destination, then moved there.
public struct OutputFolder {
  /// The destination.
  public let path: String
  /// Where it is written in the meantime.
  public let building: String
  /// The file written last. It marks the folder as created by callqa, which may then replace it.
  static let mark = "report.json"

  /// Starts a folder. Throws if the destination holds anything other than an earlier report.
  public init(_ path: String) throws {
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    path = try Self.behindLink(path)
    self.path = path
    building = "\(path).making-\(getpid())"
    guard access(path, F_OK) != 0 || access("\(path)/\(Self.mark)", F_OK) == 0 || Self.isEmpty(path) else {
      throw PlacedError(
        path, nil, "holds files that are not a report's; name another folder with --out, or empty it")
    }
    Self.removeLeftovers(of: path)
    try namingDestination { try Self.makeFolders(building) }
  }

  /// Runs `work`, and reports a failure with the path of the destination instead of the temporary folder, which the
  /// user did not name.
  private func namingDestination(_ work: () throws -> Void) throws {
    do {
      try work()
    } catch let failure as FileFailure {
      throw failure.placed(in: path, insteadOf: building)
    }
  }

  /// Resolves a symbolic link, so that the link itself is kept.
  private static func behindLink(_ path: String) throws -> String {
    var facts = stat()
    guard lstat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFLNK else { return path }
    guard let real = realpath(path, nil) else {
      throw PlacedError(path, nil, "is a link that leads nowhere; make the folder it names, or name another")
    }
    defer { free(real) }
    return String(cString: real)
  }

  /// Writes a file into the folder, creating subfolders as needed.
  public func write(_ bytes: [UInt8], to name: String) throws {
    try namingDestination {
      if let slash = name.lastIndex(of: "/") { try Self.makeFolders("\(building)/\(name[..<slash])") }
      try FileBytes.write(bytes, to: "\(building)/\(name)")
    }
  }

  /// Moves the folder to its destination. The previous folder is passed to `keep` and then removed.
  public func finish(keeping keep: (_ old: String) -> Void = { _ in }) throws {
    if cqa_exchange(building, path) == 0 {
      keep(building)
      return Self.remove(building)
    }
    // There is no previous folder, or the file system cannot exchange two folders.
    let old = "\(path).old-\(getpid())"
    let replaces = access(path, F_OK) == 0
    if replaces, rename(path, old) != 0 { throw FileBytes.Failure("replace", path, errno) }
    guard rename(building, path) == 0 else {
      let code = errno
      if replaces { rename(old, path) }
      throw FileBytes.Failure("make", path, code)
    }
    if replaces {
      keep(old)
      Self.remove(old)
    }
  }

  /// Gives up and removes the temporary folder.
  public func abandon() { Self.remove(building) }

  /// Removes temporary folders left by processes that were killed.
  private static func removeLeftovers(of path: String) {
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let prefix = (slash.map { String(path[path.index(after: $0)...]) } ?? path) + ".making-"
    for name in RawPath.names(in: folder) ?? [] where name.hasPrefix(prefix) {
      guard let process = pid_t(name.dropFirst(prefix.count)), kill(process, 0) != 0, errno == ESRCH else {
        continue
      }
      remove("\(folder)/\(name)")
    }
  }

  static func makeFolders(_ path: String) throws {
    var sofar = path.hasPrefix("/") ? "/" : ""
    for part in path.split(separator: "/") {
      sofar += (sofar.isEmpty || sofar.hasSuffix("/") ? "" : "/") + part
      if mkdir(sofar, 0o755) != 0, errno != EEXIST { throw FileBytes.Failure("make", sofar, errno) }
    }
  }

  /// Names of the subfolders, sorted.
  public static func folders(in folder: String) -> [String] {
    (RawPath.names(in: folder) ?? []).filter { access("\(folder)/\($0)/.", F_OK) == 0 }
  }

  /// Names of the files in a folder, without hidden ones; nil if it is not a folder.
  public static func files(in folder: String) -> [String]? {
    RawPath.names(in: folder)?.filter { !$0.hasPrefix(".") && access("\(folder)/\($0)/.", F_OK) != 0 }
  }

  private static func isEmpty(_ folder: String) -> Bool { RawPath.names(in: folder)?.isEmpty ?? false }

  /// Removes a folder and its contents; symbolic links are removed, not followed.
  static func remove(_ path: String, depth: Int = 0) {
    var facts = stat()
    guard lstat(path, &facts) == 0, depth < 16 else { return }
    guard facts.st_mode & S_IFMT == S_IFDIR else {
      unlink(path)
      return
    }
    for name in RawPath.names(in: path) ?? [] { remove("\(path)/\(name)", depth: depth + 1) }
    rmdir(path)
  }
}
