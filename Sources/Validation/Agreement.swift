/// How well figures agree with the truth: correlation, order, and error after a straight line was fitted.
public struct Agreement: Sendable, Equatable {
  public var count: Int
  /// Pearson's r and Spearman's rho; nil where one side does not vary.
  public var r: Double?
  public var rho: Double?
  /// Root mean square error after the fit, in the truth's unit.
  public var error: Double

  /// Compares pairs of (figure, truth); nil for fewer than three.
  public init?(_ pairs: [(figure: Double, truth: Double)]) {
    guard pairs.count >= 3 else { return nil }
    count = pairs.count
    let figures = pairs.map(\.figure)
    let truths = pairs.map(\.truth)
    r = correlation(figures, truths)
    rho = correlation(ranks(figures), ranks(truths))
    let line = Line(pairs)
    error = (pairs.reduce(0) { $0 + square(line.at($1.figure) - $1.truth) } / Double(pairs.count))
      .squareRoot()
  }
}

/// The straight line of least squares.
struct Line {
  let slope: Double
  let start: Double

  init(_ pairs: [(figure: Double, truth: Double)]) {
    let count = Double(max(1, pairs.count))
    let meanFigure = pairs.reduce(0) { $0 + $1.figure } / count
    let meanTruth = pairs.reduce(0) { $0 + $1.truth } / count
    let spread = pairs.reduce(0) { $0 + square($1.figure - meanFigure) }
    let shared = pairs.reduce(0) { $0 + ($1.figure - meanFigure) * ($1.truth - meanTruth) }
    slope = spread > 0 ? shared / spread : 0
    start = meanTruth - slope * meanFigure
  }

  func at(_ figure: Double) -> Double { start + slope * figure }
}

func square(_ value: Double) -> Double { value * value }

/// Pearson's r; nil where one side does not vary.
func correlation(_ a: [Double], _ b: [Double]) -> Double? {
  let count = Double(a.count)
  guard count > 1, a.count == b.count else { return nil }
  let meanA = a.reduce(0, +) / count
  let meanB = b.reduce(0, +) / count
  var shared = 0.0
  var spreadA = 0.0
  var spreadB = 0.0
  for (x, y) in zip(a, b) {
    shared += (x - meanA) * (y - meanB)
    spreadA += square(x - meanA)
    spreadB += square(y - meanB)
  }
  guard spreadA > 1e-12, spreadB > 1e-12 else { return nil }
  return shared / (spreadA * spreadB).squareRoot()
}

/// Ranks from 1; equal values share the mean of theirs.
func ranks(_ values: [Double]) -> [Double] {
  let order = values.indices.sorted { (values[$0], $0) < (values[$1], $1) }
  var ranks = [Double](repeating: 0, count: values.count)
  var from = 0
  while from < order.count {
    var to = from
    while to + 1 < order.count, values[order[to + 1]] == values[order[from]] { to += 1 }
    for place in from...to { ranks[order[place]] = Double(from + to) / 2 + 1 }
    from = to + 1
  }
  return ranks
}
