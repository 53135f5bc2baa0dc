import CallModel
import Rendering

/// A figure that worsened gradually over many runs, without a noticeable change in any single one.
struct Drift: Sendable {
  let sdk: String
  let figure: Figure
  /// Number of runs the drift is measured over, including the current one.
  let nights: Int
  /// Values of the fitted line at the first and at the last run.
  let first: Double
  let last: Double

  /// Minimum number of runs for a line, and of calls for a run to count as a point of it.
  private static let (fewestNights, fewestCalls) = (6, 5)
  /// Chance, over all SDKs, that a drift is reported though there is none.
  private static let error = 0.01

  /// The figures that drifted, from the rows of `drift.sql`.
  static func all(_ table: Table) -> [Drift] {
    var nights: [String] = []
    var rows: [String: [(night: Int, row: [Cell])]] = [:]
    for row in table.rows {
      guard let night = table.cell(row, "night").string, let sdk = table.cell(row, "sdk").string else {
        continue
      }
      if nights.last != night { nights.append(night) }
      rows[sdk, default: []].append((nights.count - 1, row))
    }
    return rows.keys.sorted().flatMap { sdk in
      [(Figure.scoreMean, "score", "scored"), (.setupMean, "setup_ms", "set_up")].compactMap {
        figure, value, count in
        let values = (rows[sdk] ?? []).map { night, row in
          ScenarioNight(
            night: night, scenario: table.cell(row, "scenario").string, mean: table.cell(row, value).number,
            calls: Int(table.cell(row, count).number ?? 0))
        }
        return Drift(sdk, figure, levelled(values), nights: nights.count, error: error / Double(rows.count))
      }
    }
  }

  private struct ScenarioNight {
    var night: Int
    var scenario: String?
    var mean: Double?
    var calls: Int
  }

  /// Mean of a night after each scenario's own mean over all nights is subtracted, so that a changed mix of scenarios
  /// does not look like drift.
  private static func levelled(_ values: [ScenarioNight]) -> [(night: Int, value: Double)] {
    func weighted(_ values: [(mean: Double, calls: Int)]) -> Double {
      values.reduce(0) { $0 + $1.mean * Double($1.calls) }
        / Double(max(1, values.reduce(0) { $0 + $1.calls }))
    }
    let known = values.compactMap { value in value.mean.map { (value, (mean: $0, calls: value.calls)) } }
    let overall = weighted(known.map(\.1))
    let levels = Dictionary(grouping: known, by: \.0.scenario).mapValues { weighted($0.map(\.1)) }
    return Dictionary(grouping: known, by: \.0.night).sorted { $0.key < $1.key }.compactMap { night, values in
      guard values.reduce(0, { $0 + $1.1.calls }) >= fewestCalls else { return nil }
      let above = values.map { (mean: $0.1.mean - (levels[$0.0.scenario] ?? overall), calls: $0.1.calls) }
      return (night, overall + weighted(above))
    }
  }

  /// Nil unless the line through the nights worsens significantly (a score falls, a time rises), by enough to matter,
  /// includes the last night, and fits better than a single step, which was already reported in its own night.
  private init?(
    _ sdk: String, _ figure: Figure, _ points: [(night: Int, value: Double)], nights: Int, error: Double
  ) {
    guard points.count >= Self.fewestNights, points.last?.night == nights - 1,
      let line = Line(points.map { (Double($0.night), $0.value) })
    else { return nil }
    let rise = figure == .scoreMean ? -line.slope : line.slope
    let least = figure == .scoreMean ? 3 : max(50, 0.2 * line.first)
    let limit = Distributions.studentQuantile(1 - error / 2, degrees: Double(points.count - 2))
    guard rise > limit * line.slopeError, abs(line.last - line.first) >= least,
      line.residual < Self.stepResidual(points.map(\.value))
    else { return nil }
    (self.sdk, self.figure, self.nights) = (sdk, figure, points.count)
    (first, last) = (line.first, line.last)
  }

  /// Residual sum of squares of the best single step between two levels.
  private static func stepResidual(_ values: [Double]) -> Double {
    func squares(_ values: ArraySlice<Double>) -> Double {
      let mean = values.reduce(0, +) / Double(values.count)
      return values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    }
    return (1..<values.count).map { squares(values[..<$0]) + squares(values[$0...]) }.min() ?? .infinity
  }
}

/// Least-squares line.
private struct Line {
  let slope: Double
  let slopeError: Double
  /// Values of the line at its two ends.
  let first: Double
  let last: Double
  let residual: Double

  init?(_ points: [(x: Double, y: Double)]) {
    let count = Double(points.count)
    guard count > 2, let start = points.first?.x, let end = points.last?.x else { return nil }
    let (x, y) = (points.reduce(0) { $0 + $1.x } / count, points.reduce(0) { $0 + $1.y } / count)
    let spread = points.reduce(0) { $0 + ($1.x - x) * ($1.x - x) }
    guard spread > 0 else { return nil }
    let slope = points.reduce(0) { $0 + ($1.x - x) * ($1.y - y) } / spread
    residual = points.reduce(0) { sum, point in
      let left = point.y - y - slope * (point.x - x)
      return sum + left * left
    }
    slopeError = (residual / (count - 2) / spread).squareRoot()
    (self.slope, first, last) = (slope, y + slope * (start - x), y + slope * (end - x))
  }
}
