import Bytes
import CallModel
import Glibc

/// A path that can be read twice (digest first, then records): standard input is copied to a file of its own.
struct SpooledInput {
  let path: String
  private let isSpool: Bool

  init(_ path: String) throws {
    isSpool = path == "-"
    self.path = isSpool ? try Self.spool() : path
  }

  func remove() {
    if isSpool { unlink(path) }
  }

  private static func spool() throws -> String {
    let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array((folder + "/callqa-XXXXXX").utf8CString)
    let file = mkstemp(&template)
    guard file >= 0 else { throw SourceError.system(errno) }
    defer { close(file) }
    let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let got = read(STDIN_FILENO, &buffer, buffer.count)
      if got == 0 { return path }
      guard got > 0, write(file, buffer, got) == got else {
        let error = SourceError.system(errno)
        unlink(path)
        throw error
      }
    }
  }
}
