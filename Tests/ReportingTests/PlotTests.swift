import Foundation
#if canImport(FoundationXML)
  import FoundationXML
#endif
import Reporting
import Testing

@Suite("Plots")
struct PlotTests {
  static var examples: [Plot] {
    var lines = Plot(
      name: "trend", shape: .lines, title: "Poor calls, 14 nights", xLabel: "Night", yLabel: "% of calls")
    lines.series = [
      PlotSeries("web", [PlotPoint(0, 3), PlotPoint(1, nil), PlotPoint(2, 4.5)]),
      PlotSeries("it's", [PlotPoint(0, 2), PlotPoint(2, 2)]),
    ]
    lines.xTicks = [PlotTick(0, "Mon"), PlotTick(2, "Wed")]
    lines.yRange = PlotRange(0, nil)
    var steps = Plot(
      name: "scores", shape: .steps, title: "Scores", xLabel: "Score", yLabel: "Share at or below")
    steps.series = [PlotSeries("all", [PlotPoint(40, 0.5), PlotPoint(100, 1)], isReference: true)]
    var bars = Plot(name: "causes", shape: .stacked, title: "Points by cause", yLabel: "points")
    bars.categories = ["web", "ios"]
    bars.series = [
      PlotSeries("loss", [PlotPoint(0, 3), PlotPoint(1, 4)]),
      PlotSeries("delay", [PlotPoint(0, 1), PlotPoint(1, nil)]),
    ]
    var lying = bars
    (lying.name, lying.shape) = ("setup", .lying)
    var grouped = bars
    (grouped.name, grouped.shape) = ("groups", .bars)
    return [lines, steps, bars, lying, grouped]
  }

  @Test("the same picture is the same script", arguments: PlotTests.examples.map(\.name))
  func golden(_ name: String) throws {
    let plot = try #require(PlotTests.examples.first { $0.name == name })
    try Golden.expect(plot.script(for: .svg), equals: "\(name).gp")
  }

  @Test(
    "bars that are all nought are drawn without a word", arguments: [Plot.Shape.bars, .stacked, .lying])
  func flat(shape: Plot.Shape) throws {
    var plot = Plot(name: "flat", shape: shape, title: "None")
    plot.categories = ["web"]
    plot.series = [PlotSeries("loss", [PlotPoint(0, 0)])]
    #expect(plot.script(for: .svg).contains("[0:1]"))
  }

  @Test("a kept script is what gnuplot would have been told")
  func kept() throws {
    try Golden.withFolder { folder in
      let path = folder.appendingPathComponent("plots.gp")
      let script = PlotTests.examples.map { $0.script(for: .svg) }.joined()
      try Gnuplot.write(script, toFile: path.path)
      #expect(try String(contentsOf: path, encoding: .utf8) == script)
    }
  }

  @Test(
    "one process draws them all, twice the same",
    .enabled(if: PlotTests.gnuplot != nil, "gnuplot is not installed"))
  func drawn() throws {
    let gnuplot = try #require(PlotTests.gnuplot)
    let script = PlotTests.examples.flatMap { plot in PlotTerminal.allCases.map { plot.script(for: $0) } }
      .joined()
    try Golden.withFolder { folder in
      #expect(try gnuplot.run(script, in: folder.path) == "")
      let first = try Data(contentsOf: folder.appendingPathComponent("trend.svg"))
      let picture = try Data(contentsOf: folder.appendingPathComponent("setup.png"))
      #expect(picture.starts(with: [0x89, 0x50, 0x4E, 0x47]))
      #expect(try gnuplot.run(script, in: folder.path) == "")
      #expect(try Data(contentsOf: folder.appendingPathComponent("trend.svg")) == first)
    }
  }

  @Test(
    "no label breaks out of the script or the picture",
    .enabled(if: PlotTests.gnuplot != nil, "gnuplot is not installed"))
  func hostile() throws {
    let gnuplot = try #require(PlotTests.gnuplot)
    let label = "'; system('touch owned'); ' `touch owned` <script>alert(1)</script> @x ]]> \" \n EOD"
    var plot = Plot(name: "hostile", shape: .bars, title: label, xLabel: label, yLabel: label)
    plot.categories = [label]
    plot.series = [PlotSeries(label, [PlotPoint(0, 1)]), PlotSeries(label, [PlotPoint(0, 2)])]
    try Golden.withFolder { folder in
      _ = try gnuplot.run(plot.script(for: .svg), in: folder.path)
      #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("owned").path))
      let svg = try Data(contentsOf: folder.appendingPathComponent("hostile.svg"))
      let element = try #require(InlineSVG.element(Array(svg), name: "hostile", label: label))
      let text = String(decoding: element, as: UTF8.self)
      #expect(!text.contains("<script"))
      #expect(
        !text.contains("rgb(27") && !text.contains("rgb( 27"), "words take the page's colour, for dark mode")
      #expect(XMLParser(data: Data(element)).parse())
    }
  }

  @Test(
    "the pointer shows the name of a series, and an SDK's colour can be another on dark ground",
    .enabled(if: PlotTests.gnuplot != nil, "gnuplot is not installed"))
  func hovered() throws {
    let gnuplot = try #require(PlotTests.gnuplot)
    var plot = try #require(PlotTests.examples.first)
    plot.series.append(PlotSeries("a <b>", [PlotPoint(0, 1)]))
    plot.series.append(PlotSeries("w3c", [PlotPoint(0, 1), PlotPoint(1, 2)]))
    try Golden.withFolder { folder in
      _ = try gnuplot.run(plot.script(for: .svg), in: folder.path)
      let svg = Array(try Data(contentsOf: folder.appendingPathComponent("trend.svg")))
      let element = try #require(
        InlineSVG.element(svg, name: "trend", label: plot.title, series: plot.series.map(\.title), cut: 34))
      let text = String(decoding: element, as: UTF8.self)
      #expect(text.contains("<title>web</title>") && text.contains("<title>a &lt;b&gt;</title>"))
      #expect(!text.contains("<title>gnuplot_plot"))
      #expect(text.contains("var(--series5, #439CC2)"))
      #expect(XMLParser(data: Data(element)).parse())
    }
  }

  @Test("a gnuplot that is not there is reported")
  func absent() {
    #expect(Gnuplot(path: "/nowhere:/nor/here") == nil)
  }

  @Test(
    "a script that gnuplot refuses is reported",
    .enabled(if: PlotTests.gnuplot != nil, "gnuplot is not installed"))
  func failures() throws {
    let gnuplot = try #require(PlotTests.gnuplot)
    try Golden.withFolder { folder in
      let log = try gnuplot.run("plot nonsense(\n", in: folder.path)
      #expect(log.contains("gnuplot ended with status"))
    }
  }

  static var gnuplot: Gnuplot? { Gnuplot(path: ProcessInfo.processInfo.environment["PATH"] ?? "") }

  @Test(
    "a per cent sign in a name is no format: every shape is drawn, with the name as it is",
    .enabled(if: PlotTests.gnuplot != nil, "gnuplot is not installed"), arguments: Plot.Shape.allCases)
  func percent(shape: Plot.Shape) throws {
    let gnuplot = try #require(PlotTests.gnuplot)
    let names = ["web 10% f", "canary 10%", "100%% %s %n"]
    var plot = Plot(name: "p", shape: shape, title: "50% of %s", xLabel: "% of f", yLabel: "%d")
    plot.series = ["a 5%", "b %g"].map { title in
      PlotSeries(title, names.indices.map { PlotPoint(Double($0), Double($0 + 1)) })
    }
    if shape == .lines || shape == .steps {
      plot.xTicks = names.enumerated().map { PlotTick(Double($0), $1) }
    } else {
      plot.categories = names
    }
    try Golden.withFolder { folder in
      #expect(try gnuplot.run(plot.script(for: .svg) + plot.script(for: .png), in: folder.path) == "")
      let picture = try String(contentsOf: folder.appendingPathComponent("p.svg"), encoding: .utf8)
      for word in names + ["50% of %s", "% of f", "%d", "a 5%", "b %g"] {
        #expect(picture.contains(">\(word)<"), "\(word)")
      }
    }
  }
}
