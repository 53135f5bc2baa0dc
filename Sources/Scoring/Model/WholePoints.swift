import CallModel

/// Shares out whole points by the largest remainder, so that they add up to `total` exactly.
///
/// Ties go to the cause that comes first in `Cause`. Every cause is in the result.
public func wholePoints(_ points: [Cause: Double], total: Int) -> [Cause: Int] {
  var whole = Dictionary(uniqueKeysWithValues: Cause.allCases.map { ($0, 0) })
  let usable = Cause.allCases.map { cause -> (cause: Cause, points: Double) in
    let value = points[cause] ?? 0
    return (cause, value.isFinite && value > 0 ? value : 0)
  }
  let sum = usable.reduce(0) { $0 + $1.points }
  guard total > 0, sum > 0 else { return whole }

  var given = 0
  var remainders: [(cause: Cause, remainder: Double)] = []
  for (cause, points) in usable {
    let exact = points / sum * Double(total)
    let floor = Int(exact.rounded(.down))
    whole[cause] = floor
    given += floor
    remainders.append((cause, points > 0 ? exact - Double(floor) : -1))
  }
  // A stable sort keeps the order of causes among equals.
  let byRemainder = remainders.enumerated().sorted {
    ($1.element.remainder, $0.offset) < ($0.element.remainder, $1.offset)
  }
  for (_, next) in byRemainder.prefix(max(0, total - given)) { whole[next.cause, default: 0] += 1 }
  return whole
}
