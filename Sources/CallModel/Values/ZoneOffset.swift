/// How far zones are apart: by whole quarters of an hour.
public enum ZoneOffset {
  private static let quarterMs = 900_000.0

  /// The difference of two zones that is nearest to a difference of two times, ms.
  public static func nearest(toMs ms: Double) -> Double { (ms / quarterMs).rounded() * quarterMs }
}
