import CallModel

/// Writes one value of a table into a page, in its column's format.
struct CellHTML {
  var words: Words
  /// The page of a call, by its id, where one was made with the report.
  var callPage: (String) -> String?
  /// Longest text shown of a value that came from outside.
  static let longest = 240

  func write(_ table: Table, _ row: [Cell], _ column: ColumnPart, into html: inout HTML) {
    let cell = table.cell(row, column.column)
    guard !cell.isNull else {
      html.element("span", ["class": "muted", "title": "not known"], Words.unknown)
      return
    }
    switch column.format {
    case .verdict: badge(cell.string ?? "", into: &html)
    case .call: call(cell.string ?? words.text(cell, .text), into: &html)
    case .spark: spark(cell.string ?? words.text(cell, .number), into: &html)
    case .bar: bar(cell.number ?? 0, into: &html)
    case .change: change(table, row, column, into: &html)
    default: html.text(shortened(words.text(cell, column.format)))
    }
  }

  private func badge(_ verdict: String, into html: inout HTML) {
    let (tone, mark) =
      switch verdict {
      case "pass": ("pass", "✓")
      case "fail", "block": ("fail", "✕")
      case "inconclusive": ("unsure", "?")
      default: ("plain", "·")
      }
    let word =
      ["fail": "BLOCK", "block": "BLOCK", "pass": "pass", "inconclusive": "unsure"][verdict] ?? verdict
    html.element("span", ["class": "badge \(tone)"], "\(mark) \(word)")
  }

  private func call(_ id: String, into html: inout HTML) {
    if let page = callPage(id) {
      html.element("a", ["href": Escape.path(page)], shortened(id))
    } else {
      html.element("span", ["class": "id"], shortened(id))
    }
  }

  private func spark(_ list: String, into html: inout HTML) {
    let values = list.split(separator: ",", omittingEmptySubsequences: false).map { Double($0.trimmed) }
    SmallPictures.spark(values, label: "last \(values.count) runs: \(list)", into: &html)
  }

  private func bar(_ share: Double, into html: inout HTML) {
    let width = Words.fixed(max(0, min(1, share)) * 100, 1)
    html.element("span", ["class": "bar", "style": "--v:\(width)%"], Words.percent(share))
  }

  private func change(_ table: Table, _ row: [Cell], _ column: ColumnPart, into html: inout HTML) {
    guard let value = table.cell(row, column.column).number else { return }
    let low = table.cell(row, column.column + "_low").number
    let high = table.cell(row, column.column + "_high").number
    html.element("span", ["class": "figure"], Words.moved(value))
    guard let low, let high else {
      html.element("span", ["class": "muted"], " no interval: too few calls")
      return
    }
    let range = "\(Words.moved(low)) … \(Words.moved(high))"
    html.element("span", ["class": "muted range"], " \(range)")
    SmallPictures.interval(
      value, low: low, high: high, margin: table.cell(row, "margin").number, label: "between \(range)",
      into: &html)
  }

  private func shortened(_ text: String) -> String {
    text.count > Self.longest ? text.prefix(Self.longest - 1) + "…" : text
  }
}
