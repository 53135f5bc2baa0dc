/// Differences between time zones, which are multiples of a quarter of an hour.
public enum ZoneOffset {
  private static let quarterMs = 900_000.0

  /// The zone difference nearest to a difference of two times, ms.
  public static func nearest(toMs ms: Double) -> Double { (ms / quarterMs).rounded() * quarterMs }
}
