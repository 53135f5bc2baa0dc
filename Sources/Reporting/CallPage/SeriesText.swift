/// Series as short text inside JSON: a tenth of the size of arrays of numbers, and quicker to read.
enum SeriesText {
  /// Times as differences in hundredths of a second: `0,100,100`.
  static func times(_ series: Series) -> String {
    var before = 0
    return series.points.map { point in
      let at = Int((point.atMs / 10).rounded().clamped(to: -1e9...1e9))
      defer { before = at }
      return String(at - before)
    }.joined(separator: ",")
  }

  /// Values with `:` between least and greatest where they differ, nothing where unknown: `12,13:15,,14`.
  static func values(_ series: Series, decimals: Int) -> String {
    series.points.map { point in
      guard let low = point.low, let high = point.high else { return "" }
      let (a, b) = (CellText.fixed(low, decimals: decimals), CellText.fixed(high, decimals: decimals))
      return a == b ? a : "\(a):\(b)"
    }.joined(separator: ",")
  }

  /// Numbers or nothing.
  static func list(_ values: [Double?], decimals: Int) -> String {
    values.map { $0.map { CellText.fixed($0, decimals: decimals) } ?? "" }.joined(separator: ",")
  }
}
