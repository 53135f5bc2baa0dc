/// Agreement of figures with the ground truth: correlation, rank correlation, and error after fitting a line.
public struct Agreement: Sendable, Equatable {
  public var count: Int
  /// Pearson's r and Spearman's rho; nil if one side is constant.
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

/// A least-squares line.
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

/// Pearson's r; nil if one side is constant.
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

/// Ranks from 1; equal values share their mean rank.
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

/// A gnuplot script that plots scores over PESQ-WB, one panel per model, with stretched segments in another colour.
public func scatterScript(_ study: Study, models: [String], file: String) -> String {
  let columns = min(3, max(1, models.count))
  let rows = (models.count + columns - 1) / columns
  var script = """
    set terminal svg size \(320 * columns),\(300 * rows) font 'sans-serif,11' background '#ffffff'
    set output '\(file)'
    set multiplot layout \(rows),\(columns)
    set key off
    set grid linecolor '#dddddd'
    set xrange [0:100]
    set yrange [1:4.7]
    set xlabel 'score'
    set ylabel 'PESQ-WB'

    """
  for model in models {
    let calm = study.pairs(model) { !$0.isStretched }
    let stretched = study.pairs(model) { $0.isStretched }
    let line = Line(study.pairs(model))
    let agreement = Agreement(study.pairs(model))
    script +=
      "set title '\(model)  r \(number(agreement?.r))  RMSE \(number(agreement?.error, 2))' noenhanced\n"
    script +=
      "plot '-' with points pt 7 ps 0.4 lc '#1f6feb', '-' with points pt 7 ps 0.4 lc '#d1570a', \(line.start)+\(line.slope)*x lc '#888888'\n"
    for pairs in [calm, stretched] {
      // gnuplot stops at an empty block: a point outside of the plot replaces it.
      if pairs.isEmpty { script += "-1 -1\n" }
      for pair in pairs { script += "\(pair.figure) \(pair.truth)\n" }
      script += "e\n"
    }
  }
  return script + "unset multiplot\n"
}
