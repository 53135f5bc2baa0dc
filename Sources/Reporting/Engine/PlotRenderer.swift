import Rendering

/// Draws all plots of a report in one gnuplot process.
struct PlotRenderer {
  var request: ReportRequest
  var answers: [String: Table]

  struct Drawn {
    var elements: [String: [UInt8]] = [:]
    var files: [String] = []
    /// gnuplot's error or warnings.
    var problem: String?
    /// Names of the plots that had enough data.
    var tried: Set<String> = []
  }

  func draw(into folder: OutputFolder) throws -> Drawn {
    var drawn = Drawn()
    let plots = request.definition.parts.compactMap { part -> Plot? in
      guard case .plot(let plot) = part, let table = answers[plot.query] else { return nil }
      return Plot(plot, table)
    }
    guard !plots.isEmpty else { return drawn }
    drawn.tried = Set(plots.map(\.name))
    let script = plots.flatMap { plot in PlotTerminal.allCases.map { plot.script(for: $0) } }.joined()
    if request.keepsScript || request.gnuplot != nil {
      try OutputFolder.makeFolders("\(folder.building)/plots")
    }
    if request.keepsScript {
      try Gnuplot.write(script, toFile: "\(folder.building)/plots/plots.gp")
      drawn.files.append("plots/plots.gp")
    }
    guard let gnuplot = request.gnuplot else {
      drawn.problem = Gnuplot.missing
      return drawn
    }
    do {
      let log = try gnuplot.run(script, in: "\(folder.building)/plots")
      if !log.isEmpty { drawn.problem = "gnuplot says: \(log.prefix(400).trimmed)" }
    } catch {
      drawn.problem = "\(error)"
    }
    for plot in plots {
      for terminal in PlotTerminal.allCases {
        let name = "plots/\(plot.name).\(terminal.rawValue)"
        guard let bytes = try? FileBytes.read("\(folder.building)/\(name)"), !bytes.isEmpty else { continue }
        drawn.files.append(name)
        guard terminal == .svg else { continue }
        drawn.elements[plot.name] = InlineSVG.element(
          bytes, name: plot.name, label: plot.title, series: plot.series.map(\.title), cut: Plot.titleHeight)
      }
    }
    return drawn
  }
}

/// Turns gnuplot's SVG into a part of a page: without prologue, with unique ids, and with the page's colours for text
/// and lines (dark mode, print).
public enum InlineSVG {
  /// The `<svg>` element, given the plot's name (the prefix of its ids) and its text for screen readers; nil if the
  /// input is not SVG.
  ///
  /// - Parameters:
  ///   - series: tooltip of each series, in drawing order.
  ///   - cut: pixels removed at the top, where the plot's title is; the page has its own.
  public static func element(
    _ svg: [UInt8], name: String, label: String, series: [String] = [], cut: Int = 0
  ) -> [UInt8]? {
    let text = String(decoding: svg, as: UTF8.self)
    guard let start = text.firstRange(of: "<svg"), let end = text.firstRange(of: "</svg>") else { return nil }
    var body = String(text[start.lowerBound..<end.upperBound])
    for (colour, variable) in [(Palette.ink, "var(--ink)"), (Palette.grid, "var(--line)")] {
      for spelling in spellings(of: colour) { body = body.replacing(spelling, with: variable) }
    }
    for (place, colour) in Palette.series.enumerated() {
      let variable = "var(--series\(place), \(colour))"
      for spelling in spellings(of: colour) { body = body.replacing(spelling, with: variable) }
    }
    body = body.replacing("fill=\"black\"", with: "fill=\"var(--ink)\"").replacing(
      "fill='black'", with: "fill='var(--ink)'")
    body = body.replacing(/<title>[^<]*<\/title>\s*<desc>[^<]*<\/desc>/, with: "")
    body = body.replacing(/<title>gnuplot_plot_(\d+)<\/title>/) { match -> String in
      guard let place = Int(match.1), series.indices.contains(place - 1) else { return "" }
      return "<title>\(escaped(series[place - 1]))</title>"
    }
    if cut > 0, let size = body.firstMatch(of: /viewBox="0 0 (\d+) (\d+)"/), let height = Int(size.2) {
      body.replaceSubrange(size.range, with: "viewBox=\"0 \(cut) \(size.1) \(max(1, height - cut))\"")
    }
    // Text that is cut off must not be read by screen readers either.
    let title = "<text>\(escaped(label))"
    if cut > 0, let place = body.firstRange(of: title) {
      body.replaceSubrange(place, with: "<text>")
    }
    let prefix = Escape.css(name) + "-"
    for quote in ["'", "\""] {
      body = body.replacing(" id=\(quote)", with: " id=\(quote)\(prefix)")
      body = body.replacing("href=\(quote)#", with: "href=\(quote)#\(prefix)")
    }
    body = body.replacing("url(#", with: "url(#\(prefix)")
    let words = Array(escaped(label).utf8)
    return Array("<svg role=\"img\" aria-label=\"".utf8) + words + Array("\" ".utf8)
      + Array(body.dropFirst(5).utf8)
  }

  private static func escaped(_ text: String) -> String {
    var words: [UInt8] = []
    Escape.html(text, into: &words)
    return String(decoding: words, as: UTF8.self)
  }

  /// A colour as gnuplot writes it: `#RRGGBB` and `rgb( r,  g,  b)`.
  private static func spellings(of colour: String) -> [String] {
    let value = Int(colour.dropFirst(), radix: 16) ?? 0
    let parts = [value >> 16 & 255, value >> 8 & 255, value & 255].map { part in
      String(repeating: " ", count: 3 - String(part).count) + String(part)
    }
    // Avoid duplicates: the replacement may contain the colour itself.
    let lower = colour.lowercased() == colour ? [] : [colour.lowercased()]
    return [colour] + lower + [
      "rgb(\(parts.joined(separator: ", ")))",
      "rgb(\(parts.map { String($0.trimmed) }.joined(separator: ",")))",
    ]
  }
}
