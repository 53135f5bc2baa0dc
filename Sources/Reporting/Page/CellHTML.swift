import CallModel

/// Writes one value of a table into a page, in its column's format.
struct CellHTML {
  var words: Words
  /// The page of a call, by its id, where one was made with the report.
  var callPage: (String) -> String?
  /// Longest text shown of a value that came from outside.
  static let longest = 240

  func write(
    _ table: Table, _ row: [Cell], _ column: ColumnPart, _ scales: ColumnScales, into html: inout HTML
  ) {
    let cell = table.cell(row, column.column)
    guard !cell.isNull else {
      html.element("span", ["class": "muted", "title": "not known"], Words.unknown)
      return
    }
    switch column.format {
    case .verdict: badge(cell.string ?? "", into: &html)
    case .call: call(cell.string ?? words.text(cell, .text), into: &html)
    case .spark:
      let isShare = column.column.contains("share")
      SmallPictures.spark(
        ColumnScales.list(cell), within: scales.spark(column),
        text: { isShare ? Words.percent($0) : CellText.fixed($0, decimals: 1) }, into: &html)
    case .bar: bar(cell.number ?? 0, into: &html)
    case .change: change(table, row, column, reach: scales.reach(column, table, row), into: &html)
    case .figure: html.text(Words.figure(cell.number ?? .nan, of: ColumnScales.figure(table, row)))
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
      case let word where Verdict.Word(rawValue: word) != nil: Self.sign(Verdict.Word(rawValue: word))
      default: ("plain", "·")
      }
    let word =
      ["fail": "BLOCK", "block": "BLOCK", "pass": "pass", "inconclusive": "unsure"][verdict] ?? verdict
    html.element("span", ["class": "badge \(tone)"], "\(mark) \(word)")
  }

  /// How the verdict on a call is coloured, the same everywhere.
  private static func sign(_ word: Verdict.Word?) -> (String, String) {
    switch word {
    case .failed, .dropped, .silent: ("fail", "✕")
    case .noPicture, .poor: ("unsure", "!")
    case .good, .fair: ("pass", "✓")
    case .notSent, .notSetUp, .unjudged, nil: ("plain", "·")
    }
  }

  private func call(_ id: String, into html: inout HTML) {
    if let page = callPage(id) {
      html.element("a", ["href": Escape.path(page)], shortened(id))
    } else {
      html.element("span", ["class": "id"], shortened(id))
    }
  }

  private func bar(_ share: Double, into html: inout HTML) {
    let width = Words.fixed(max(0, min(1, share)) * 100, 1)
    html.element("span", ["class": "bar", "style": "--v:\(width)%"], Words.percent(share))
  }

  private func change(
    _ table: Table, _ row: [Cell], _ column: ColumnPart, reach: Double, into html: inout HTML
  ) {
    guard let value = table.cell(row, column.column).number else { return }
    let figure = ColumnScales.figure(table, row)
    guard let low = table.cell(row, column.column + "_low").number,
      let high = table.cell(row, column.column + "_high").number
    else {
      html.element("span", ["class": "figure"], Words.moves([value], of: figure)[0] + Words.unit(of: figure))
      html.element("span", ["class": "muted range"], " too few calls for an interval")
      return
    }
    let words = Words.moves([value, low, high], of: figure)
    html.element("span", ["class": "figure"], words[0] + Words.unit(of: figure))
    html.element("span", ["class": "muted range"], " \(words[1]) … \(words[2])")
    SmallPictures.interval(
      value, low: low, high: high, margin: table.cell(row, "margin").number, reach: reach,
      label: "between \(words[1]) and \(words[2])", into: &html)
  }

  private func shortened(_ text: String) -> String {
    text.count > Self.longest ? text.prefix(Self.longest - 1) + "…" : text
  }
}
