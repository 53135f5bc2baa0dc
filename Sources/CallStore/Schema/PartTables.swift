/// Parts: judgements exported on one machine (`callqa extract --judgements`) for a database that collects them (`callqa
/// gather`), as table rows without samples.
public enum PartTables {
  /// Version of the file format; others are rejected.
  public static let version: Int64 = 1

  static let ddl = """
    CREATE TABLE parts (                -- judgements of other machines that were gathered
      part_key       INTEGER PRIMARY KEY,
      name           TEXT NOT NULL UNIQUE,  -- the group of calls it is of
      digest         TEXT NOT NULL,     -- SHA-256 of its rows: the same part is not taken twice
      calls          INTEGER NOT NULL,
      gathered_ms    REAL NOT NULL
    );
    CREATE TABLE part_calls (           -- which calls came with which part
      call_key       INTEGER PRIMARY KEY REFERENCES calls ON DELETE CASCADE,
      part_key       INTEGER NOT NULL REFERENCES parts ON DELETE CASCADE
    );
    CREATE INDEX part_calls_by_part ON part_calls (part_key);
    CREATE TABLE part_sources (         -- and which sources
      source_id      INTEGER PRIMARY KEY REFERENCES sources ON DELETE CASCADE,
      part_key       INTEGER NOT NULL REFERENCES parts ON DELETE CASCADE
    );
    CREATE INDEX part_sources_by_part ON part_sources (part_key)
    """

  /// The tables, parents first, with the rows to export.
  static let tables: [(name: String, condition: String, order: String)] = [
    ("runs", "1", "run_id"), ("sources", "1", "path, source_id"), ("calls", "1", "run_id, call_id, call_key"),
    ("call_attributes", "1", "call_key, name"), ("odd_clocks", "1", "call_key"),
    ("endpoints", "1", "call_key, endpoint"), ("source_views", "1", "connection_key"),
    ("streams", "1", "stream_key"), ("paths", "1", "path_key"), ("setups", "1", "endpoint_key, attempt"),
    ("phases", "1", "endpoint_key, attempt, phase"),
    ("windows", "chosen", "endpoint_key, model, source, window_index"),
    ("findings", "1", "finding_key"), ("spans", "1", "span_key"), ("fates", "1", "fate_key"),
    ("impairments", "1", "impairment_key"),
    // Only the events used by reports.
    ("events", "event GLOB 'session.*' OR event GLOB 'token.*' OR event GLOB 'push.*'", "event_key"),
    ("rejects", "1", "source_id, reject_index"), ("notes", "1", "source_id, note"),
  ]

  /// Columns that are not exported: checksums are of samples, and the median time of a run depends on all its calls.
  static let staying: Set<String> = ["sample_checksum", "middle_ms"]

  /// Columns with row keys, which each database assigns.
  static let keys: Set<String> = [
    "source_id", "call_key", "endpoint_key", "connection_key", "stream_key", "path_key", "finding_key",
    "span_key", "fate_key", "impairment_key",
    "event_key",
  ]
}
