import Testing

@testable import SQLite

@Suite("A large statement in a transaction")
struct LargeStatementTests {
  /// What it may have to take back waits in memory and then goes into a file, which must not look like a full disk.
  @Test("succeeds for any number of changed pages", arguments: [3, 14, 16, 90, 127, 129, 300])
  func manyPages(pages: Int) throws {
    let folder = try TemporaryFolder()
    let connection = try Connection(path: folder.file("x.sqlite"), flags: 0x0000_0002 | 0x0000_0004)
    try connection.execute(
      """
      PRAGMA page_size = 8192;
      CREATE TABLE t (number INTEGER CHECK (number < 2), text BLOB);
      WITH RECURSIVE n (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM n WHERE n < \(pages))
      INSERT INTO t SELECT 0, zeroblob(6000) FROM n;
      """)
    try connection.transaction {
      try connection.run("UPDATE t SET number = 1 WHERE rowid = 1")
      try connection.run("UPDATE t SET number = number + 1 WHERE number = 0")
      // The last row breaks the rule of the table: all before it is taken back.
      let error = #expect(throws: StoreError.self) {
        try connection.run("UPDATE t SET number = CASE WHEN rowid = ? THEN 2 ELSE 0 END", pages)
      }
      #expect(error?.kind == .rule)
    }
    #expect(try connection.first("SELECT sum(number) FROM t") == .integer(Int64(pages)))
  }
}
