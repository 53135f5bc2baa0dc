import Glibc

/// ITU-T G.107 `Idd`: what pure delay takes from conversation, in points of the transmission rating R, 0 to 50.
///
/// - Parameters:
///   - delayMs: absolute one-way delay, mouth to ear (`Ta`).
///   - sensitivity: `sT` of the delay-sensitivity class: 1 default, 0.55 low, 0.4 very low.
///   - threshold: `mT`, the delay in ms below which nothing is taken: 100, 120, 150.
public func delayImpairment(delayMs: Double, sensitivity: Double = 1, threshold: Double = 100) -> Double {
  guard delayMs > threshold, threshold > 0, sensitivity > 0 else { return 0 }
  let x = log2(delayMs / threshold)
  let n = 6 * sensitivity
  return max(0, 25 * (soft(x, n) - 3 * soft(x / 3, n) + 2))
}

/// (1 + x^n)^(1/n), without overflow for large x.
private func soft(_ x: Double, _ n: Double) -> Double {
  x <= 1 ? pow(1 + pow(x, n), 1 / n) : x * pow(1 + pow(x, -n), 1 / n)
}
