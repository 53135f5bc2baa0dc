/// The name of a score from 0 to 100, the same in all pages and lists.
public enum QualityBand: Double, CaseIterable, Sendable {
  /// The lowest score of each band.
  case bad = 0
  case poor = 40
  case mediocre = 60
  case fair = 75
  case good = 90

  /// The band of a score.
  public init(_ score: Double) {
    self = Self.allCases.last { score >= $0.rawValue } ?? .bad
  }

  /// A window, or the sound in it, with a score below this is poor.
  public static let poorBelow = QualityBand.mediocre.rawValue
  /// The picture in a window with a score below this is poor: its score depends on size and rate too, and a small picture
  /// is not poor.
  public static let poorPictureBelow = QualityBand.poor.rawValue
  /// A call with at least this share of poor windows is poor.
  public static let poorShare = 0.1
}
