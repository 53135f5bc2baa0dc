import Glibc

/// A folder in the temporary folder that is removed with its files: by its owner or, if that was killed, by the next
/// process that looks for such folders.
///
/// Its owner keeps it locked, so a folder that can be locked has none.
public final class LockedFolder {
  public let path: RawPath
  private let descriptor: Int32
  private static let prefix = "callqa-unpacked-"

  /// Makes a new one; nil, with the reason in `errno`, if that fails.
  public init?() {
    while true {
      // mkdtemp replaces the X with an unused name.
      var template = Array((UnnamedFile.folder + "/\(Self.prefix)XXXXXX").utf8CString)
      guard mkdtemp(&template) != nil else { return nil }
      let path = RawPath(bytes: template.dropLast().map { UInt8(bitPattern: $0) })
      if let descriptor = Self.locked(path) {
        (self.path, self.descriptor) = (path, descriptor)
        return
      }
      // Another process removed it before it was locked.
      guard path.withCString({ access($0, F_OK) }) != 0 else { return nil }
    }
  }

  deinit { close(descriptor) }

  /// Removes it with its files.
  public func remove() { Self.remove(path) }

  /// Removes folders of this user whose process is gone.
  public static func removeAbandoned() {
    let folder = RawPath(UnnamedFile.folder)
    for name in folder.entries ?? []
    where name.starts(with: prefix.utf8) && name.count == prefix.utf8.count + 6 {
      let path = folder.appending(name)
      guard let descriptor = locked(path) else { continue }
      remove(path)
      close(descriptor)
    }
  }

  private static func remove(_ path: RawPath) {
    for name in path.entries ?? [] { _ = path.appending(name).withCString { unlink($0) } }
    _ = path.withCString { rmdir($0) }
  }

  /// The open folder, locked; nil if it is no folder of this user, is locked, or is no longer there.
  private static func locked(_ path: RawPath) -> Int32? {
    let descriptor = path.withCString { open($0, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) }
    guard descriptor >= 0 else { return nil }
    var (opened, named) = (stat(), stat())
    guard fstat(descriptor, &opened) == 0, opened.st_uid == geteuid(),
      flock(descriptor, LOCK_EX | LOCK_NB) == 0,
      path.withCString({ lstat($0, &named) }) == 0, named.st_ino == opened.st_ino
    else {
      close(descriptor)
      return nil
    }
    return descriptor
  }
}
