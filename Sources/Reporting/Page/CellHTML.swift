import CallModel
import Rendering

/// Writes one table cell in its column's format.
struct CellHTML {
  var words: ValueText
  /// The page of a call by id; nil if the report has none for it.
  var callPage: (String) -> String?
  /// Maximum length of a displayed value, since it may come from outside.
  static let longest = 240

  func write(
    _ table: Table, _ row: [Cell], _ column: ColumnPart, _ scales: ColumnScales, into html: inout HTML
  ) {
    let cell = table.cell(row, column.column)
    guard !cell.isNull else {
      html.element("span", ["class": "muted", "title": "not known"], ValueText.unknown)
      return
    }
    switch column.format {
    case .verdict: badge(cell.string ?? "", into: &html)
    case .call: call(cell.string ?? words.text(cell, .text), into: &html)
    case .spark:
      let isShare = column.column.contains("share")
      InlineCharts.spark(
        ColumnScales.list(cell), within: scales.spark(column),
        text: { isShare ? ValueText.percent($0) : CellText.fixed($0, decimals: 1) }, into: &html)
    case .bar: bar(cell.number ?? 0, into: &html)
    case .change: change(table, row, column, reach: scales.reach(column, table, row), into: &html)
    case .figure: html.text(ValueText.figure(cell.number ?? .nan, of: ColumnScales.figure(table, row)))
    case .integer where cell.number == 0, .percent where cell.number == 0:
      html.element("span", ["class": "muted"], words.text(cell, column.format))
    default: html.text(shortened(words.text(cell, column.format)))
    }
  }

  private func badge(_ verdict: String, into html: inout HTML) {
    let (tone, mark) =
      switch verdict {
      case "pass": ("pass", "✓")
      case "fail", "block": ("fail", "✕")
      case "inconclusive": ("unsure", "?")
      case let word where Verdict.Value(rawValue: word) != nil: Self.sign(Verdict.Value(rawValue: word))
      default: ("plain", "·")
      }
    let word =
      ["fail": "BLOCK", "block": "BLOCK", "pass": "pass", "inconclusive": "unsure"][verdict] ?? verdict
    html.element("span", ["class": "badge \(tone)"], "\(mark) \(word)")
  }

  /// Style and symbol of a call's verdict, the same everywhere.
  private static func sign(_ word: Verdict.Value?) -> (String, String) {
    switch word {
    case .failed, .dropped, .silent: ("fail", "✕")
    case .noPicture, .poor: ("unsure", "!")
    case .good, .fair: ("pass", "✓")
    case .notSent, .notSetUp, .unjudged, nil: ("plain", "·")
    }
  }

  func call(_ id: String, into html: inout HTML) {
    if let page = callPage(id) {
      html.element("a", ["href": Escape.path(page)], shortened(id))
    } else {
      html.element("span", ["class": "id"], shortened(id))
    }
  }

  private func bar(_ share: Double, into html: inout HTML) {
    let width = ValueText.fixed(max(0, min(1, share)) * 100, 1)
    html.element("span", ["class": "bar", "style": "--v:\(width)%"], ValueText.percent(share))
  }

  private func change(
    _ table: Table, _ row: [Cell], _ column: ColumnPart, reach: Double, into html: inout HTML
  ) {
    guard let value = table.cell(row, column.column).number else { return }
    let figure = ColumnScales.figure(table, row)
    guard let low = table.cell(row, column.column + "_low").number,
      let high = table.cell(row, column.column + "_high").number
    else {
      html.element(
        "span", ["class": "figure"], ValueText.moves([value], of: figure)[0] + ValueText.unit(of: figure))
      html.element("span", ["class": "muted range"], " too few calls for an interval")
      return
    }
    let words = ValueText.moves([value, low, high], of: figure)
    html.element("span", ["class": "figure"], words[0] + ValueText.unit(of: figure))
    html.element("span", ["class": "muted range"], " \(words[1]) … \(words[2])")
    InlineCharts.interval(
      value, low: low, high: high, margin: table.cell(row, "margin").number, reach: reach,
      label: "between \(words[1]) and \(words[2])", into: &html)
  }

  private func shortened(_ text: String) -> String {
    text.count > Self.longest ? text.prefix(Self.longest - 1) + "…" : text
  }
}

/// Charts small enough for a table cell, drawn as inline SVG.
enum InlineCharts {
  /// A sparkline with its last point marked; nil is a run without a value. `text` formats a value.
  static func spark(
    _ values: [Double?], within range: ClosedRange<Double>, of what: String = "runs, the oldest first",
    text: (Double) -> String, into html: inout HTML
  ) {
    let known = values.count { $0 != nil }
    let latest = values.last ?? nil
    guard known > 1 else {
      html.element("span", ["class": "muted"], latest == nil ? ValueText.unknown : "first run")
      return
    }
    let label =
      "\(what.hasPrefix("runs") ? "last " : "")\(values.count) \(what): "
      + values.map { $0.map(text) ?? "none" }.joined(separator: ", ")
    let (width, height) = (84.0, 20.0)
    let (low, top) = (range.lowerBound, max(range.upperBound, range.lowerBound + 1e-9))
    let step = (width - 6) / Double(max(values.count - 1, 1))
    var segments: [[String]] = [[]]
    var last = (x: 0.0, y: 0.0)
    for (index, value) in values.enumerated() {
      guard let value else {
        segments.append([])
        continue
      }
      last = (3 + step * Double(index), height - 3 - (value - low) / (top - low) * (height - 6))
      segments[segments.count - 1].append("\(GnuplotText.number(last.x)),\(GnuplotText.number(last.y))")
    }
    html.element("svg", ["class": "spark", "viewBox": "0 0 84 20", "role": "img", "aria-label": label]) {
      svg in
      for segment in segments where !segment.isEmpty {
        svg.element("polyline", ["points": segment.joined(separator: " ")], "")
      }
      guard latest != nil else { return }
      svg.element(
        "circle", ["cx": GnuplotText.number(last.x), "cy": GnuplotText.number(last.y), "r": "2.4"], "")
    }
  }

  /// An interval on an axis from −`reach` to `reach`, with the margin as a dashed line.
  static func interval(
    _ value: Double, low: Double, high: Double, margin: Double?, reach: Double, label: String,
    into html: inout HTML
  ) {
    func place(_ number: Double) -> String {
      GnuplotText.number(55 + max(-1, min(1, number / (reach * 1.1))) * 52)
    }
    html.element("svg", ["class": "interval", "viewBox": "0 0 110 16", "role": "img", "aria-label": label]) {
      svg in
      svg.element("line", ["class": "zero", "x1": place(0), "x2": place(0), "y1": "1", "y2": "15"], "")
      if let margin {
        svg.element(
          "line", ["class": "margin", "x1": place(margin), "x2": place(margin), "y1": "1", "y2": "15"], "")
      }
      svg.element("line", ["class": "range", "x1": place(low), "x2": place(high), "y1": "8", "y2": "8"], "")
      svg.element("circle", ["cx": place(value), "cy": "8", "r": "3.2"], "")
    }
  }
}

/// Scales shared by the rows of a table, so that their charts can be compared.
struct ColumnScales {
  private var sparks: [String: ClosedRange<Double>] = [:]
  private var reaches: [String: Double] = [:]

  init(_ part: TablePart, _ table: Table) {
    for column in part.columns {
      switch column.format {
      case .spark:
        let values = table.rows.flatMap { Self.list(table.cell($0, column.column)).compactMap { $0 } }
        sparks[column.column] = Self.range(values)
      case .change:
        for row in table.rows {
          let key = Self.key(column, table, row)
          let ends = ["", "_low", "_high"].map { table.cell(row, column.column + $0).number }
          let far = (ends + [table.cell(row, "margin").number]).compactMap { $0.map { abs($0) } }.max()
          reaches[key] = max(reaches[key] ?? 1e-9, far ?? 0)
        }
      default: break
      }
    }
  }

  /// Lowest and highest value of all sparklines in a column.
  func spark(_ column: ColumnPart) -> ClosedRange<Double> { sparks[column.column] ?? 0...1 }

  /// Largest distance from zero in any row with the same figure.
  func reach(_ column: ColumnPart, _ table: Table, _ row: [Cell]) -> Double {
    reaches[Self.key(column, table, row)] ?? 1
  }

  /// The figure of a row, from its column `figure`; nil if the table has no such column.
  static func figure(_ table: Table, _ row: [Cell]) -> String? {
    table.cell(row, "figure").string
  }

  /// Comma-separated numbers; nil for each that is unknown.
  static func list(_ cell: Cell) -> [Double?] {
    (cell.string ?? cell.number.map { CellText.shortest($0) } ?? "").split(
      separator: ",", omittingEmptySubsequences: false
    ).map { Double($0.trimmed) }
  }

  private static func key(_ column: ColumnPart, _ table: Table, _ row: [Cell]) -> String {
    column.column + " " + (figure(table, row) ?? "")
  }

  /// The scale spans at least a fifth of the highest value, so that noise does not look like a change.
  private static func range(_ values: [Double]) -> ClosedRange<Double>? {
    guard let low = values.min(), let high = values.max() else { return nil }
    let room = max(0, 0.2 * abs(high) - (high - low)) / 2
    return (low - room)...(high + room)
  }
}
