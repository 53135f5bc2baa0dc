import Glibc

/// An operation on a file that failed, with path and reason.
public struct FileFailure: Error, Sendable, CustomStringConvertible {
  /// The message, e.g. `cannot write out/index.html: No space left on device`.
  public let description: String
  /// Whether the user can fix it: a file to be read does not exist or cannot be read. Otherwise the disk failed.
  public let isUnreadable: Bool
  let code: Int32
  private let what: String
  private let path: String

  package init(_ what: String, _ path: String, _ code: Int32) {
    let remedy = what != "read" && code == ENOENT ? "; make its folder first" : ""
    description = "cannot \(what) \(path): \(String(cString: strerror(code)))\(remedy)"
    isUnreadable = what == "read" && code != EIO
    (self.what, self.path, self.code) = (what, path, code)
  }

  /// The same failure for a file in another folder.
  package func placed(in folder: String, insteadOf other: String) -> FileFailure {
    path.hasPrefix(other) ? FileFailure(what, folder + path.dropFirst(other.count), code) : self
  }
}

/// Writes files atomically.
public enum WholeFile {
  /// Writes to a temporary file next to the destination and renames it. `/dev/stdout`, pipes and other special files
  /// are written directly.
  public static func write(_ bytes: [UInt8], to path: String) throws {
    var status = stat()
    let isThere = stat(path, &status) == 0
    guard !isThere || status.st_mode & S_IFMT == S_IFREG else { return try FileBytes.write(bytes, to: path) }
    let beside = "\(path).making-\(getpid())"
    do {
      try FileBytes.write(bytes, to: beside)
    } catch let failure as FileFailure {
      unlink(beside)
      // Report the path that the user named, not the temporary file.
      throw FileFailure("write", path, failure.code)
    }
    guard rename(beside, path) == 0 else {
      let code = errno
      unlink(beside)
      throw FileFailure("write", path, code)
    }
  }
}

/// Reads and writes small files in one go.
package enum FileBytes {
  package typealias Failure = FileFailure

  /// Reads a file of at most `atMost` bytes; throws if it is larger.
  package static func read(_ path: String, atMost limit: Int = 64 << 20) throws -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw Failure("read", path, errno) }
    defer { close(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let got = Glibc.read(file, &chunk, chunk.count)
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { throw Failure("read", path, errno) }
      if got == 0 { return bytes }
      guard bytes.count + got <= limit else { throw Failure("read", path, EFBIG) }
      bytes.append(contentsOf: chunk[..<got])
    }
  }

  /// Writes a file and makes sure that the bytes reached the disk.
  package static func write(_ bytes: [UInt8], to path: String) throws {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw Failure("write", path, errno) }
    var done = 0
    while done < bytes.count {
      let wrote = bytes.withUnsafeBytes {
        Glibc.write(file, $0.baseAddress?.advanced(by: done), bytes.count - done)
      }
      if wrote < 0, errno == EINTR { continue }
      guard wrote > 0 else {
        let code = errno
        close(file)
        throw Failure("write", path, code)
      }
      done += wrote
    }
    // Without fsync the renamed file could be empty after a power failure.
    fsync(file)
    guard close(file) == 0 else { throw Failure("write", path, errno) }
  }
}
