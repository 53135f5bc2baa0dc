/// The part of a change that some calls explain: how much of it would be gone had they moved as all other calls did.
///
/// With a share w of the candidate's calls that moved by d, others that moved by d₀, and a whole change of D, it is w·(d − d₀) / D.
/// Its interval is Fieller's (1954) for the ratio of two means that are not independent.
public struct ExplainedPart: Sendable, Equatable {
  /// 1 is all of it; more where the others moved the other way.
  public let estimate: Double
  /// Each is wrong in 5 of 100 cases; nil where the whole change is not told from chance well enough to divide by it.
  public let low: Double?
  public let high: Double?

  /// Whether the calls explain most of the change: more than half of it, and chance leaves them more than a quarter.
  ///
  /// Where they explain all of it, the others move by chance alone, and the lower end lies about half-way on nights of some hundred
  /// calls: to ask for more there would deny what is plain.
  var isMost: Bool { estimate > 0.5 && (low ?? 0) > 0.25 }

  /// Of calls inside, of all others and of all together; nil of no change at all.
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
    // All ratios r for which a − r·b is not told from nothing.
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
