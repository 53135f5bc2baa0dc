import Rendering

/// A report as defined in its folder: queries, plots, and parts of the page.
public struct ReportDefinition: Sendable, Equatable {
  /// Folder and file it was read from.
  public var folder: String
  public var file: String
  public var title: String
  /// Files in its folder.
  public var style: NamedFile?
  /// The page's script; the content security policy allows no other.
  public var script: NamedFile?
  public var gates: NamedFile?
  public var queries: [QueryPart]
  public var parts: [PagePart]
}

/// A file named in a definition, with the line that names it.
public struct NamedFile: Sendable, Equatable {
  public var name: String
  public var line: Int
}

/// A query of a report.
public struct QueryPart: Sendable, Equatable {
  public var name: String
  /// A `.sql` file, a result that callqa computes itself (`verdicts`, `gates`, `changes`), or the name of another query
  /// whose rows are reused.
  public var source: String
  var sourceLine: Int
  /// Other queries whose columns are joined to this one, and the column they share.
  public var joins: [QueryJoin]
  /// Sort order, applied after joining; nil keeps the query's order.
  public var order: ColumnValues?
  /// Only rows with one of these values in a column are kept; nil keeps all.
  public var only: ColumnValues?
  /// Query parameters: a number, a text, or `run-end`, the instant after the last reported call.
  public var settings: [QuerySetting]
  /// Whether the rows are also written to a CSV file.
  public var isWritten: Bool
  public var line: Int
}

/// Joins a query's columns to those of another.
public struct QueryJoin: Sendable, Equatable {
  public var name: String
  /// The column that both have.
  public var key: String
  /// Whether the other query has several rows per key; their numbers are joined into one comma-separated text column,
  /// `…_list`.
  public var isList: Bool
  public var line: Int
}

/// A column and some of its values. Used to sort (rows with the first value come first, then the second, then the rest)
/// or to filter.
public struct ColumnValues: Sendable, Equatable {
  public var column: String
  public var values: [String]
  public var line: Int
}

/// A query parameter and the value that the definition gives it.
public struct QuerySetting: Sendable, Equatable {
  public var name: String
  public var value: String
  public var line: Int
}

/// A part of the page, from top to bottom.
public enum PagePart: Sendable, Equatable {
  /// The verdict in one line, with run, build, baseline and time zone.
  case verdict
  /// What changed and how certain that is.
  case sentences
  case heading(String)
  case text(String)
  case table(TablePart)
  case facts(TablePart)
  case plot(PlotPart)
}

/// A table of a query's rows or, as `facts`, the first row as labelled figures.
public struct TablePart: Sendable, Equatable {
  public var query: String
  public var title: String
  public var note: String
  /// Text shown if there are no rows.
  public var otherwise: String
  public var limit: Int
  /// Rows with this value in the column are collapsed, with their count.
  public var fold: Fold?
  /// A row needs a value in at least one of these columns; other rows are only counted here and listed in the CSV file.
  /// Empty shows every row.
  public var needs: [String]
  /// If all rows have the same value in this column, one sentence with it replaces the table, which is collapsed.
  public var once: String?
  /// Whether the whole table is collapsed under its title.
  public var isFolded: Bool
  public var columns: [ColumnPart]
  public var line: Int
}

/// Which rows are collapsed.
public struct Fold: Sendable, Equatable {
  public var column: String
  public var value: String
}

/// A column: its source, heading and format.
public struct ColumnPart: Sendable, Equatable {
  public var column: String
  public var heading: String
  public var format: ColumnFormat
  public var line: Int
}

/// How a value is formatted on a page.
public enum ColumnFormat: String, Sendable, CaseIterable {
  case text, integer, score, percent, ms, points, number
  /// A value of the figure that column `figure` names, or that `gate` begins with: per cent, ms or points.
  case figure
  /// The value with its interval from the columns `…_low` and `…_high`.
  case change
  /// Comma-separated numbers as a sparkline.
  case spark
  /// pass, inconclusive, fail and similar words as a badge.
  case verdict
  /// A call's id, linked to its page.
  case call
  /// Milliseconds since the epoch, in the reader's time zone.
  case time
  /// Milliseconds as minutes and seconds.
  case duration
  /// A JSON array or comma-separated list of words.
  case words
  /// A share as a bar with its percentage.
  case bar
}

/// A plot of a query's rows.
public struct PlotPart: Sendable, Equatable {
  public var name: String
  public var query: String
  public var shape: Plot.Shape
  public var title: String
  public var note: String
  public var x: String
  /// Columns with their names in the legend.
  public var y: [(column: String, title: String)]
  /// Column that splits the rows into lines or colours.
  public var series: String?
  public var xLabel: String
  public var yLabel: String
  public var xRange: PlotRange?
  public var yRange: PlotRange?
  /// Factor applied to every y (100 turns shares into per cent).
  public var scale: Double
  /// Minimum number of distinct x values; with fewer, `otherwise` is shown.
  public var needs: Int
  public var otherwise: String
  public var line: Int
  /// Line numbers of `x`, `series` and each `y`, in the order of `columns`.
  var columnLines: [Int]

  /// Every column that it uses: x, the series, the values.
  var columns: [String] { [x] + [series].compactMap { $0 } + y.map(\.column) }

  public static func == (a: PlotPart, b: PlotPart) -> Bool {
    a.name == b.name && a.query == b.query && a.shape == b.shape && a.title == b.title && a.line == b.line
      && a.y.map(\.column) == b.y.map(\.column)
  }
}

extension ReportDefinition {
  /// Reads `folder/report.txt`; throws the first error with file and line.
  public static func read(folder: String) throws -> ReportDefinition {
    let file = folder + "/report.txt"
    let bytes = try FileBytes.read(file, atMost: 1 << 20)
    return try ReportDefinition(text: String(decoding: bytes, as: UTF8.self), file: file, folder: folder)
  }

  /// Parses the text of a definition; throws the first error with file and line.
  public init(text: String, file: String, folder: String) throws {
    (self.folder, self.file) = (folder, file)
    (title, queries, parts) = ("", [], [])
    for section in try DefinitionSection.sections(of: text, file: file) { try take(section) }
    guard !title.isEmpty else { throw PlacedError(file, nil, "no [report] section with a 'title = …'") }
    guard !parts.isEmpty else {
      throw PlacedError(file, nil, "no part of a page in it, such as [table calls]")
    }
    try checkNames()
  }

  private mutating func take(_ section: DefinitionSection) throws {
    switch section.kind {
    case "report":
      try section.allow(["title", "style", "script", "gates"])
      title = try section.needed("title").value
      style = try section.file("style")
      script = try section.file("script")
      gates = try section.file("gates")
    case "query": queries.append(try QueryPart(section))
    case "verdict", "sentences":
      try section.allow([])
      parts.append(section.kind == "verdict" ? .verdict : .sentences)
    case "heading":
      try section.allow([])
      parts.append(.heading(section.name))
    case "text":
      try section.allow(["text"])
      parts.append(.text(try section.needed("text").value))
    case "table": parts.append(.table(try TablePart(section)))
    case "facts": parts.append(.facts(try TablePart(section)))
    case "plot": parts.append(.plot(try PlotPart(section)))
    default:
      let kinds = ["report", "query", "verdict", "sentences", "heading", "text", "table", "facts", "plot"]
      let near = Spelling.nearest(to: section.kind, among: kinds).map { "; did you mean [\($0)]?" } ?? "."
      throw PlacedError(
        section.file, section.line,
        "no section is called [\(section.kind)]\(near) There are: \(kinds.joined(separator: ", "))")
    }
  }

  /// Throws if a part or a join names a query that is not defined.
  private func checkNames() throws {
    let names = queries.map(\.name)
    func check(_ name: String, _ line: Int) throws {
      guard !names.contains(name) else { return }
      let near = Spelling.nearest(to: name, among: names).map { "; did you mean '\($0)'?" } ?? ""
      throw PlacedError(file, line, "there is no [query \(name)]\(near)")
    }
    for (index, query) in queries.enumerated() {
      guard !names[..<index].contains(query.name) else {
        throw PlacedError(file, query.line, "[query \(query.name)] is defined twice")
      }
      for join in query.joins { try check(join.name, join.line) }
    }
    for part in parts {
      switch part {
      case .table(let table), .facts(let table): try check(table.query, table.line)
      case .plot(let plot): try check(plot.query, plot.line)
      case .verdict, .sentences, .heading, .text: break
      }
    }
  }
}

extension QueryPart {
  init(_ section: DefinitionSection) throws {
    try section.allow(["from", "join", "order", "only", "set", "csv"])
    guard !section.name.isEmpty else {
      throw PlacedError(section.file, section.line, "a query needs a name: [query calls]")
    }
    guard section.name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
    else {
      throw PlacedError(
        section.file, section.line, "the name of a query becomes a file name: letters, digits, - and _ only")
    }
    name = section.name
    line = section.line
    let from = try section.value("from")
    source = from?.value ?? section.name + ".sql"
    sourceLine = from?.line ?? section.line
    joins = try section.entries.filter { $0.key == "join" }.map { entry in
      let words = entry.value.split(separator: " ")
      let isList = words.count == 5 && words[3...] == ["as", "list"]
      guard words.count == 3 || isList, words[1] == "on" else {
        throw PlacedError(
          section.file, entry.line, "expected 'join = QUERY on COLUMN', or the same 'as list'")
      }
      return QueryJoin(name: String(words[0]), key: String(words[2]), isList: isList, line: entry.line)
    }
    func values(_ key: String) throws -> ColumnValues? {
      try section.value(key).map { entry in
        let words = entry.value.split(separator: " ").map(String.init)
        guard words.count > 1 else {
          throw PlacedError(section.file, entry.line, "expected '\(key) = COLUMN FIRST-VALUE SECOND-VALUE …'")
        }
        return ColumnValues(column: words[0], values: Array(words[1...]), line: entry.line)
      }
    }
    order = try values("order")
    only = try values("only")
    settings = try section.entries.filter { $0.key == "set" }.map { entry in
      let words = entry.value.split(separator: " ", maxSplits: 1)
      guard words.count == 2 else {
        throw PlacedError(section.file, entry.line, "expected 'set = PARAMETER VALUE'")
      }
      let name = String(words[0].hasPrefix(":") ? words[0].dropFirst() : words[0])
      return QuerySetting(name: name, value: String(words[1].trimmed), line: entry.line)
    }
    let csv = try section.value("csv")
    guard csv == nil || csv?.value == "yes" || csv?.value == "no" else {
      throw PlacedError(section.file, csv?.line, "csv is yes or no")
    }
    isWritten = csv?.value != "no"
  }
}
