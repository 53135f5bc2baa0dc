/// How far apart statistics reports may be.
public enum ReportSpacing {
  /// Reports further apart than this leave some 5 s windows without a report, ms.
  public static let closeMs = 7500.0
}
