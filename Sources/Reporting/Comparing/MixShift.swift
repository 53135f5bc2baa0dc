/// A change that is another mix of calls: each value of a trait is as before, but other shares of the calls have them.
struct MixShift: Sendable {
  let dimension: String
  /// The value with the largest part in it, and the share of the calls that has it now and had it before.
  let value: String
  let share: Double
  let shareBefore: Double
  /// What the other mix alone does to the figure's mean, and what is left within the values.
  let part: Double
  let rest: Double
  /// Standard errors that the part is from nothing.
  let errors: Double

  /// Nil unless the mix is beyond chance and at least half of the whole change.
  ///
  /// The baseline's mean of each value is weighted once with the shares of now and once with those of before; what is new, or
  /// has too few calls before to have a mean worth the name, is taken to be like all calls of before.
  init?(_ dimension: String, _ now: Split, _ before: Split, _ whole: MeanChange, _ figure: Figure) {
    let (calls, callsBefore) = (now.all, before.all)
    guard before.values.count > 1, callsBefore.count > before.values.count, let overall = callsBefore.mean,
      calls.count * 2 > whole.calls
    else { return nil }
    let squares = before.values.sorted { $0.key < $1.key }
      .reduce(0) { $0 + ($1.value.variance ?? 0) * Double($1.value.count - 1) }
    let variance = squares / Double(callsBefore.count - before.values.count)
    var (part, noise, own, other) = (0.0, 0.0, (sum: 0.0, squares: 0.0), (sum: 0.0, squares: 0.0))
    var furthest: (value: String, share: Double, before: Double, part: Double)?
    for (value, known) in before.values.sorted(by: { $0.key < $1.key })
    where known.count >= MeanChange.fewestToTell {
      let share = Double(now.values[value]?.count ?? 0) / Double(calls.count)
      let shareBefore = Double(known.count) / Double(callsBefore.count)
      let level = (known.mean ?? overall) - overall
      let gained = share - shareBefore
      part += gained * level
      noise += gained * gained * variance / Double(known.count)
      own = (own.sum + share * level, own.squares + share * level * level)
      other = (other.sum + shareBefore * level, other.squares + shareBefore * level * level)
      if gained * level * whole.change > 0, abs(gained * level) > abs(furthest?.part ?? 0) {
        furthest = (value, share, shareBefore, gained * level)
      }
    }
    noise += max(0, own.squares - own.sum * own.sum) / Double(calls.count)
    noise += max(0, other.squares - other.sum * other.sum) / Double(callsBefore.count)
    let errors = abs(part) / max(noise.squareRoot(), figure.leastError)
    guard let furthest, errors > Comparison.concentrationErrors, part * whole.change > 0,
      abs(part) * 2 >= abs(whole.change)
    else { return nil }
    self.dimension = dimension
    (value, share, shareBefore) = (furthest.value, furthest.share, furthest.before)
    (self.part, rest, self.errors) = (part, whole.change - part, errors)
  }
}
