import CallModel
import Rendering

/// The content of a plot before gnuplot draws it.
public struct Plot: Sendable, Equatable {
  /// How the series are drawn.
  public enum Shape: String, Sendable, CaseIterable {
    /// A line with a mark at each value and a gap at unknown values.
    case lines
    /// A step function, for distributions.
    case steps
    /// Grouped bars, one group per category.
    case bars
    /// Stacked bars, one bar per category.
    case stacked
    /// Stacked horizontal bars, for categories with long names.
    case lying
  }

  /// File name without extension.
  public var name: String
  public var shape: Shape
  public var title: String
  public var xLabel: String
  public var yLabel: String
  /// Names of the groups or bars, in order; empty for `lines` and `steps`, whose x is a number.
  public var categories: [String] = []
  public var series: [PlotSeries] = []
  /// Fixed ends of the axes; nil means taken from the data.
  public var xRange: PlotRange?
  public var yRange: PlotRange?
  /// Positions and labels on the x axis, if it is not numeric (names of nights).
  public var xTicks: [PlotTick] = []
  /// Size in pixels at scale 1. The width is small enough that text stays legible when a phone scales the plot to two
  /// thirds.
  public var width = 520
  public var height = 320

  /// A plot without series.
  public init(name: String, shape: Shape, title: String, xLabel: String = "", yLabel: String = "") {
    self.name = name
    self.shape = shape
    self.title = title
    self.xLabel = xLabel
    self.yLabel = yLabel
  }
}

/// One line, or one colour of bars.
public struct PlotSeries: Sendable, Equatable {
  /// Its name in the legend.
  public var title: String
  /// For `lines` and `steps`, points sorted by x; for bars, y of category x (0, 1, …). A nil y is unknown and drawn as
  /// a gap.
  public var points: [PlotPoint]
  /// Whether it is the reference that others are compared with; drawn thin and grey.
  public var isReference = false

  public init(_ title: String, _ points: [PlotPoint], isReference: Bool = false) {
    self.title = title
    self.points = points
    self.isReference = isReference
  }
}

/// One point of a series.
public struct PlotPoint: Sendable, Equatable {
  public var x: Double
  public var y: Double?

  /// A point; `y` is nil if unknown.
  public init(_ x: Double, _ y: Double?) {
    self.x = x
    self.y = y
  }
}

/// Both ends of an axis; nil means taken from the data.
public struct PlotRange: Sendable, Equatable {
  public var low: Double?
  public var high: Double?

  /// An axis from `low` to `high`.
  public init(_ low: Double?, _ high: Double?) {
    self.low = low
    self.high = high
  }
}

/// A label at a position on an axis.
public struct PlotTick: Sendable, Equatable {
  public var at: Double
  public var label: String

  /// A label at a position.
  public init(_ at: Double, _ label: String) {
    self.at = at
    self.label = label
  }
}

extension Plot {
  /// The plot of a query's rows; nil if there are too few.
  ///
  /// With `series`, each value of that column is a line or colour; otherwise each `y` is. Text on the x axis is in row
  /// order.
  init?(_ part: PlotPart, _ table: Table) {
    self.init(name: part.name, shape: part.shape, title: part.title, xLabel: part.xLabel, yLabel: part.yLabel)
    (xRange, yRange) = (part.xRange, part.yRange)
    let drawn = table.rows.filter { row in part.y.contains { table.cell(row, $0.0).number != nil } }
    guard Set(drawn.map { Plot.word(table.cell($0, part.x)) }).count >= max(part.needs, 1) else { return nil }
    let isCategorical = shape == .bars || shape == .stacked || shape == .lying
    let words = table.rows.contains { $0.indices.contains(0) && table.cell($0, part.x).string != nil }
    if isCategorical || words {
      categories = Plot.distinct(table.rows.map { Plot.word(table.cell($0, part.x)) })
    }
    var found: [String: [PlotPoint]] = [:]
    var order: [String] = []
    for row in table.rows {
      let x: Double? =
        categories.isEmpty
        ? table.cell(row, part.x).number
        : categories.firstIndex(of: Plot.word(table.cell(row, part.x))).map { Double($0) }
      guard let x else { continue }
      for (column, title) in part.y {
        let key = part.series.map { Plot.word(table.cell(row, $0)) } ?? title
        if found[key] == nil { order.append(key) }
        found[key, default: []].append(PlotPoint(x, table.cell(row, column).number.map { $0 * part.scale }))
      }
    }
    series = order.map { PlotSeries($0, found[$0] ?? [], isReference: $0.hasPrefix("baseline")) }
      .filter { one in one.points.contains { $0.y != nil } }
    guard !series.isEmpty else { return nil }
    if !isCategorical {
      xTicks = Plot.ticks(categories)
      categories = []
      height = 320 + 20 * (series.count > 1 ? min(5, (series.count + 1) / 2) : 0)
    } else {
      height = shape == .lying ? max(300, 170 + categories.count * 32) : isCrowded ? 370 : 320
    }
  }

  /// Up to eight evenly spaced labels, as many as fit on the axis, always including the last one.
  private static func ticks(_ words: [String]) -> [PlotTick] {
    // The axis is about 380 pixels long and a letter 8 pixels wide.
    let longest = min(words.map(\.count).max() ?? 0, GnuplotText.longestLabel)
    let room = min(8, max(2, 380 / (8 * longest + 16)))
    let step = max(1, (words.count + room - 1) / room)
    return words.indices.filter { (words.count - 1 - $0).isMultiple(of: step) }.map {
      PlotTick(Double($0), words[$0])
    }
  }

  private static func distinct(_ words: [String]) -> [String] {
    var seen: Set<String> = []
    return words.filter { seen.insert($0).inserted }
  }

  private static func word(_ cell: Cell) -> String {
    switch cell {
    case .null: "unknown"
    case .text(let text): text
    default: cell.number.map { CellText.readable($0) } ?? "unknown"
    }
  }
}

extension Plot {
  /// Bars as boxes: grouped, stacked, or stacked and horizontal. Unknown values are not drawn.
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
      lines += ["set xtics (\(ticks))\(isCrowded ? " rotate by -30" : "")", "set xrange [-0.6:\(last)]"]
      if isCrowded { lines.append("set rmargin \(min(20, (categories.last?.count ?? 0) + 1))") }
      lines.append("set yrange \(GnuplotText.range(valueRange))")
    }
    let places = Palette.places(of: series.map(\.title))
    var plots = series.indices.map {
      let cause = cause(of: $0)
      let colour = cause.map { Palette.colour(of: $0) } ?? Palette.series[places[series[$0].title] ?? 0]
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

  /// Whether the labels under the bars, at about 7.5 pixels per letter, would overlap.
  private var isCrowded: Bool {
    let longest = Double(categories.map { min($0.count, GnuplotText.longestLabel) }.max() ?? 0)
    return categories.count > 6 || longest * 7.5 > 430 / Double(max(categories.count, 1))
  }

  /// The cause that a series represents, if all series are causes.
  private func cause(of index: Int) -> Cause? {
    series.allSatisfy { Cause(rawValue: $0.title) != nil } ? Cause(rawValue: series[index].title) : nil
  }

  /// Whether a letter fits into a stacked box: at least a thirtieth of the longest bar.
  private func hasRoom(_ box: [Double]) -> Bool {
    guard shape != .bars else { return false }
    let bars = Set(series.flatMap { $0.points.map(\.x) }).map { below(series.count, at: $0) }
    let size = shape == .lying ? box[3] - box[2] : box[5] - box[4]
    return size >= (bars.max() ?? 0) / 30 && size > 0
  }

  /// Range of the value axis. Bars start at zero unless the definition says otherwise; if all values are zero, the axis
  /// still gets a length.
  private var valueRange: PlotRange {
    let given = shape == .lying ? xRange : yRange
    let isFlat = series.allSatisfy { $0.points.allSatisfy { ($0.y ?? 0) == 0 } }
    return PlotRange(given?.low ?? 0, given?.high ?? (isFlat ? 1 : nil))
  }

  /// x, y and the corners of each box of a series, as `boxxyerror` expects them.
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

/// Output format of gnuplot.
public enum PlotTerminal: String, Sendable, CaseIterable {
  case svg, png
}

extension Plot {
  /// The gnuplot commands that draw this plot into `name.svg` or `name.png` of the current folder. The same plot always
  /// gives the same bytes.
  public func script(for terminal: PlotTerminal) -> String {
    var lines = [
      "reset", setup(of: terminal), "set output \(GnuplotText.quoted(name + "." + terminal.rawValue))",
    ]
    lines += frame()
    lines += shape == .lines || shape == .steps ? curves() : bars()
    lines.append("unset output")
    return lines.joined(separator: "\n") + "\n"
  }

  private func setup(of terminal: PlotTerminal) -> String {
    switch terminal {
    case .svg:
      "set terminal svg size \(width),\(height) dynamic font 'sans-serif,14' linewidth 1.2 noenhanced"
    case .png:
      "set terminal pngcairo size \(width * 2),\(height * 2) font 'sans,14' fontscale 1.6 linewidth 2 noenhanced"
    }
  }

  /// Height of the title above the plot, in pixels; the topmost number of the axis takes half a line of the ten pixels
  /// below it.
  static let titleHeight = 34

  /// Axes, grid, labels and legend, which all shapes have.
  private func frame() -> [String] {
    var lines = [
      "set encoding utf8",
      "set border 3 linecolor rgb '\(Palette.ink)'",
      "set tics nomirror out scale 0.5 textcolor rgb '\(Palette.ink)'",
      "set grid \(shape == .lying ? "x" : "y")tics linecolor rgb '\(Palette.grid)' linewidth 0.6 dashtype 1",
      "set tmargin at screen \(GnuplotText.number(1 - Double(Self.titleHeight + 10) / Double(height)))",
      "set title \(GnuplotText.quoted(title)) textcolor rgb '\(Palette.ink)'",
      "set key \(key) textcolor rgb '\(Palette.ink)'",
    ]
    if series.count < 2 { lines.append("unset key") }
    if !xLabel.isEmpty {
      lines.append("set xlabel \(GnuplotText.quoted(xLabel)) offset 0,0.4 textcolor rgb '\(Palette.ink)'")
    }
    if !yLabel.isEmpty {
      lines.append("set ylabel \(GnuplotText.quoted(yLabel)) textcolor rgb '\(Palette.ink)'")
    }
    return lines
  }

  /// The legend is below the plot, so that the plot keeps its width. Samples are long enough to show the dashes of
  /// lines.
  private var key: String {
    let sample = shape == .lines || shape == .steps ? 3 : 1
    return "outside below center horizontal Left reverse samplen \(sample) maxrows 3 height 1"
  }

  /// Lines with marks, or steps.
  private func curves() -> [String] {
    var lines: [String] = []
    for (index, one) in series.enumerated() {
      lines.append("$s\(index) << EOD")
      lines += one.points.map { "\(GnuplotText.number($0.x)) \(GnuplotText.number($0.y))" }
      lines.append("EOD")
    }
    let points = series.flatMap(\.points).filter { $0.y != nil }
    lines += [
      "set xrange \(GnuplotText.range(Self.opened(xRange, around: points.map(\.x))))",
      "set yrange \(GnuplotText.range(Self.opened(yRange, around: points.compactMap(\.y))))",
    ]
    // Leaves space for the half of the last label that extends beyond the axis.
    let last = min(xTicks.last?.label.count ?? 0, GnuplotText.longestLabel)
    lines.append("set rmargin \(min(16, last / 2 + 3))")
    if !xTicks.isEmpty {
      let ticks = xTicks.map { "\(GnuplotText.tic($0.label)) \(GnuplotText.number($0.at))" }
      lines.append("set xtics (\(ticks.joined(separator: ", ")))")
    }
    let places = Palette.places(of: series.filter { !$0.isReference }.map(\.title))
    let plots = series.indices.map {
      "$s\($0) using 1:2 with \(style(of: series[$0], places)) title \(GnuplotText.quoted(series[$0].title))"
    }
    lines.append(plots.isEmpty ? "" : "plot " + plots.joined(separator: ", \\\n     "))
    return lines
  }

  /// Widens the range if all values are equal: gnuplot warns about an empty axis.
  private static func opened(_ range: PlotRange?, around values: [Double]) -> PlotRange? {
    let ends = values + [range?.low, range?.high].compactMap { $0 }
    guard let low = ends.min(), low == ends.max() else { return range }
    return PlotRange(range?.low ?? low - 1, low + 1)
  }

  /// Line style of a series: colour, dashes and marks depend on its index in the palette.
  private func style(of one: PlotSeries, _ places: [String: Int]) -> String {
    let place = one.isReference ? 0 : places[one.title] ?? 0
    let colour = one.isReference ? Palette.reference : Palette.series[place]
    let dashes = Palette.dashes[place % Palette.dashes.count]
    let line = "linecolor rgb '\(colour)' linewidth \(one.isReference ? "1.2" : "2") dashtype \(dashes)"
    guard shape == .lines else { return "steps \(line)" }
    return "linespoints \(line) pointtype \(Palette.marks[place % Palette.marks.count]) pointsize 0.5"
  }
}
