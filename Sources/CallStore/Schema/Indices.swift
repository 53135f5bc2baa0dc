/// Indices that imports do not need: created after the first bulk load, and maintained from then on.
enum Indices {
  static let deferred = """
    CREATE INDEX IF NOT EXISTS calls_by_start ON calls (started_ms);
    CREATE INDEX IF NOT EXISTS calls_by_sdk ON calls (sdk, scenario);
    CREATE INDEX IF NOT EXISTS findings_by_code ON findings (code);
    """
}
