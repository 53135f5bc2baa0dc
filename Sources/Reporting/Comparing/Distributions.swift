import Glibc

/// Quantiles for intervals, computed rather than looked up in tables.
enum Distributions {
  /// Quantile of Student's t with the given degrees of freedom.
  static func studentQuantile(_ probability: Double, degrees: Double) -> Double {
    if probability < 0.5 { return -studentQuantile(1 - probability, degrees: degrees) }
    guard probability < 1, degrees >= 1 else { return .infinity }
    let tail = 2 * (1 - probability)
    let x = betaQuantile(tail, degrees / 2, 0.5)
    return x > 0 ? (degrees * (1 - x) / x).squareRoot() : .infinity
  }

  /// Quantile of the standard normal distribution. By the error function, as a scan asks for thousands.
  static func normalQuantile(_ probability: Double) -> Double {
    if probability < 0.5 { return -normalQuantile(1 - probability) }
    guard probability < 1 else { return .infinity }
    return root(in: 0...40) { erfc($0 / 2.0.squareRoot()) / 2 > 1 - probability }
  }

  /// Quantile of the beta distribution.
  static func betaQuantile(_ probability: Double, _ a: Double, _ b: Double) -> Double {
    root(in: 0...1) { betaShare($0, a, b) < probability }
  }

  /// Where a condition that holds at first ceases to hold, by bisection to double precision.
  private static func root(in range: ClosedRange<Double>, _ isBelow: (Double) -> Bool) -> Double {
    var (low, high) = (range.lowerBound, range.upperBound)
    while true {
      let middle = (low + high) / 2
      guard middle > low, middle < high else { return middle }
      if isBelow(middle) { low = middle } else { high = middle }
    }
  }

  /// Regularised incomplete beta function I_x(a, b), by Lentz's continued fraction (Numerical Recipes, 6.4).
  static func betaShare(_ x: Double, _ a: Double, _ b: Double) -> Double {
    if x <= 0 { return 0 }
    if x >= 1 { return 1 }
    let front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x))
    return x < (a + 1) / (a + b + 2) ? front * fraction(x, a, b) / a : 1 - front * fraction(1 - x, b, a) / b
  }

  private static func fraction(_ x: Double, _ a: Double, _ b: Double) -> Double {
    let tiny = 1e-300
    var c = 1.0
    var d = 1 / notZero(1 - (a + b) * x / (a + 1), tiny)
    var result = d
    for step in 1...300 {
      let m = Double(step)
      let even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
      d = 1 / notZero(1 + even * d, tiny)
      c = notZero(1 + even / c, tiny)
      result *= d * c
      let odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
      d = 1 / notZero(1 + odd * d, tiny)
      c = notZero(1 + odd / c, tiny)
      let change = d * c
      result *= change
      if abs(change - 1) < 1e-12 { break }
    }
    return result
  }

  private static func notZero(_ value: Double, _ tiny: Double) -> Double {
    abs(value) < tiny ? tiny : value
  }
}
