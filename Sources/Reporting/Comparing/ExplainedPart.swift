/// How much of a change a subset of calls explains: the part that would be gone had these calls moved like all others.
///
/// If a share w of the candidate's calls moved by d, the others by d₀, and all together by D, the part is w·(d − d₀) /
/// D. Its interval is Fieller's (1954) for the ratio of two correlated means.
public struct ExplainedPart: Sendable, Equatable {
  /// 1 means all of it; above 1 if the other calls moved the opposite way.
  public let estimate: Double
  /// Ends of the interval, each with a one-sided error rate of 5 %; nil if the overall change is not significant enough
  /// to divide by.
  public let low: Double?
  public let high: Double?

  /// Whether these calls explain most of the change: the estimate is above half and the lower end above a quarter.
  ///
  /// If they explain all of it, the others move by chance alone, and on nights of some hundred calls the lower end is
  /// around half; a higher limit would reject obvious cases.
  var isMost: Bool { estimate > 0.5 && (low ?? 0) > 0.25 }

  /// The part for calls inside, all others, and all together; nil if there was no change at all.
  init?(_ inside: MeanChange, others: MeanChange, of whole: MeanChange) {
    let all = Double(inside.calls + others.calls)
    guard whole.change != 0, all > 0 else { return nil }
    let w = Double(inside.calls) / all
    let (a, b) = (w * (inside.change - others.change), whole.change)
    estimate = a / b
    let (own, other) = (inside.error * inside.error, others.error * others.error)
    let (aa, ab, bb) = (
      w * w * (own + other), w * w * own - w * (1 - w) * other, w * w * own + (1 - w) * (1 - w) * other
    )
    // All ratios r for which a − r·b does not differ significantly from zero.
    let z = Distributions.normalQuantile(0.95)
    let (two, one, none) = (b * b - z * z * bb, a * b - z * z * ab, a * a - z * z * aa)
    let root = one * one - two * none
    guard two > 0, root >= 0 else {
      (low, high) = (nil, nil)
      return
    }
    (low, high) = ((one - root.squareRoot()) / two, (one + root.squareRoot()) / two)
  }
}
