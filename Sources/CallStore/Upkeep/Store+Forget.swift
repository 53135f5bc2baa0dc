import CallModel

/// The result of forgetting a person.
public struct ForgetResult: Sendable, Equatable {
  /// Calls with the person as a participant.
  public var calls = 0
  /// Other texts that contained the name.
  public var texts = 0
  /// Names, numbers and URIs of people in which it occurred, as they were spelled, sorted.
  public var names: [String] = []

  /// Whether nothing was found.
  public var isNothing: Bool { calls == 0 && texts == 0 }
}

extension Store {
  /// Removes a person in every spelling: all texts with the name, and all ids and addresses of the person's ends,
  /// anywhere in the database.
  ///
  /// Measurements stay, as they do not identify anyone. Rewrites the file, so that nothing can be recovered from free
  /// space, now or from earlier changes. The sources themselves are not changed: importing them again restores the
  /// person.
  ///
  /// - Parameter trial: run all of it, return the result, and roll back.
  public func forget(person: String, trial: Bool = false) throws -> ForgetResult {
    do {
      return try forgetting(person, trial)
    } catch let trial as Trial {
      return trial.result
    }
  }

  /// Rolls back a transaction that was only a trial.
  private struct Trial: Error { let result: ForgetResult }

  private func forgetting(_ person: String, _ isTrial: Bool) throws -> ForgetResult {
    try exclusive {
      try checkForeignKeys(true)
      // Freed bytes are overwritten with zeros, in the file and by the checkpoint in the log.
      try connection.execute("PRAGMA secure_delete = ON")
      let sought = Person(person)
      try connection.define(Self.without) {
        sought.removed(from: $0, leaving: Self.forgottenMark).map(Cell.text)
      }
      let forgotten = try connection.transaction {
        let names = try namesOfPerson()
        var calls: Set<Int64> = []
        for part in try partsOfPerson() { calls.formUnion(try forget(part: part)) }
        let texts = try replaceEverywhere()
        try Aliases(connection: connection).refresh()
        let forgotten = ForgetResult(calls: calls.count, texts: texts, names: names)
        if isTrial { throw Trial(result: forgotten) }
        return forgotten
      }
      try connection.execute("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")
      return forgotten
    }
  }

  /// Replaces a name.
  static let forgottenMark = "(forgotten)"

  /// The SQL function that returns a text without the person, or NULL if the person is not in it.
  private static let without = "without_person"

  private func partsOfPerson() throws -> [Int64] {
    try connection.rows(
      """
      SELECT connection_key FROM source_views WHERE \(Self.without)(person) IS NOT NULL
      UNION SELECT connection_key FROM aliases WHERE kind = 'person' AND \(Self.without)(value) IS NOT NULL
      UNION SELECT c.connection_key FROM source_views AS c JOIN endpoints AS n USING (endpoint_key)
        WHERE \(Self.without)(n.person) IS NOT NULL ORDER BY 1
      """
    ) { $0.int64(0) }
  }

  private func namesOfPerson() throws -> [String] {
    try connection.rows(
      """
      SELECT person FROM source_views WHERE \(Self.without)(person) IS NOT NULL
      UNION SELECT value FROM aliases WHERE kind = 'person' AND \(Self.without)(value) IS NOT NULL
      UNION SELECT person FROM endpoints WHERE \(Self.without)(person) IS NOT NULL ORDER BY 1
      """
    ) { $0.text(0) }
  }

  /// Removes the identifiers of the person's end, and its address at the other ends.
  private func forget(part: Int64) throws -> [Int64] {
    let calls = try connection.rows(
      "SELECT call_key FROM source_views WHERE connection_key = ? AND call_key IS NOT NULL", part
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
      "UPDATE source_views SET person = NULL, user_agent = NULL, system = NULL WHERE connection_key = ?",
      """
      UPDATE endpoints SET person = NULL, user_agent = NULL, os = NULL, relay = NULL
      WHERE endpoint_key = (SELECT endpoint_key FROM source_views WHERE connection_key = ?)
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
    let parts = "(SELECT connection_key FROM source_views WHERE call_key = ?2)"
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

  /// Replaces the person in all texts of all tables; returns the number of changed rows.
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

  /// Two spellings may become equal where values must be unique: counted rows get a number, and other duplicate keys
  /// are deleted.
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

  /// Columns with callqa's own words, which must not be replaced.
  private static let words: Set<String> = [
    "kind", "status", "format", "outcome", "expected_outcome", "source", "direction", "state", "phase",
    "severity",
    "code", "event", "model", "codec", "sha256", "left_sha256", "right_sha256", "action", "named_by",
    "top_cause",
    "reason_code", "sdk",
  ]
}
