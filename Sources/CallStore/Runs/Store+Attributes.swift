import CallModel
import SQLite

/// A row of an attributes file: a call or subnet, and its attributes.
public struct AttributeRow: Sendable, Equatable {
  /// An id by which `find` finds a call, or a subnet.
  public var subject: String
  /// Only for calls of this run.
  public var run: String?
  public var values: [CallAttribute: String]

  /// Attributes of a subject.
  public init(_ subject: String, run: String? = nil, _ values: [CallAttribute: String]) {
    (self.subject, self.run, self.values) = (subject, run, values)
  }
}

/// The result of reading an attributes file.
public struct AttributesResult: Sendable, Equatable {
  /// Calls whose attributes changed.
  public var changed: [Int64] = []
  /// Subjects that match no call, if there are calls.
  public var unmatched: [String] = []
}

extension Store {
  /// The attributes of a call.
  public func attributes(ofCall call: Int64) throws -> CallAttributes {
    try exclusive {
      var values: [CallAttribute: String] = [:]
      for (name, value) in try connection.rows(
        "SELECT name, value FROM call_attributes WHERE call_key = ?", call, body: { ($0.text(0), $0.text(1)) }
      ) {
        if let attribute = CallAttribute(rawValue: name) { values[attribute] = value }
      }
      return CallAttributes(values)
    }
  }

  /// Stores the rows of a file, replacing earlier attributes of the same subjects. Calls whose attributes change are
  /// judged again.
  public func takeAttributes(_ rows: [AttributeRow]) throws -> AttributesResult {
    try transaction {
      for row in rows {
        let run = row.run ?? ""
        try connection.run("DELETE FROM attribute_rules WHERE subject = ? AND run_id = ?", row.subject, run)
      }
      for row in rows {
        for (attribute, value) in row.values.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
          try connection.run(
            "INSERT OR REPLACE INTO attribute_rules (subject, run_id, name, value, subnet) VALUES (?, ?, ?, ?, ?)",
            row.subject, row.run ?? "", attribute.rawValue, value, Subnet(row.subject) != nil)
        }
      }
      // Including calls that no longer have any attributes.
      var calls = Set(
        try connection.rows("SELECT DISTINCT call_key FROM call_attributes", body: { $0.int64(0) }))
      var taken = AttributesResult()
      for row in rows where Subnet(row.subject) == nil {
        let known = try self.calls(known: row.subject, run: row.run)
        if known.isEmpty { taken.unmatched.append(row.subject) }
        calls.formUnion(known)
      }
      if rows.contains(where: { Subnet($0.subject) != nil }) {
        calls.formUnion(try connection.rows("SELECT call_key FROM calls", body: { $0.int64(0) }))
      }
      let rules = try AttributeRules(connection)
      for call in calls.sorted() where try rules.apply(to: call) { taken.changed.append(call) }
      for call in taken.changed {
        try connection.run(
          "UPDATE calls SET stale = 1 WHERE call_key = ? AND pruned_ms IS NULL AND outcome <> 'missing'", call
        )
      }
      let used = Set(
        try connection.rows("SELECT DISTINCT subject FROM call_attributes", body: { $0.text(0) }))
      for row in rows where Subnet(row.subject) != nil && !used.contains(row.subject) {
        taken.unmatched.append(row.subject)
      }
      return taken
    }
  }

  /// Updates the attributes of calls to be judged: new calls, and those that were regrouped.
  public func applyAttributes(toCalls calls: some Sequence<Int64>) throws {
    guard try exclusive({ try connection.first("SELECT 1 FROM attribute_rules LIMIT 1") }) != nil else {
      return
    }
    try transaction {
      let rules = try AttributeRules(connection)
      for call in calls { _ = try rules.apply(to: call) }
    }
  }

  /// Calls found by an id: their own, one of their ends', or an address.
  private func calls(known subject: String, run: String?) throws -> [Int64] {
    try connection.rows(
      """
      SELECT call_key FROM calls WHERE call_id = ?1 AND (?2 IS NULL OR run_id = ?2)
      UNION SELECT call_key FROM calls WHERE run_id || '/' || call_id = ?1 AND instr(?1, '/') > 0
      UNION SELECT c.call_key FROM aliases AS a JOIN source_views AS c USING (connection_key)
        LEFT JOIN calls AS k ON k.call_key = c.call_key
      WHERE \(Aliases.are("?1")) AND c.call_key IS NOT NULL AND (?2 IS NULL OR k.run_id = ?2)
      """, subject, run, body: { $0.int64(0) })
  }
}

/// The rules of the database, ready to be applied to its calls.
private struct AttributeRules {
  private let connection: Connection
  /// Prefix lengths of the subnets, longest first.
  private var prefixes: [Int] = []
  private var subjects: [Subnet: String] = [:]

  init(_ connection: Connection) throws {
    self.connection = connection
    let subnets = try connection.rows(
      "SELECT DISTINCT subject FROM attribute_rules WHERE subnet", body: { $0.text(0) })
    for text in subnets {
      guard let subnet = Subnet(text) else { continue }
      subjects[subnet] = text
    }
    prefixes = Set(subjects.keys.map(\.prefix)).sorted(by: >)
  }

  /// Stores the attributes of a call; returns whether they changed.
  func apply(to call: Int64) throws -> Bool {
    typealias Attribute = (value: String, subject: String)
    let run = try connection.first("SELECT run_id FROM calls WHERE call_key = ?", call)?.string ?? ""
    var found: [String: Attribute] = [:]
    for subject in try subjects(of: call) {
      let rows = try connection.rows(
        """
        SELECT name, value FROM attribute_rules WHERE subject = ? AND run_id IN ('', ?) ORDER BY run_id = ''
        """, subject, run, body: { ($0.text(0), $0.text(1)) })
      for (name, value) in rows where found[name] == nil { found[name] = (value, subject) }
    }
    var before: [String: Attribute] = [:]
    for (name, value, subject) in try connection.rows(
      "SELECT name, value, subject FROM call_attributes WHERE call_key = ?", call,
      body: { ($0.text(0), $0.text(1), $0.text(2)) })
    {
      before[name] = (value, subject)
    }
    let isSame =
      before.count == found.count
      && found.allSatisfy { name, new in
        before[name].map { $0 == new } ?? false
      }
    if isSame { return false }
    try connection.run("DELETE FROM call_attributes WHERE call_key = ?", call)
    for (name, new) in found.sorted(by: { $0.key < $1.key }) {
      try connection.run(
        "INSERT INTO call_attributes (call_key, name, value, subject) VALUES (?, ?, ?, ?)", call, name,
        new.value,
        new.subject)
    }
    return before.mapValues(\.value) != found.mapValues(\.value)
  }

  /// The keys of a call that occur in rules, the most specific first: its ids, then the subnets of its own ends, then
  /// those of the far ends.
  private func subjects(of call: Int64) throws -> [String] {
    let ids = try connection.rows(
      """
      SELECT call_id AS id, 0 AS rank FROM calls WHERE call_key = ?1
      UNION SELECT run_id || '/' || call_id, 0 FROM calls WHERE call_key = ?1 AND run_id IS NOT NULL
      UNION SELECT a.value, CASE WHEN a.kind = 'call' OR a.kind = 'former' THEN 0 WHEN a.kind LIKE 'address%' THEN 3
          WHEN a.kind = 'person' THEN 2 ELSE 1 END
        FROM source_views AS c JOIN aliases AS a USING (connection_key) WHERE c.call_key = ?1
      ORDER BY 2, 1
      """, call, body: { $0.text(0) })
    var known: [String] = []
    for id in ids
    where try connection.first("SELECT 1 FROM attribute_rules WHERE subject = ? AND NOT subnet LIMIT 1", id)
      != nil
    {
      known.append(id)
    }
    guard !prefixes.isEmpty else { return known }
    for kind in ["address-local", "address-remote"] {
      let addresses = try connection.rows(
        """
        SELECT DISTINCT a.value FROM source_views AS c JOIN aliases AS a USING (connection_key)
        WHERE c.call_key = ?1 AND a.kind = ?2 ORDER BY 1
        """, call, kind, body: { $0.text(0) })
      for prefix in prefixes {
        known += addresses.compactMap { Subnet(around: $0, prefix: prefix).flatMap { subjects[$0] } }
      }
    }
    return known
  }
}
