import CallModel

extension Plot {
  /// Bars as boxes: side by side, stacked, or stacked and lying. An unknown value draws nothing.
  func bars() -> [String] {
    var lines = ["set style fill solid 1 noborder"]
    let corners = series.indices.map { boxes(of: $0) }
    for (index, boxes) in corners.enumerated() {
      lines.append("$s\(index) << EOD")
      lines += boxes.map { box in box.map { GnuplotText.number($0) }.joined(separator: " ") }
      lines.append("EOD")
    }
    let ticks = categories.enumerated().map { "\(GnuplotText.tic($1)) \($0)" }.joined(separator: ", ")
    let last = GnuplotText.number(Double(max(categories.count, 1)) - 0.4)
    if shape == .lying {
      lines += [
        "set ytics (\(ticks))", "set yrange [\(last):-0.6]", "set xrange \(GnuplotText.range(valueRange))",
      ]
    } else {
      lines += [
        "set xtics (\(ticks))\(categories.count > 6 ? " rotate by -30" : "")", "set xrange [-0.6:\(last)]",
      ]
      lines.append("set yrange \(GnuplotText.range(valueRange))")
    }
    var plots = series.indices.map {
      let cause = cause(of: $0)
      let colour = cause.map { Palette.colour(of: $0) } ?? Palette.colour($0)
      let title = (cause.map { $0.letter + " " } ?? "") + series[$0].title
      return
        "$s\($0) using 1:2:3:4:5:6 with boxxyerror linecolor rgb '\(colour)' title \(GnuplotText.quoted(title))"
    }
    for (index, boxes) in corners.enumerated() {
      guard let cause = cause(of: index) else { continue }
      let roomy = boxes.filter(hasRoom)
      guard !roomy.isEmpty else { continue }
      lines.append("$l\(index) << EOD")
      lines += roomy.map {
        "\(GnuplotText.number($0[0])) \(GnuplotText.number($0[1])) \(cause.letter)"
      }
      lines.append("EOD")
      plots.append(
        "$l\(index) using 1:2:3 with labels font ',11' textcolor rgb '\(Palette.letterColour(on: cause))' notitle"
      )
    }
    lines.append(plots.isEmpty ? "" : "plot " + plots.joined(separator: ", \\\n     "))
    return lines
  }

  /// The cause that a series is of, where all of them are of causes.
  private func cause(of index: Int) -> Cause? {
    series.allSatisfy { Cause(rawValue: $0.title) != nil } ? Cause(rawValue: series[index].title) : nil
  }

  /// Whether a letter finds room in a stacked box: a thirtieth of the longest bar.
  private func hasRoom(_ box: [Double]) -> Bool {
    guard shape != .bars else { return false }
    let bars = Set(series.flatMap { $0.points.map(\.x) }).map { below(series.count, at: $0) }
    let size = shape == .lying ? box[3] - box[2] : box[5] - box[4]
    return size >= (bars.max() ?? 0) / 30 && size > 0
  }

  /// Bars begin at nought unless the definition says otherwise; where all are nought, the axis has a length all the same.
  private var valueRange: PlotRange {
    let given = shape == .lying ? xRange : yRange
    let isFlat = series.allSatisfy { $0.points.allSatisfy { ($0.y ?? 0) == 0 } }
    return PlotRange(given?.low ?? 0, given?.high ?? (isFlat ? 1 : nil))
  }

  /// x, y and the corners of each box of a series, as `boxxyerror` takes them.
  private func boxes(of index: Int) -> [[Double]] {
    series[index].points.compactMap { point -> [Double]? in
      guard let value = point.y, value.isFinite else { return nil }
      let (left, right) = sides(at: point.x, of: index)
      let base = shape == .bars ? 0 : below(index, at: point.x)
      let box = [(left + right) / 2, base + value / 2, left, right, base, base + value]
      return shape == .lying ? [box[1], box[0], box[4], box[5], box[2], box[3]] : box
    }
  }

  private func sides(at x: Double, of index: Int) -> (Double, Double) {
    guard shape == .bars else { return (x - 0.36, x + 0.36) }
    let width = 0.8 / Double(max(series.count, 1))
    let left = x - 0.4 + width * Double(index)
    return (left + width * 0.06, left + width * 0.94)
  }

  private func below(_ index: Int, at x: Double) -> Double {
    series[..<index].reduce(0) { sum, lower in
      sum + (lower.points.first { $0.x == x }?.y ?? 0)
    }
  }
}
