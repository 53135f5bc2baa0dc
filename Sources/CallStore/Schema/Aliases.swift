import IO
import SQLite

/// The ids by which connections are found, and the index of their hashes.
///
/// Most ids (fingerprints, SSRCs, ufrags) are random, so an index of ids or hashes would insert each new one in a
/// different page, and importing a night into a year's database would write one page per id and commit. So new hashes
/// are collected in a small table, and moved to the large one in sorted order when there are many: each page then takes
/// dozens of them.
struct Aliases {
  let connection: Connection
  /// Number of recent hashes from which they are moved: a table of that many has about a hundred pages.
  var maxRecent = 65_536

  /// The SQL function that hashes a text.
  static let function = "alias_hash"

  /// Defines the function on a connection.
  static func define(on connection: Connection) throws {
    let hash = ShortHash()
    try connection.define(function) { .integer(Int64(hash($0))) }
  }

  /// SQL for: the row of `aliases AS a` has the id, which is a parameter or an expression.
  static func are(_ value: String) -> String {
    """
    (a.connection_key, a.hash) IN (SELECT connection_key, hash FROM alias_hashes WHERE hash = \(function)(\(value)))
      AND a.value = \(value)
    """
  }

  /// Adds an id of a connection, unless it exists.
  func add(_ kind: String, _ value: String, of key: Int64) throws {
    try connection.run(Self.insertion, key, kind, value)
  }

  private static let insertion =
    "INSERT OR IGNORE INTO aliases (connection_key, kind, value, hash) VALUES (?1, ?2, ?3, \(function)(?3))"

  /// Moves recent hashes if there are many. Part of a transaction that added some.
  func settle() throws {
    let recent = try connection.first("SELECT count(*) FROM recent_alias_hashes")?.integer ?? 0
    guard recent > maxRecent else { return }
    // The large table may already have some of them, if an id was deleted and added again.
    try connection.run(
      "INSERT OR IGNORE INTO settled_alias_hashes (hash, connection_key) SELECT hash, connection_key FROM recent_alias_hashes"
    )
    try connection.run("DELETE FROM recent_alias_hashes")
  }

  /// Recomputes the hashes of changed ids.
  func refresh() throws {
    let changed = try connection.rows(
      "SELECT connection_key, kind, value FROM aliases WHERE hash <> \(Self.function)(value)",
      body: { (key: $0.int64(0), kind: $0.text(1), value: $0.text(2)) })
    for alias in changed {
      try connection.run(
        "DELETE FROM aliases WHERE connection_key = ? AND kind = ? AND value = ?", alias.key, alias.kind,
        alias.value)
      try add(alias.kind, alias.value, of: alias.key)
    }
  }
}
