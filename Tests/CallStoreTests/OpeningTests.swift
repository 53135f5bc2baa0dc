import CallModel
import CSQLite
import Foundation
import Glibc
import Testing

@testable import CallStore
@testable import SQLite

@Suite("Opening a database")
struct OpeningTests {
  let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("calls.sqlite")
  }

  @Test("reading a missing file does not create it")
  func readingCreatesNothing() {
    let error = #expect(throws: StoreError.self) { try Store(path: path, access: .read) }
    #expect(error?.kind == .missing)
    #expect(folder.names.isEmpty)
  }

  @Test("reading leaves no files behind, even with several readers")
  func readingLeavesNothing() throws {
    try Store(path: path, access: .write).finishImport()
    #expect(folder.names == ["calls.sqlite"])
    do {
      let stores = try (0..<3).map { _ in try Store(path: path, access: .read) }
      for store in stores { _ = try store.query("SELECT count(*) FROM calls") }
      #expect(stores.count == 3)
    }
    #expect(folder.names == ["calls.sqlite"])
  }

  @Test(
    "reading changes nothing",
    arguments: ["UPDATE calls SET sdk = ''", "DELETE FROM calls", "CREATE TABLE t (a)"])
  func readingChangesNothing(sql: String) throws {
    _ = try Store(path: path, access: .write)
    let store = try Store(path: path, access: .read)
    #expect(throws: StoreError.self) { try store.query(sql) }
    #expect(throws: StoreError.self) { try store.connection.execute(sql) }
  }

  @Test("a new file is private to its owner, unless a mode is given", arguments: [UInt16(0o600), 0o640])
  func mode(mode: UInt16) throws {
    let store = try Store(path: path, access: .write, mode: mode)
    try store.write(.named("a"), writeSmallSource)
    for name in folder.names {
      var status = stat()
      stat(folder.file(name), &status)
      #expect(status.st_mode & 0o777 == mode_t(mode), "\(name)")
    }
  }

  @Test("a file that is not a database is rejected unchanged")
  func notADatabase() throws {
    let text = Array(String(repeating: "not a database ", count: 100).utf8)
    try write(text)
    for access in [Store.Access.read, .write] {
      let error = #expect(throws: StoreError.self) { try Store(path: path, access: access) }
      #expect(error?.kind == .notADatabase)
    }
  }

  @Test("a database of another program is rejected")
  func foreign() throws {
    let other = try Connection(path: path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
    try other.execute("CREATE TABLE recipes (name)")
    for access in [Store.Access.read, .write] {
      let error = #expect(throws: StoreError.self) { try Store(path: path, access: access) }
      #expect(error?.kind == .notADatabase)
    }
  }

  @Test("a folder, and a missing parent folder, are named in the error")
  func folders() throws {
    let error = #expect(throws: StoreError.self) { try Store(path: folder.path, access: .write) }
    #expect(error?.what == "this is a folder")
    let nowhere = #expect(throws: StoreError.self) { try Store(path: "\(path)/x/y", access: .write) }
    #expect(nowhere?.kind == .cannotOpen)
  }

  @Test("an empty file becomes a database; names special to SQLite are plain names")
  func oddNames() throws {
    try write([])
    _ = try Store(path: path, access: .write)
    let odd = folder.file(":memory: ?%41#'.sqlite")
    try Store(path: odd, access: .write).write(.named("a"), writeSmallSource)
    #expect(try Store(path: odd, access: .read).count("sources") == 1)
    #expect(folder.names.contains(":memory: ?%41#'.sqlite"))
  }

  @Test("pruned space can be freed: set before the first table")
  func autoVacuum() throws {
    let store = try Store(path: path, access: .write)
    #expect(try store.connection.first("PRAGMA auto_vacuum") == .integer(2))
    #expect(try store.connection.first("PRAGMA foreign_keys") == .integer(1))
  }

  @Test("a new file is filled without a log, and gets one when others read")
  func log() throws {
    let store = try Store(path: path, access: .write)
    try store.write(.named("a"), writeSmallSource)
    #expect(!folder.names.contains("calls.sqlite-wal"))
    #expect(try store.reader().count("sources") == 1)
    #expect(try store.connection.keepsLog())
    let again = folder.file("again.sqlite")
    _ = try Store(path: again, access: .write)
    #expect(try Store(path: again, access: .write).connection.keepsLog())
  }

  @Test("an interrupted first import is rolled back when the file is next opened")
  func cutOff() throws {
    let store = try Store(path: path, access: .write)
    try store.connection.execute(
      """
      PRAGMA cache_size = 1; BEGIN IMMEDIATE;
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
      INSERT INTO runs (run_id) SELECT 'run ' || i FROM n
      """)
    for access in [Store.Access.read, .write] {
      // As the disk has it when the process dies here.
      let left = folder.file("left-\(access).sqlite")
      for ending in ["", "-journal"] {
        try FileManager.default.copyItem(atPath: path + ending, toPath: left + ending)
      }
      let opened = try Store(path: left, access: access)
      #expect(try opened.count("runs") == 0)
      #expect(try opened.connection.first("PRAGMA integrity_check") == .text("ok"))
    }
    store.connection.rollBack()
  }

  @Test("a held lock is waited for, reported once, and then an error")
  func busy() throws {
    let first = try Store(path: path, access: .write)
    let messages = Messages()
    let second = try Store(path: path, access: .write, patience: 1.3, onWait: messages.add)
    try first.connection.execute("BEGIN IMMEDIATE")
    let error = #expect(throws: StoreError.self) { try second.write(.named("a"), writeSmallSource) }
    #expect(error?.kind == .busy)
    #expect(messages.sentences.count == 1)
    try first.connection.execute("COMMIT")
    try second.write(.named("a"), writeSmallSource)
    #expect(try first.count("sources") == 1)
  }

  private func write(_ bytes: [UInt8]) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
    defer { close(descriptor) }
    guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
      throw TestFailure("cannot write")
    }
  }
}

/// What a store said while it waited.
final class Messages: @unchecked Sendable {
  private(set) var sentences: [String] = []
  @Sendable func add(_ sentence: String) { sentences.append(sentence) }
}
