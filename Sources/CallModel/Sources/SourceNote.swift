/// Notes of readers that judging looks for.
public enum SourceNote {
  /// The note for statistics whose times have no time zone.
  public static let noZone = "times in it have no zone: taken as UTC"
}
