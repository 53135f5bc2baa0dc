import CallModel
import Rendering

/// A setup attempt as a waterfall: bars on one time axis, because phases may overlap. Created here and not by the
/// script, so that it works on paper and without scripts.
struct SetupPicture {
  private let attempt: SetupAttempt
  private let chart: SetupChart
  /// Widths in units of the picture, which correspond to about one pixel so that text keeps its size.
  private static let label = 136.0
  private static let width = 330.0
  private static let times = 72.0
  private static let row = 21.0

  package init(_ attempt: SetupAttempt) {
    self.attempt = attempt
    chart = SetupChart(attempt)
  }

  /// Appends the picture, and a sentence on phases that did not happen or are unknown.
  package func write(to html: inout HTML) {
    if !chart.rows.isEmpty || !chart.later.isEmpty { draw(&html) }
    if chart.rows.contains(where: { $0.kind == .person }) {
      note("Hollow bars: \(SetupWords.person).", &html)
    }
    for words in SetupWords.rest(attempt, chart) { note(Measure.sentence(words) + ".", &html) }
    for row in chart.rows + chart.later {
      if let cause = row.cause { note("\(row.name): \(cause)", &html) }
    }
  }

  private func note(_ text: String, _ html: inout HTML) { html.element("p", ["class": "note"], text) }

  private func draw(_ html: inout HTML) {
    let words = (chart.rows + chart.later).map {
      "\($0.name) \(Measure.duration($0.durationMs))" + ($0.isSlowest ? " (slowest)" : "")
    }
    let hasHeading = !chart.later.isEmpty
    let count = chart.rows.count + (chart.connected == nil ? 0 : 1) + (hasHeading ? 1 : 0) + chart.later.count
    let height = Double(count) * Self.row + 4
    html.element(
      "svg",
      [
        "class": "waterfall", "viewBox": "0 0 \(number(Self.width)) \(number(height))", "role": "img",
        "aria-label": "Setup phases: \(words.joined(separator: ", "))",
      ]
    ) { svg in
      var y = 2.0
      // In the background, because it extends over the other rows.
      if let connected = chart.connected {
        let (end, below) = (x(connected.upperBound), y + Double(chart.rows.count) * Self.row)
        rule(end...end, 2...height, &svg)
        rule(x(connected.lowerBound)...end, (below + 9)...(below + 9), &svg)
      }
      for row in chart.rows { write(row, &y, &svg) }
      if let connected = chart.connected {
        text("connected", Measure.duration(connected.length), after: x(connected.upperBound), y, true, &svg)
        y += Self.row
      }
      if hasHeading {
        svg.element("text", ["x": "0", "y": number(y + 14), "class": "time"], SetupWords.later)
        y += Self.row
      }
      for row in chart.later { write(row, &y, &svg) }
    }
  }

  private func rule(_ x: ClosedRange<Double>, _ y: ClosedRange<Double>, _ svg: inout HTML) {
    svg.element(
      "line",
      [
        "class": "connected", "x1": number(x.lowerBound), "x2": number(x.upperBound),
        "y1": number(y.lowerBound), "y2": number(y.upperBound),
      ], "")
  }

  private func write(_ row: SetupChart.Row, _ y: inout Double, _ svg: inout HTML) {
    for part in row.parts {
      svg.element(
        "rect",
        [
          "x": number(x(part.lowerBound)), "y": number(y + 2), "rx": "2", "height": "15",
          "width": number(max(1.5, x(part.upperBound) - x(part.lowerBound))), "class": name(row),
        ], "")
    }
    let end = row.parts.last.map { x($0.upperBound) } ?? Self.label
    let time = Measure.duration(row.durationMs) + (row.isSlowest ? " ◂" : "")
    text(row.name, time, after: end, y, row.isSlowest, &svg)
    y += Self.row
  }

  private func name(_ row: SetupChart.Row) -> String {
    if row.isSlowest { return "slow" }
    return switch row.kind {
    case .system: "phase"
    case .person: "other"
    case .unaccounted: "unaccounted"
    case .later: "later"
    }
  }

  private func text(
    _ name: String, _ time: String, after end: Double, _ y: Double, _ isStrong: Bool, _ svg: inout HTML
  ) {
    let strong = isStrong ? " strong" : ""
    svg.element("text", ["x": "0", "y": number(y + 13), "class": "name" + strong], name)
    svg.element("text", ["x": number(end + 5), "y": number(y + 13), "class": "time" + strong], time)
  }

  private func x(_ ms: Double) -> Double {
    Self.label + ms / chart.spanMs * (Self.width - Self.label - Self.times)
  }

  private func number(_ value: Double) -> String { CellText.fixed(value, decimals: 1) }
}
