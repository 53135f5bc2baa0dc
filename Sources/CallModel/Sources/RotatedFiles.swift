/// Files that a recording was split into while it was written.
public enum RotatedFiles {
  /// Longest gap between two of them, ms; files further apart are separate recordings, with clocks of their
  /// own.
  public static let maxGapMs = 60_000.0
}
