import CallModel

extension Plot {
  /// The picture of a query's rows; nil where there are too few.
  ///
  /// With `series` each value of that column is a line or colour; otherwise each `y` is. Texts on the x axis stand in the order of the rows.
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
    } else {
      height = shape == .lying ? max(300, 170 + categories.count * 32) : 320
    }
  }

  /// As many words along the axis as find room, eight at most, evenly chosen, the last one among them.
  private static func ticks(_ words: [String]) -> [PlotTick] {
    // The axis is some 380 pixels long, a letter 8 wide.
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
