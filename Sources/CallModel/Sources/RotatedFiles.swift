/// Files that one recording was cut into as it went on.
public enum RotatedFiles {
  /// Longest gap between two of them, ms; what lies further apart is another witness with another clock.
  public static let maxGapMs = 60_000.0
}
