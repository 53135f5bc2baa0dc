/// Members of getStats without a column: stored in `extra`, a JSON object, of samples and paths.
public enum ExtraMembers {
  /// Minimum interval between values of a changing counter, ms. Stored with every sample, these counters
  /// would make a database a quarter larger, and no judgement uses them. Words and flags are stored with the
  /// sample in which they changed.
  public static let counterIntervalMs = 5000.0
}
