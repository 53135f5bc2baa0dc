import CallModel
import Rendering

/// Puts a report's parts on one page, top to bottom.
struct PageWriter {
  var definition: ReportDefinition
  var answers: [String: Table]
  var headline: Headline
  var sentences: [LinkedSentence]
  /// The calls that the headline is about.
  var groups: [LinkedGroup] = []
  /// The previous night, and the link to its page.
  var previous: (name: String, link: String)?
  /// Text for tables and plots without content; nil uses their own (`otherwise`).
  var placeholder: String?
  /// `<svg>` elements by plot name.
  var pictures: [String: [UInt8]]
  /// Why a plot could not be made, by plot name. A plot in neither dictionary had too little data.
  var pictureProblems: [String: String]
  var cells: CellHTML
  var style: [UInt8]
  var script: [UInt8] = []

  func page() -> [UInt8] {
    HTML.page(
      title: "\(headline.line) · \(definition.title)", style: style, script: script,
      // Inline styles are needed for the widths of bars. Only the report's own script may run.
      policy: "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
        + (script.isEmpty ? "" : "; script-src 'sha256-\(PageSecurity.digest(script))'")
    ) { body in
      contents(&body)
      body.element("main") { main in
        nights(&main)
        write(&main)
      }
    }
  }

  /// Links to the previous and next night.
  private func nights(_ main: inout HTML) {
    main.element("nav", ["class": "nights", "aria-label": "Other nights"]) { nav in
      if let previous {
        nav.element("a", ["href": Escape.path(previous.link), "rel": "prev"], "‹ \(previous.name)")
      }
      nav.element("a", ["href": "nights/index.html"], "all nights")
      nav.element("span", ["class": "next"]) { _ in }
    }
  }

  /// Links to the headings: collapsed at the top, or beside the page if there is space and a script to expand them.
  private func contents(_ body: inout HTML) {
    let headings = definition.parts.compactMap { part -> String? in
      if case .heading(let text) = part { text } else { nil }
    }
    guard headings.count > 2 else { return }
    body.element("nav", ["class": "contents", "aria-label": "Contents"]) { nav in
      nav.element("details") { fold in
        fold.element("summary", "Contents")
        fold.element("ul") { list in
          for part in definition.parts {
            switch part {
            case .heading(let text): entry(text, Self.anchor(text), &list)
            case .table(let table) where !table.title.isEmpty && answers[table.query]?.rows.isEmpty == false:
              entry(table.title, table.query, &list, isInner: true)
            default: break
            }
          }
        }
      }
    }
  }

  private func entry(_ text: String, _ anchor: String, _ list: inout HTML, isInner: Bool = false) {
    list.element("li", ["class": isInner ? "inner" : nil]) {
      $0.element("a", ["href": "#\(Escape.path(anchor))"], text)
    }
  }

  /// The id of a heading.
  private static func anchor(_ heading: String) -> String {
    "h-" + String(heading.lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" })
  }

  private func write(_ main: inout HTML) {
    var index = 0
    // Plots without enough data share one line; an empty frame for each would bury the others.
    var notDrawn: [(title: String, why: String)] = []
    // A title before the first heading has the level of a heading.
    var hasHeading = false
    while index < definition.parts.count {
      if case .plot = definition.parts[index] {
        // Consecutive plots stand side by side if there is space.
        var drawn: [PlotPart] = []
        while index < definition.parts.count, case .plot(let plot) = definition.parts[index] {
          if pictures[plot.name] == nil, pictureProblems[plot.name] == nil {
            notDrawn.append((plot.title, placeholder ?? plot.otherwise))
          } else {
            drawn.append(plot)
          }
          index += 1
        }
        if !drawn.isEmpty {
          main.element("div", ["class": "plots"]) { row in
            for plot in drawn { picture(plot, isUnderHeading: hasHeading, &row) }
          }
        }
        if !notDrawn.isEmpty {
          main.element("p", ["class": "note undrawn"], Self.words(notDrawn))
          notDrawn = []
        }
      } else {
        if case .heading = definition.parts[index] { hasHeading = true }
        write(definition.parts[index], isUnderHeading: hasHeading, &main)
        index += 1
      }
    }
  }

  private static func words(_ notDrawn: [(title: String, why: String)]) -> String {
    var reasons: [String] = []
    for entry in notDrawn where !reasons.contains(entry.why) { reasons.append(entry.why) }
    let parts = reasons.map { why in
      let titles = notDrawn.filter { $0.why == why }.map { "“\($0.title)”" }
      return "\(why.hasSuffix(".") ? String(why.dropLast()) : why): \(Measure.list(titles))."
    }
    return parts.joined(separator: " ")
  }

  private func write(_ part: PagePart, isUnderHeading: Bool, _ main: inout HTML) {
    switch part {
    case .verdict: verdict(&main)
    case .sentences:
      // Which calls to open comes first, why to believe it after that.
      write(groups: &main)
      write(sentences: &main)
    case .heading(let text): main.element("h2", ["id": Self.anchor(text)]) { $0.text(text) }
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

  func head(
    _ part: TablePart, written name: String, isUnderHeading: Bool, _ section: inout HTML
  ) {
    guard !part.title.isEmpty else { return }
    section.element(isUnderHeading ? "h3" : "h2") { title in
      title.text(part.title)
      if isWritten(name) {
        title.element("a", ["class": "csv", "href": "csv/\(Escape.path(name)).csv"], "CSV")
      }
    }
    if !part.note.isEmpty { section.element("p", ["class": "note"]) { $0.prose(part.note) } }
  }

  func isWritten(_ query: String) -> Bool {
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
      // Zero figures share one line; ten zeros would hide the figure that is not zero.
      let isNone = { (column: ColumnPart) in table.cell(row, column.column).number == 0 }
      let isUnknown = { (column: ColumnPart) in table.cell(row, column.column).isNull }
      let shown = part.columns.filter { !isNone($0) && !isUnknown($0) }
      if !shown.isEmpty {
        section.element("dl") { list in
          for column in shown {
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
      let unknown = part.columns.filter(isUnknown).map(\.heading)
      let words = [("None", none), ("Not known", unknown)].filter { !$0.1.isEmpty }
        .map { "\($0.0): \($0.1.joined(separator: ", "))." }.joined(separator: " ")
      guard !words.isEmpty else { return }
      section.element("p", ["class": "note"], shown.isEmpty ? "\(part.otherwise) \(words)" : words)
    }
  }

  /// Whether any of the figures is known and not zero.
  private func isSomething(_ part: TablePart, _ table: Table, _ row: [Cell]) -> Bool {
    part.columns.contains { (table.cell(row, $0.column).number ?? 0) != 0 }
  }

  private func picture(_ plot: PlotPart, isUnderHeading: Bool, _ row: inout HTML) {
    row.element("figure", ["id": "plot-\(plot.name)"]) { figure in
      figure.element(isUnderHeading ? "h3" : "h2", plot.title)
      if let picture = pictures[plot.name] {
        // A plot that scrolls sideways on a small screen needs keyboard focus.
        figure.element(
          "div", ["class": "picture", "tabindex": "0", "role": "region", "aria-label": plot.title]
        ) { $0.trusted(picture) }
        figure.element("figcaption") { caption in
          caption.prose(plot.note)
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
        figure.element("p", ["class": "empty"], pictureProblems[plot.name] ?? plot.otherwise)
      }
    }
  }

  static func isNumber(_ format: ColumnFormat) -> Bool {
    [.integer, .score, .percent, .ms, .points, .number, .figure, .duration].contains(format)
  }
}
