import Glibc

/// What went wrong with which file.
public struct FileFailure: Error, Sendable, CustomStringConvertible {
  /// `cannot write out/index.html: No space left on device`
  public let description: String
  /// Whether a file that is to be read is not there, or is none that can be read: whoever named it can mend that. Else the disk failed.
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

  /// The same of a file in another folder.
  package func placed(in folder: String, insteadOf other: String) -> FileFailure {
    path.hasPrefix(other) ? FileFailure(what, folder + path.dropFirst(other.count), code) : self
  }
}

/// Files that appear whole or not at all.
public enum WholeFile {
  /// Writes a file beside its place and moves it there; `/dev/stdout`, pipes and their like are written to as they are.
  public static func write(_ bytes: [UInt8], to path: String) throws {
    var status = stat()
    let isThere = stat(path, &status) == 0
    guard !isThere || status.st_mode & S_IFMT == S_IFREG else { return try FileBytes.write(bytes, to: path) }
    let beside = "\(path).making-\(getpid())"
    do {
      try FileBytes.write(bytes, to: beside)
    } catch let failure as FileFailure {
      unlink(beside)
      // Nobody asked for the file beside it.
      throw FileFailure("write", path, failure.code)
    }
    guard rename(beside, path) == 0 else {
      let code = errno
      unlink(beside)
      throw FileFailure("write", path, code)
    }
  }
}

/// Whole small files, read and written.
package enum FileBytes {
  package typealias Failure = FileFailure

  /// The bytes of a file of at most `atMost` bytes; a larger one fails.
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

  /// Makes a file of these bytes, and is sure that they reached it.
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
    // Moved into place before its bytes are on the disk, a file could be empty after a power cut.
    fsync(file)
    guard close(file) == 0 else { throw Failure("write", path, errno) }
  }
}
