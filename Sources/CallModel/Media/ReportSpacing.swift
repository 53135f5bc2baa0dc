/// How far apart the reports of statistics may come.
public enum ReportSpacing {
  /// Reports further apart than this leave windows of 5 s without one of their own, ms.
  public static let closeMs = 7500.0
}
