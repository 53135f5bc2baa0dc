import Glibc
import Testing

@testable import SQLite

@Suite("The write-ahead log is checkpointed on another thread")
struct CheckpointerTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open() throws -> Connection {
    let connection = try Connection(
      path: folder.file("x.sqlite"), flags: 0x0000_0002 | 0x0000_0004)
    try connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
    return connection
  }

  private func size(_ name: String) -> Int {
    var status = stat()
    return stat(folder.file(name), &status) == 0 ? Int(status.st_size) : 0
  }

  @Test("it grows to at most a few times its limit, and nothing is lost")
  func bounded() throws {
    let pages = 64
    var writer: Connection? = try open()
    try writer?.execute("CREATE TABLE t (number INTEGER, text TEXT)")
    var longest = 0
    do {
      let connection = try #require(writer)
      let checkpointer = Checkpointer(of: connection, pages: pages) { try open() }
      try withExtendedLifetime(checkpointer) {
        for number in 0..<3000 {
          try connection.run("INSERT INTO t VALUES (?, ?)", number, String(repeating: "x", count: 3000))
          longest = max(longest, size("x.sqlite-wal"))
        }
      }
    }
    #expect(longest > pages * 4096, "it was emptied too early")
    #expect(longest < pages * 4 * 4200 + 100_000, "it grew to \(longest) bytes")
    #expect(size("x.sqlite") > 4 << 20, "nothing was moved while there was writing")
    writer = nil
    #expect(folder.names == ["x.sqlite"])
    let reader = try open()
    #expect(try reader.first("SELECT count(*) || ' ' || sum(number) FROM t")?.string == "3000 4498500")
    #expect(try reader.first("PRAGMA integrity_check")?.string == "ok")
  }

  @Test("the log is kept while an old snapshot is read, and emptied afterwards")
  func reader() throws {
    let writer = try open()
    try writer.execute("CREATE TABLE t (number INTEGER, text TEXT); PRAGMA wal_checkpoint")
    let reader = try open()
    try reader.execute("BEGIN; SELECT count(*) FROM t")
    func write() throws {
      for number in 0..<400 {
        try writer.run("INSERT INTO t VALUES (?, ?)", number, String(repeating: "x", count: 3000))
      }
    }
    do {
      let checkpointer = Checkpointer(of: writer, pages: 32) { try open() }
      try withExtendedLifetime(checkpointer) {
        try write()
        #expect(size("x.sqlite") < 100_000, "what somebody still reads was written over")
        #expect(try reader.first("SELECT count(*) FROM t")?.integer == 0)
        try reader.execute("COMMIT")
        try write()
      }
    }
    #expect(size("x.sqlite") > 1_000_000, "nothing was moved when he was done")
    #expect(try reader.first("SELECT count(*) FROM t")?.integer == 800)
  }
}
