import Glibc

/// ITU-T G.107 Annex B: mean opinion score (1 to 4.5) of a transmission rating.
///
/// The cubic dips below 1 for small R, which no opinion can: clamped.
public func opinionScore(rating r: Double) -> Double {
  guard r > 0 else { return 1 }
  guard r < 100 else { return 4.5 }
  return max(1, 1 + 0.035 * r + r * (r - 60) * (100 - r) * 7e-6)
}

/// The inverse, for 6.5 < R <= 100: the rating of a mean opinion score.
public func rating(opinionScore mos: Double) -> Double {
  guard mos > 1 else { return 0 }
  guard mos < 4.5 else { return 100 }
  let root = max(0, -903_522 + 1_113_960 * mos - 202_500 * mos * mos)
  let h = atan2(15 * sqrt(root), 18_566 - 6750 * mos) / 3
  return 20.0 / 3 * (8 - sqrt(226) * cos(h + .pi / 3))
}

/// The three scales of the E-model; figures of different scales must never be averaged or compared.
public enum OpinionScale: String, Sendable, CaseIterable {
  case narrowband = "NB"
  case wideband = "WB"
  case fullband = "FB"

  /// The rating of a perfect connection.
  public var best: Double {
    switch self {
    case .narrowband: 93.2
    case .wideband: 129
    case .fullband: 148
    }
  }

  /// What loss can take on top of the codec's own impairment.
  var lossScale: Double { self == .fullband ? 132 : 95 }

  /// By how much delay weighs more, and ratings are larger, than on the narrowband scale.
  var stretch: Double {
    switch self {
    case .narrowband: 1
    case .wideband: 1.29
    case .fullband: 1.48
    }
  }
}
