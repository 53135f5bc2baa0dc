import CallModel

/// Puts a report's parts on one page, top to bottom.
struct PageWriter {
  var definition: ReportDefinition
  var answers: [String: Table]
  var headline: Headline
  var sentences: [String]
  /// What stands for tables and pictures without content; nil leaves each its own words (`otherwise`).
  var placeholder: String?
  /// `<svg>` elements by the plot's name.
  var pictures: [String: [UInt8]]
  /// What kept pictures from being made, in words, by the plot's name; of others there was not enough to draw.
  var pictureProblems: [String: String]
  var cells: CellHTML
  var style: [UInt8]

  func page() -> [UInt8] {
    var html = HTML()
    html.markup("<!doctype html>\n<html lang=\"en\">\n")
    html.element("head") { head in
      head.markup(
        "<meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")
      head.markup(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
      )
      head.element("title", "\(headline.line) · \(definition.title)")
      head.open("style")
      head.trusted(style)
      head.close("style")
    }
    html.element("body") { body in
      body.element("main") { main in write(&main) }
    }
    html.markup("\n</html>\n")
    return html.bytes
  }

  private func write(_ main: inout HTML) {
    var index = 0
    // What stands above the first heading is as high in the outline as that.
    var hasHeading = false
    while index < definition.parts.count {
      if case .plot = definition.parts[index] {
        // Pictures that follow each other stand side by side where there is room.
        main.element("div", ["class": "plots"]) { row in
          while index < definition.parts.count, case .plot(let plot) = definition.parts[index] {
            picture(plot, isUnderHeading: hasHeading, &row)
            index += 1
          }
        }
      } else {
        if case .heading = definition.parts[index] { hasHeading = true }
        write(definition.parts[index], isUnderHeading: hasHeading, &main)
        index += 1
      }
    }
  }

  private func write(_ part: PagePart, isUnderHeading: Bool, _ main: inout HTML) {
    switch part {
    case .verdict: verdict(&main)
    case .sentences:
      main.element("section", ["class": "sentences", "aria-label": "What changed, and how sure that is"]) {
        section in
        for sentence in sentences { section.element("p", sentence) }
      }
    case .heading(let text): main.element("h2", text)
    case .text(let text): main.element("p", ["class": "prose"], text)
    case .table(let table): write(table, isUnderHeading: isUnderHeading, &main)
    case .facts(let facts): write(facts: facts, isUnderHeading: isUnderHeading, &main)
    case .plot: break
    }
  }

  private func verdict(_ main: inout HTML) {
    main.element("header", ["class": "verdict \(headline.tone)"]) { header in
      header.element("p", ["class": "title"], definition.title)
      header.element("h1") { title in
        title.element("span", ["class": "mark", "aria-hidden": "true"], headline.mark)
        title.text(headline.line)
      }
      header.element("dl") { list in
        for (name, value) in headline.facts {
          list.element("div") { pair in
            pair.element("dt", name)
            pair.element("dd", value)
          }
        }
      }
    }
  }

  private func write(_ part: TablePart, isUnderHeading: Bool, _ main: inout HTML) {
    guard let table = answers[part.query] else { return }
    main.element("section", ["class": "table", "id": part.query]) { section in
      head(part, written: part.query, isUnderHeading: isUnderHeading, &section)
      guard !table.rows.isEmpty else {
        section.element("p", ["class": "empty"], placeholder ?? part.otherwise)
        return
      }
      // A table that scrolls sideways on a small screen can be scrolled by the keyboard, and has its title for a name.
      let name = part.title.isEmpty ? part.query : part.title
      section.element(
        "div", ["class": "scroll", "tabindex": "0", "role": "region", "aria-label": name]
      ) {
        $0.element("table", ["aria-label": name]) { body in
          body.element("thead") { head in
            head.element("tr") { row in
              for column in part.columns {
                row.element(
                  "th", ["scope": "col", "class": Self.isNumber(column.format) ? "n" : nil], column.heading)
              }
            }
          }
          let scales = ColumnScales(part, table)
          body.element("tbody") { rows in
            let isGrouped = Self.isGrouped(part, table)
            var before: [Cell]?
            for values in table.rows.prefix(part.limit) {
              row(part, table, values, after: before, scales, &rows)
              before = isGrouped ? values : nil
            }
          }
        }
      }
      if table.rows.count > part.limit {
        let more = "\(Words.count(table.rows.count - part.limit, "more row"))"
        section.element("p", ["class": "note more"]) { note in
          let file = "csv/\(Escape.path(part.query)).csv"
          if isWritten(part.query) { note.element("a", ["href": file], more) } else { note.text(more) }
        }
      }
    }
  }

  /// Whether rows with the same first column stand together, so that it need be read but once.
  private static func isGrouped(_ part: TablePart, _ table: Table) -> Bool {
    guard let column = part.columns.first, column.format == .text else { return false }
    let values = table.rows.prefix(part.limit).map { table.cell($0, column.column) }
    let runs = zip(values, values.dropFirst()).count { $0 != $1 } + 1
    var met: [Cell] = []
    for value in values where !met.contains(value) { met.append(value) }
    return runs == met.count
  }

  /// A row; what its first column repeats of the row before recedes.
  private func row(
    _ part: TablePart, _ table: Table, _ values: [Cell], after before: [Cell]?, _ scales: ColumnScales,
    _ rows: inout HTML
  ) {
    rows.element("tr") { row in
      for (index, column) in part.columns.enumerated() {
        let repeats =
          index == 0
          && before.map { table.cell($0, column.column) == table.cell(values, column.column) } == true
        let kind = Self.isNumber(column.format) ? "n" : repeats ? "same" : nil
        row.element("td", ["data-label": column.heading, "class": kind]) { cell in
          cells.write(table, values, column, scales, into: &cell)
        }
      }
    }
  }

  private func head(
    _ part: TablePart, written name: String, isUnderHeading: Bool, _ section: inout HTML
  ) {
    guard !part.title.isEmpty else { return }
    section.element(isUnderHeading ? "h3" : "h2") { title in
      title.text(part.title)
      if isWritten(name) {
        title.element("a", ["class": "csv", "href": "csv/\(Escape.path(name)).csv"], "CSV")
      }
    }
    if !part.note.isEmpty { section.element("p", ["class": "note"], part.note) }
  }

  private func isWritten(_ query: String) -> Bool {
    definition.queries.contains { $0.name == query && $0.isWritten }
  }

  private func write(facts part: TablePart, isUnderHeading: Bool, _ main: inout HTML) {
    guard let table = answers[part.query] else { return }
    main.element("section", ["class": "facts", "id": part.query]) { section in
      head(part, written: part.query, isUnderHeading: isUnderHeading, &section)
      guard let row = table.rows.first, placeholder == nil || isSomething(part, table, row) else {
        section.element("p", ["class": "empty"], placeholder ?? part.otherwise)
        return
      }
      // What there is none of is said in a line: ten noughts hide the figure that is none.
      let isNone = { (column: ColumnPart) in table.cell(row, column.column).number == 0 }
      let told = part.columns.filter { !isNone($0) }
      if !told.isEmpty {
        section.element("dl") { list in
          for column in told {
            list.element("div") { pair in
              pair.element("dt", column.heading)
              pair.element("dd") { value in
                cells.write(table, row, column, ColumnScales(part, table), into: &value)
              }
            }
          }
        }
      }
      let none = part.columns.filter(isNone).map(\.heading)
      guard !none.isEmpty else { return }
      let words = "None: \(none.joined(separator: ", "))."
      section.element("p", ["class": "note"], told.isEmpty ? "\(part.otherwise) \(words)" : words)
    }
  }

  /// Whether any of the figures is known and not nought.
  private func isSomething(_ part: TablePart, _ table: Table, _ row: [Cell]) -> Bool {
    part.columns.contains { (table.cell(row, $0.column).number ?? 0) != 0 }
  }

  private func picture(_ plot: PlotPart, isUnderHeading: Bool, _ row: inout HTML) {
    row.element("figure", ["id": "plot-\(plot.name)"]) { figure in
      figure.element(isUnderHeading ? "h3" : "h2", plot.title)
      if let picture = pictures[plot.name] {
        // What scrolls sideways on a small screen can be scrolled by the keyboard too.
        figure.element(
          "div", ["class": "picture", "tabindex": "0", "role": "region", "aria-label": plot.title]
        ) { $0.trusted(picture) }
        figure.element("figcaption") { caption in
          caption.text(plot.note)
          let query = plot.query
          if isWritten(query) {
            caption.element("a", ["class": "csv", "href": "csv/\(Escape.path(query)).csv"], "CSV")
          }
          for ending in ["svg", "png"] {
            caption.element(
              "a", ["class": "csv", "href": "plots/\(Escape.path(plot.name)).\(ending)"], ending.uppercased())
          }
        }
      } else {
        figure.element("p", ["class": "empty"], pictureProblems[plot.name] ?? placeholder ?? plot.otherwise)
      }
    }
  }

  private static func isNumber(_ format: ColumnFormat) -> Bool {
    [.integer, .score, .percent, .ms, .points, .number, .figure, .duration].contains(format)
  }
}
