import CallModel

/// What forgetting a person did.
public struct ForgetResult: Sendable, Equatable {
  /// Calls in which the person took part.
  public var calls = 0
  /// Texts in which the name stood besides.
  public var texts = 0

  /// Whether nothing was known of the person.
  public var isNothing: Bool { calls == 0 && texts == 0 }
}

extension Store {
  /// Removes a person, however the name is spelled: it and every id and address of the ends where they were, wherever the
  /// database has them.
  ///
  /// What was measured stays, for nothing in it says whose it was. Writes the file anew, so that no tool finds anything in
  /// space that was freed, now or by what was changed before. The sources themselves are not touched: importing them again brings the person back.
  public func forget(person: String) throws -> ForgetResult {
    try exclusive {
      try checkForeignKeys(true)
      // Freed bytes are zeroed, in the file and by the checkpoint in the log.
      try connection.execute("PRAGMA secure_delete = ON")
      let sought = Person(person)
      try connection.define(Self.without) {
        sought.removed(from: $0, leaving: Self.forgottenMark).map(Cell.text)
      }
      let forgotten = try connection.transaction {
        var calls: Set<Int64> = []
        for part in try partsOfPerson() { calls.formUnion(try forget(part: part)) }
        let texts = try replaceEverywhere()
        try Aliases(connection: connection).refresh()
        return ForgetResult(calls: calls.count, texts: texts)
      }
      try connection.execute("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")
      return forgotten
    }
  }

  /// What stands where a name was.
  static let forgottenMark = "(forgotten)"

  /// The function of SQL that gives a text without the person, or NULL of one in which they are not.
  private static let without = "without_person"

  private func partsOfPerson() throws -> [Int64] {
    try connection.rows(
      """
      SELECT connection_key FROM connections WHERE \(Self.without)(person) IS NOT NULL
      UNION SELECT connection_key FROM aliases WHERE kind = 'person' AND \(Self.without)(value) IS NOT NULL
      UNION SELECT c.connection_key FROM connections AS c JOIN endpoints AS n USING (endpoint_key)
        WHERE \(Self.without)(n.person) IS NOT NULL ORDER BY 1
      """
    ) { $0.int64(0) }
  }

  /// Strips a view of the person's end, and what the other ends say of its address.
  private func forget(part: Int64) throws -> [Int64] {
    let calls = try connection.rows(
      "SELECT call_key FROM connections WHERE connection_key = ? AND call_key IS NOT NULL", part
    ) { $0.int64(0) }
    let own = try connection.rows(
      "SELECT value FROM aliases WHERE connection_key = ? AND kind = 'address-local'", part
    ) { $0.text(0) }
    let locals = try connection.rows(
      """
      SELECT local FROM paths WHERE connection_key = ?1 AND local IS NOT NULL
      UNION SELECT local FROM streams WHERE connection_key = ?1 AND local IS NOT NULL
      """, part
    ) { $0.text(0) }
    for statement in [
      "UPDATE connections SET person = NULL, user_agent = NULL, system = NULL WHERE connection_key = ?",
      """
      UPDATE endpoints SET person = NULL, user_agent = NULL, os = NULL, relay = NULL
      WHERE endpoint_key = (SELECT endpoint_key FROM connections WHERE connection_key = ?)
      """,
      "DELETE FROM aliases WHERE connection_key = ? AND kind IN ('person', 'address-local')",
      "UPDATE paths SET local = NULL WHERE connection_key = ?",
      "UPDATE streams SET local = NULL WHERE connection_key = ?",
    ] { try connection.run(statement, part) }
    for address in Set(own + locals) {
      for call in calls { try forget(address: address, inCall: call) }
    }
    return calls
  }

  private func forget(address: String, inCall call: Int64) throws {
    let parts = "(SELECT connection_key FROM connections WHERE call_key = ?2)"
    try connection.run(
      "UPDATE paths SET remote = NULL WHERE remote = ?1 AND connection_key IN \(parts)", address, call)
    try connection.run(
      "UPDATE streams SET remote = NULL WHERE remote = ?1 AND connection_key IN \(parts)", address, call)
    try connection.run(
      "UPDATE endpoints SET far_network = NULL WHERE call_key = ?2 AND far_network = ?1",
      AddressText.network(address), call)
    try connection.run("DELETE FROM aliases WHERE value = ?1 AND connection_key IN \(parts)", address, call)
    let marked = Self.forgottenMark
    try connection.run(
      "UPDATE events SET args = replace(args, ?1, '\(marked)') WHERE connection_key IN \(parts) AND instr(args, ?1) > 0",
      address, call)
  }

  /// Replaces the person in every text of every table; gives how many rows that changed.
  private func replaceEverywhere() throws -> Int {
    var rows = 0
    let tables = try connection.rows(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    ) { $0.text(0) }
    for table in tables {
      let columns = try connection.rows(
        "SELECT name FROM pragma_table_info('\(table)') WHERE type = 'TEXT'"
      ) { $0.text(0) }
      for column in columns where !Self.words.contains(column) {
        let before = connection.changes
        try connection.run(
          """
          UPDATE OR IGNORE \(table) SET \(column) = \(Self.without)(\(column))
          WHERE \(Self.without)(\(column)) IS NOT NULL
          """)
        try removeWhatCollided(table, column)
        rows += connection.changes - before
      }
    }
    return rows
  }

  /// Two spellings may come to the same words where those must be unique: what is counted gets its number, and what only
  /// repeats a key goes.
  private func removeWhatCollided(_ table: String, _ column: String) throws {
    let isKeyOnly =
      try connection.first("SELECT wr FROM pragma_table_list(?) WHERE schema = 'main'", table)?.integer == 1
    try connection.run(
      isKeyOnly
        ? "DELETE FROM \(table) WHERE \(Self.without)(\(column)) IS NOT NULL"
        : """
        UPDATE \(table) SET \(column) = \(Self.without)(\(column)) || ' ' || rowid
        WHERE \(Self.without)(\(column)) IS NOT NULL
        """)
  }

  /// Columns that hold words of callqa's own, which a name must not touch.
  private static let words: Set<String> = [
    "kind", "status", "format", "outcome", "expected_outcome", "source", "direction", "state", "phase",
    "severity",
    "code", "event", "model", "codec", "sha256", "left_sha256", "right_sha256", "action", "named_by",
    "top_cause",
    "reason_code", "sdk",
  ]
}
