import CallModel

/// Rounds points to integers by the largest remainder method, so that they add up to `total` exactly.
///
/// Ties go to the cause that comes first in `Cause`. The result contains every cause.
public func wholePoints(_ points: ByCause<Double>, total: Int) -> ByCause<Int> {
  var whole = ByCause<Int>()
  for cause in Cause.inOrder { whole[cause] = 0 }
  let usable = points.mapValues { $0.isFinite && $0 > 0 ? $0 : 0 }
  let sum = usable.sum
  guard total > 0, sum > 0 else { return whole }

  var left = total
  var remainders = ByCause<Double>()
  for (cause, points) in usable where points > 0 {
    let exact = points / sum * Double(total)
    let floor = Int(exact.rounded(.down))
    whole[cause] = floor
    left -= floor
    remainders[cause] = exact - Double(floor)
  }
  // Fewer points are left than there are causes with points.
  while left > 0, let next = remainders.largest {
    whole[next, default: 0] += 1
    remainders[next] = nil
    left -= 1
  }
  return whole
}

extension ByCause<Double> {
  /// Sum of all values.
  var sum: Double { reduce(0) { $0 + $1.value } }

  /// The cause with the largest value; the first if several are equal.
  fileprivate var largest: Cause? {
    reduce(nil) { (best: (cause: Cause, value: Double)?, next) in
      best.map { next.value > $0.value } ?? true ? next : best
    }?.cause
  }
}
