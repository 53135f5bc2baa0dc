/// Members of getStats that have no column: they stand in `extra`, a JSON object, of samples and paths.
public enum ExtraMembers {
  /// How often a counter among them that changes is told, ms. With every sample these would make a database a quarter larger, and nothing
  /// is judged by them. Words and flags are told with the sample in which they changed.
  public static let counterIntervalMs = 5000.0
}
