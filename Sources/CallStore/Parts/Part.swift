import CallModel

/// What one source says of one end, before and after grouping found its call: a row of table `connections`.
public struct Part: Sendable {
  public var key: Int64
  public var source: Int64
  public var call: Int64?
  public var endpoint: Int64?
  /// Not an end, but what the source says of no end in particular.
  public var isWhole: Bool
  public var facts: ConnectionFacts
  public var firstMs: Double?
  public var lastMs: Double?
}

extension Store {
  /// Parts that belong to no call yet.
  func ungroupedParts() throws -> [Part] { try parts("WHERE call_key IS NULL", []) }

  /// The parts of a source.
  func parts(ofSource source: Int64) throws -> [Part] { try parts("WHERE source_id = ?", [source]) }

  /// The parts of a call.
  func parts(ofCall call: Int64) throws -> [Part] { try parts("WHERE call_key = ?", [call]) }

  /// Parts that share an identifier.
  func parts(withAlias kind: IdentityKind, _ value: String) throws -> [Part] {
    try parts(
      "WHERE connection_key IN (SELECT connection_key FROM aliases WHERE value = ? AND kind = ?)",
      [value, kind.rawValue])
  }

  /// Makes a call and gives its key.
  func insertCall(id: String, run: String?) throws -> Int64 {
    try exclusive {
      try connection.run("INSERT INTO calls (call_id, run_id) VALUES (?, ?)", id, run)
      return connection.lastInsertedKey
    }
  }

  /// Makes an end of a call and gives its key.
  func insertEndpoint(call: Int64, name: String) throws -> Int64 {
    try exclusive {
      try connection.run("INSERT INTO endpoints (call_key, endpoint) VALUES (?, ?)", call, name)
      return connection.lastInsertedKey
    }
  }

  /// Puts a part into a call and one of its ends; the calls it leaves and enters become stale.
  func assign(part: Int64, call: Int64?, endpoint: Int64?) throws {
    try exclusive {
      try connection.run(
        "UPDATE connections SET call_key = ?, endpoint_key = ? WHERE connection_key = ?", call, endpoint, part
      )
    }
  }

  private func parts(_ condition: String, _ values: [any CellConvertible]) throws -> [Part] {
    try exclusive {
      let statement = try connection.prepare(
        """
        SELECT connection_key, source_id, call_key, endpoint_key, whole, name, endpoint, call, sdk, sdk_version,
          direction, person, user_agent, system, first_ms, last_ms FROM connections \(condition) ORDER BY connection_key
        """)
      for (index, value) in values.enumerated() { statement.bind(Int32(index + 1), value.cell) }
      var parts: [Part] = []
      while try statement.step() { parts.append(try part(statement)) }
      return parts
    }
  }

  private func part(_ row: Statement) throws -> Part {
    var facts = ConnectionFacts()
    facts.name = row.optionalText(5)
    facts.endpoint = row.optionalText(6)
    facts.call = row.optionalText(7)
    facts.sdk = row.optionalText(8)
    facts.sdkVersion = row.optionalText(9)
    facts.direction = row.optionalText(10).flatMap(CallDirection.init)
    facts.person = row.optionalText(11)
    facts.userAgent = row.optionalText(12)
    facts.system = row.optionalText(13)
    let identities = try connection.rows(
      "SELECT kind, value FROM aliases WHERE connection_key = ?", row.int64(0)
    ) {
      alias in
      IdentityKind(rawValue: alias.text(0)).map { Identity($0, alias.text(1)) }
    }
    facts.identities = Set(identities.compactMap { $0 })
    return Part(
      key: row.int64(0), source: row.int64(1), call: row.optionalInt64(2), endpoint: row.optionalInt64(3),
      isWhole: row.int64(4) != 0, facts: facts, firstMs: row.optionalDouble(14),
      lastMs: row.optionalDouble(15))
  }
}
