/// What a score from 0 to 100 is called, on every page and in every list.
public enum QualityBand: Double, CaseIterable, Sendable {
  /// The least score of each.
  case bad = 0
  case poor = 40
  case mediocre = 60
  case fair = 75
  case good = 90

  /// The band of a score.
  public init(_ score: Double) {
    self = Self.allCases.last { score >= $0.rawValue } ?? .bad
  }

  /// A window, or a medium in it, under this score is a poor one.
  public static let poorBelow = QualityBand.mediocre.rawValue
  /// A call with this share of poor windows, or more, is a poor call.
  public static let poorShare = 0.1
}
