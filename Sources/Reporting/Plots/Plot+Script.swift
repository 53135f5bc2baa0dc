/// What gnuplot draws on.
public enum PlotTerminal: String, Sendable, CaseIterable {
  case svg, png
}

extension Plot {
  /// The gnuplot commands that draw this picture into `name.svg` or `name.png` of the current folder; the same bytes every time.
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

  /// Pixels above the drawing that the title takes; half a line of the axis' topmost number reaches into the ten below.
  static let titleHeight = 34

  /// Axes, grid, words and key: all that the shapes have in common.
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

  /// Beside lines, so that they keep their height; below bars, so that they keep their width.
  private var key: String {
    shape == .lines || shape == .steps
      ? "outside right top vertical Left reverse samplen 2"
      : "outside below center horizontal Left reverse samplen 1 maxrows 3 height 1"
  }

  /// Lines with marks, or staircases.
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
    if !xTicks.isEmpty {
      let ticks = xTicks.map { "\(GnuplotText.tic($0.label)) \(GnuplotText.number($0.at))" }
      lines.append("set xtics (\(ticks.joined(separator: ", ")))")
    }
    let plots = series.indices.map {
      "$s\($0) using 1:2 with \(style(of: $0)) title \(GnuplotText.quoted(series[$0].title))"
    }
    lines.append(plots.isEmpty ? "" : "plot " + plots.joined(separator: ", \\\n     "))
    return lines
  }

  /// Room around values that are all the same: gnuplot would complain of an empty axis.
  private static func opened(_ range: PlotRange?, around values: [Double]) -> PlotRange? {
    let ends = values + [range?.low, range?.high].compactMap { $0 }
    guard let low = ends.min(), low == ends.max() else { return range }
    return PlotRange(range?.low ?? low - 1, low + 1)
  }

  private func style(of index: Int) -> String {
    let colour = series[index].isReference ? Palette.reference : Palette.colour(index)
    let line = "linecolor rgb '\(colour)' linewidth \(series[index].isReference ? "1.2" : "2")"
    if shape == .steps {
      return "steps \(line) dashtype \(Palette.dashes[index % Palette.dashes.count])"
    }
    return "linespoints \(line) dashtype \(Palette.dashes[index % Palette.dashes.count]) "
      + "pointtype \(Palette.marks[index % Palette.marks.count]) pointsize 0.5"
  }
}
