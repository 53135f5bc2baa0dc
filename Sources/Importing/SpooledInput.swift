import CallModel
import Glibc
import IO

/// A path that can be read twice (first for the digest, then for records): standard input is copied to an unnamed file,
/// which disappears however the process ends.
struct SpooledInput {
  let path: RawPath
  private let spool: Int32?

  init(_ path: RawPath) throws {
    let isInput = path == RawPath("-")
    spool = isInput ? try Self.spool() : nil
    self.path = spool.map { RawPath("/proc/self/fd/\($0)") } ?? path
  }

  func remove() {
    if let spool { close(spool) }
  }

  private static func spool() throws -> Int32 {
    guard let file = UnnamedFile.open() else { throw SourceError.system(errno) }
    do {
      try copyInput(to: file)
      return file
    } catch {
      close(file)
      throw error
    }
  }

  private static func copyInput(to file: Int32) throws {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let got = read(STDIN_FILENO, &buffer, buffer.count)
      if got == 0 { return }
      if got < 0, errno == EINTR { continue }
      guard got > 0 else { throw SourceError.system(errno) }
      var done = 0
      while done < got {
        let wrote = buffer.withUnsafeBytes { write(file, $0.baseAddress?.advanced(by: done), got - done) }
        guard wrote > 0 else { throw SourceError.system(wrote < 0 ? errno : ENOSPC) }
        done += wrote
      }
    }
  }
}
