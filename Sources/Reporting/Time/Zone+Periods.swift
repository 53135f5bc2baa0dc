/// The offsets that a zone goes through.
extension Zone {
  /// Time of one offset from UTC.
  public struct Period: Equatable, Sendable {
    /// Its first moment, ms since the epoch; of the first period of a span, where the span begins.
    public var fromMs: Double
    /// Seconds east of Greenwich.
    public var offset: Int
  }

  /// The periods between two moments, in order; one at least.
  public func periods(fromMs: Double, toMs: Double) -> [Period] {
    var periods = [Period(fromMs: fromMs, offset: offset(atMs: fromMs))]
    // No zone changes its clocks twice in half a day; of a span of centuries the changes are only roughly seen.
    let step = max(43_200_000, (toMs - fromMs) / 100_000)
    var before = fromMs
    while before < toMs {
      let after = min(toMs, before + step)
      let known = periods[periods.count - 1].offset
      if offset(atMs: after) != known {
        let change = change(after: before, atLeastBy: after, from: known)
        periods.append(Period(fromMs: change, offset: offset(atMs: change)))
      }
      before = after
    }
    return periods
  }

  /// The second from which an offset is in force no more, between one at which it is and one at which it is not.
  private func change(after before: Double, atLeastBy after: Double, from known: Int) -> Double {
    var (low, high) = ((before / 1000).rounded(.down), (after / 1000).rounded(.up))
    while high - low > 1 {
      let middle = ((low + high) / 2).rounded(.down)
      if offset(atMs: middle * 1000) == known { low = middle } else { high = middle }
    }
    return high * 1000
  }
}
