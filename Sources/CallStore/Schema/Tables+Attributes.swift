import CallModel

/// What people say that calls were for and where they came from.
enum AttributeTables {
  static let ddl = """
    CREATE TABLE attribute_rules (      -- what files of attributes said (import --attributes); outlives a re-import
      subject        TEXT NOT NULL,     -- an id of a call, or a subnet
      run_id         TEXT NOT NULL DEFAULT '',  -- only of this run; '': of every run
      name           TEXT NOT NULL,     -- queue, agent_group, carrier, trunk, tenant, site, country, role, rating
      value          TEXT NOT NULL,
      subnet         INTEGER NOT NULL DEFAULT 0,  -- 1: the subject is a subnet
      PRIMARY KEY (subject, run_id, name)
    ) WITHOUT ROWID;
    CREATE INDEX attribute_subnets ON attribute_rules (subnet) WHERE subnet;

    CREATE TABLE call_attributes (      -- what of it holds for a call: an id goes before a subnet, a small subnet before a large one
      call_key       INTEGER NOT NULL REFERENCES calls ON DELETE CASCADE,
      name           TEXT NOT NULL,
      value          TEXT NOT NULL,
      subject        TEXT NOT NULL,     -- by what the call was known
      PRIMARY KEY (call_key, name)
    ) WITHOUT ROWID;
    CREATE INDEX call_attributes_by_value ON call_attributes (name, value);
    """

  /// Calls with a column for each attribute, which a condition may name.
  static let view = """
    CREATE VIEW attributed_calls AS     -- calls, with what people said of them (import --attributes)
    SELECT k.*, \(CallAttribute.allCases.map(column).joined(separator: ",\n           "))
    FROM calls AS k
    """

  private static func column(_ attribute: CallAttribute) -> String {
    "(SELECT a.value FROM call_attributes AS a WHERE a.call_key = k.call_key AND a.name = '\(attribute.rawValue)') AS \(attribute.rawValue)"
  }
}
