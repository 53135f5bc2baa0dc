import CallModel

/// A score and the points that each cause took, in whole numbers that make 100 together.
///
/// Rounded one by one they would make 99 or 101. The score is rounded as everywhere; what is left of 100 is shared out by
/// the method of the largest remainder.
struct WholePoints {
  let score: Int
  let lost: ByCause<Int>
  /// Causes that took a point or more, the greatest first, also of those that are the same when rounded.
  let causes: [(cause: Cause, points: Int)]

  /// Nil where the two do not make 100 before they are rounded: then they are not of the same windows.
  init?(score exact: Double, lost points: ByCause<Double>) {
    let values = Cause.allCases.map { points[$0] ?? 0 }
    guard (0...100).contains(exact), values.allSatisfy({ (0...100).contains($0) }),
      abs(exact + values.reduce(0, +) - 100) < 0.01
    else { return nil }
    score = Int(exact.rounded())
    // A mean of whole numbers may lie a hair below the whole number that it is.
    let floors = values.map { ($0 + 1e-9).rounded(.down) }
    let ranked = values.indices.sorted {
      (floors[$0] - values[$0], $0) < (floors[$1] - values[$1], $1)
    }
    let rest = max(0, 100 - score - floors.reduce(0) { $0 + Int($1) })
    let raised = Set(ranked.prefix(rest))
    var whole: ByCause<Int> = [:]
    for (place, cause) in Cause.allCases.enumerated() {
      whole[cause] = Int(floors[place]) + (raised.contains(place) ? 1 : 0)
    }
    lost = whole
    causes = Cause.allCases.enumerated().sorted {
      (-values[$0.offset], $0.offset) < (-values[$1.offset], $1.offset)
    }.compactMap { entry in
      whole[entry.element].flatMap { $0 > 0 ? (cause: entry.element, points: $0) : nil }
    }
  }
}
