/// A report as its folder describes it: which queries, which pictures, which parts of a page.
public struct ReportDefinition: Sendable, Equatable {
  /// Folder and file it was read from.
  public var folder: String
  public var file: String
  public var title: String
  /// Files of its folder.
  public var style: NamedFile?
  public var gates: NamedFile?
  public var queries: [QueryPart]
  public var parts: [PagePart]
}

/// A file that a definition names, and the line where it does.
public struct NamedFile: Sendable, Equatable {
  public var name: String
  public var line: Int
}

/// A question that a report asks.
public struct QueryPart: Sendable, Equatable {
  public var name: String
  /// `.sql` file, or one of the answers that callqa works out itself (`verdicts`, `gates`, `changes`).
  public var source: String
  var sourceLine: Int
  /// Other queries whose columns are put beside, and the columns they share.
  public var joins: [QueryJoin]
  /// What its rows are ordered by once all columns are there; nil leaves them as the query has them.
  public var order: QueryOrder?
  /// Parameters given to it: a number, a text, or `run-end`, the instant after the last call that is reported.
  public var settings: [QuerySetting]
  /// Whether the rows are also written as a file.
  public var isWritten: Bool
  public var line: Int
}

/// A query's columns beside another's.
public struct QueryJoin: Sendable, Equatable {
  public var name: String
  /// The column that both have.
  public var key: String
  /// Whether the other has several rows for a key, whose numbers are put into one comma-separated text, `…_list`.
  public var isList: Bool
  public var line: Int
}

/// The order of a query's rows: those with the first of these values first, then the second, then all others.
public struct QueryOrder: Sendable, Equatable {
  public var column: String
  public var values: [String]
  public var line: Int
}

/// A parameter of a query, and the value that the definition gives it.
public struct QuerySetting: Sendable, Equatable {
  public var name: String
  public var value: String
  public var line: Int
}

/// Something on the page, from top to bottom.
public enum PagePart: Sendable, Equatable {
  /// The verdict in one line, with run, build, baseline and zone.
  case verdict
  /// What changed and how sure that is.
  case sentences
  case heading(String)
  case text(String)
  case table(TablePart)
  case facts(TablePart)
  case plot(PlotPart)
}

/// A table of a query's rows, or (as `facts`) the first row as labelled figures.
public struct TablePart: Sendable, Equatable {
  public var query: String
  public var title: String
  public var note: String
  /// What to say where there are no rows.
  public var otherwise: String
  public var limit: Int
  public var columns: [ColumnPart]
  public var line: Int
}

/// A column: where its values come from, what its head says, how they are written.
public struct ColumnPart: Sendable, Equatable {
  public var column: String
  public var heading: String
  public var format: ColumnFormat
  public var line: Int
}

/// How a value is written on a page.
public enum ColumnFormat: String, Sendable, CaseIterable {
  case text, integer, score, percent, ms, points, number
  /// A value of the figure that the row's column `figure` names, or its `gate` begins with: per cent, ms, points.
  case figure
  /// The value with its interval from the columns `…_low` and `…_high`.
  case change
  /// Comma-separated numbers as a small line.
  case spark
  /// pass, inconclusive, fail and their kin as a badge.
  case verdict
  /// A call's id, linked to its page.
  case call
  /// Milliseconds since the epoch, in the reader's zone.
  case time
  /// Milliseconds as minutes and seconds.
  case duration
  /// A JSON array or comma-separated list of words.
  case words
  /// A share as a bar with its percentage.
  case bar
}

/// A picture of a query's rows.
public struct PlotPart: Sendable, Equatable {
  public var name: String
  public var query: String
  public var shape: Plot.Shape
  public var title: String
  public var note: String
  public var x: String
  /// Columns with their words in the key.
  public var y: [(column: String, title: String)]
  /// Column that splits the rows into lines or colours.
  public var series: String?
  public var xLabel: String
  public var yLabel: String
  public var xRange: PlotRange?
  public var yRange: PlotRange?
  /// What every y is multiplied with (100 turns shares into per cent).
  public var scale: Double
  /// Fewest different x for which the picture says anything; below, `otherwise` is printed.
  public var needs: Int
  public var otherwise: String
  public var line: Int
  /// Lines of `x`, `series` and of each `y`, in the order of `columns`.
  var columnLines: [Int]

  /// Every column that it draws: x, the series, the values.
  var columns: [String] { [x] + [series].compactMap { $0 } + y.map(\.column) }

  public static func == (a: PlotPart, b: PlotPart) -> Bool {
    a.name == b.name && a.query == b.query && a.shape == b.shape && a.title == b.title && a.line == b.line
      && a.y.map(\.column) == b.y.map(\.column)
  }
}
