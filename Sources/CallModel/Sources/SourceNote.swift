/// Notes of readers that those who judge look for.
public enum SourceNote {
  /// What is said of statistics whose times do not tell in which zone they are.
  public static let noZone = "times in it have no zone: taken as UTC"
}
