import IO
import SQLite

/// The ids by which connections are found, and the hashes that lead to them.
///
/// Most ids (fingerprints, SSRCs, ufrags) are random. An index in their order, or that of their hashes, has a place of its own
/// for each new one, and a night's import into a year's database would write a page for each id of each commit. So new hashes
/// are gathered in a table that is small, and taken over into the large one when there are many, in order: a page of it then
/// takes dozens of them.
struct Aliases {
  let connection: Connection
  /// Recent hashes from which on they are taken over: a table of so many has about a hundred pages.
  var maxRecent = 65_536

  /// The function of SQL that gives the hash of a text.
  static let function = "alias_hash"

  /// Has a connection know the function.
  static func define(on connection: Connection) throws {
    let hash = ShortHash()
    try connection.define(function) { .integer(Int64(hash($0))) }
  }

  /// SQL for: the row of `aliases AS a` has that id, a parameter or an expression.
  static func are(_ value: String) -> String {
    """
    (a.connection_key, a.hash) IN (SELECT connection_key, hash FROM alias_hashes WHERE hash = \(function)(\(value)))
      AND a.value = \(value)
    """
  }

  /// Notes an id of a connection, unless that is known.
  func add(_ kind: String, _ value: String, of key: Int64) throws {
    try connection.run(
      """
      INSERT OR IGNORE INTO aliases (connection_key, kind, value, hash) VALUES (?1, ?2, ?3, \(Self.function)(?3))
      """, key, kind, value)
  }

  /// Takes recent hashes over if there are many. Part of a transaction that wrote some.
  func settle() throws {
    let recent = try connection.first("SELECT count(*) FROM recent_alias_hashes")?.integer ?? 0
    guard recent > maxRecent else { return }
    // What was known may be among them, if an id was dropped and came again.
    try connection.run(
      "INSERT OR IGNORE INTO settled_alias_hashes (hash, connection_key) SELECT hash, connection_key FROM recent_alias_hashes"
    )
    try connection.run("DELETE FROM recent_alias_hashes")
  }

  /// Makes the hashes of ids that were changed those of what they are now.
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
