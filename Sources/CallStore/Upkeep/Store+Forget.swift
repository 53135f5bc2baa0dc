import CallModel

/// What forgetting a person did.
public struct Forgotten: Sendable, Equatable {
  /// Calls in which the person took part.
  public var calls = 0
  /// Texts in which the name stood besides.
  public var texts = 0

  /// Whether nothing was known of the person.
  public var isNothing: Bool { calls == 0 && texts == 0 }
}

extension Store {
  /// Removes a person: the name and every id and address of the ends where they were, wherever the database has them.
  ///
  /// What was measured stays, for nothing in it says whose it was. Writes the file anew, so that no tool finds anything in
  /// space that was freed, now or by what was changed before. The sources themselves are not touched: importing them again brings the person back.
  public func forget(person: String) throws -> Forgotten {
    try exclusive {
      try checkForeignKeys(true)
      // Freed bytes are zeroed, in the file and by the checkpoint in the log.
      try connection.execute("PRAGMA secure_delete = ON")
      let forgotten = try connection.transaction {
        let names = try spellings(of: person)
        var calls: Set<Int64> = []
        for part in try parts(of: names) { calls.formUnion(try forget(part: part)) }
        var forgotten = Forgotten(calls: calls.count)
        // The longest first: a name may be part of another.
        for name in names.sorted(by: { ($0.utf8.count, $0) > ($1.utf8.count, $1) }) {
          forgotten.texts += try replaceEverywhere(name)
        }
        return forgotten
      }
      try connection.execute("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")
      return forgotten
    }
  }

  /// What stands where a name was.
  static let forgottenMark = "(forgotten)"

  /// The name as given, and as the database spells it.
  private func spellings(of person: String) throws -> Set<String> {
    let known = try connection.rows(
      """
      SELECT person FROM endpoints WHERE person = ?1 COLLATE NOCASE
      UNION SELECT person FROM connections WHERE person = ?1 COLLATE NOCASE
      UNION SELECT value FROM aliases WHERE kind = 'person' AND value = ?1 COLLATE NOCASE
      """, person
    ) { $0.text(0) }
    return Set(known + [person])
  }

  private func parts(of names: Set<String>) throws -> [Int64] {
    var parts: Set<Int64> = []
    for name in names {
      parts.formUnion(
        try connection.rows(
          """
          SELECT connection_key FROM connections WHERE person = ?1
          UNION SELECT connection_key FROM aliases WHERE value = ?1 AND kind = 'person'
          UNION SELECT c.connection_key FROM connections AS c JOIN endpoints AS n USING (endpoint_key) WHERE n.person = ?1
          """, name
        ) { $0.int64(0) })
    }
    return parts.sorted()
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
      UPDATE endpoints SET person = NULL, user_agent = NULL, os = NULL
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
    try connection.run("DELETE FROM aliases WHERE value = ?1 AND connection_key IN \(parts)", address, call)
    let marked = Self.forgottenMark
    try connection.run(
      "UPDATE events SET args = replace(args, ?1, '\(marked)') WHERE connection_key IN \(parts) AND instr(args, ?1) > 0",
      address, call)
  }

  /// Replaces a name in every text of every table; gives how many rows that changed.
  private func replaceEverywhere(_ name: String) throws -> Int {
    guard !name.isEmpty else { return 0 }
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
          UPDATE OR IGNORE \(table) SET \(column) = replace(\(column), ?1, '\(Self.forgottenMark)')
          WHERE instr(\(column), ?1) > 0
          """, name)
        try removeWhatCollided(name, table, column)
        rows += connection.changes - before
      }
    }
    return rows
  }

  /// Two spellings may come to the same words where those must be unique: what is counted gets its number, and what only
  /// repeats a key goes.
  private func removeWhatCollided(_ name: String, _ table: String, _ column: String) throws {
    let isKeyOnly =
      try connection.first("SELECT wr FROM pragma_table_list(?) WHERE schema = 'main'", table)?.integer == 1
    try connection.run(
      isKeyOnly
        ? "DELETE FROM \(table) WHERE instr(\(column), ?1) > 0"
        : """
        UPDATE \(table) SET \(column) = replace(\(column), ?1, '\(Self.forgottenMark)') || ' ' || rowid
        WHERE instr(\(column), ?1) > 0
        """, name)
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
