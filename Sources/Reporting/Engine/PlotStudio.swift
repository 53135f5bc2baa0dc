/// Draws all pictures of a report in one gnuplot process.
struct PlotStudio {
  var request: ReportRequest
  var answers: [String: Table]

  struct Drawn {
    var elements: [String: [UInt8]] = [:]
    var files: [String] = []
    /// What gnuplot could not do or had to say.
    var problem: String?
    /// Names of the plots that there was enough for.
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
          bytes, name: plot.name, label: plot.title, cut: Plot.titleHeight)
      }
    }
    return drawn
  }
}
