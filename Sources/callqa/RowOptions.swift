import ArgumentParser
import Rendering

/// Options for how rows are printed.
struct RowOptions: ParsableArguments {
  @Flag(help: "JSON Lines, one object per row.")
  var json = false

  @Flag(help: "CSV by RFC 4180.")
  var csv = false

  @Option(help: ArgumentHelp("table, json, csv, tsv or markdown.", valueName: "format"))
  var format: RowFormat?

  @Option(parsing: .unconditional, help: ArgumentHelp("At most this many rows.", valueName: "n"))
  var limit: Int?

  @Option(
    help: ArgumentHelp(
      "Time zone of tables, e.g. Europe/Berlin (default: local). JSON and CSV are always UTC.",
      valueName: "zone"))
  var tz: String?

  @Flag(help: "No progress and no notes on stderr.")
  var quiet = false

  func validate() throws {
    guard limit.map({ $0 >= 0 }) ?? true else { throw ValidationError("--limit must not be negative.") }
    guard [json, csv, format != nil].filter({ $0 }).count <= 1 else {
      throw ValidationError("--json, --csv and --format exclude each other.")
    }
    try CallViewOptions.check(zone: tz)
  }

  /// The chosen format.
  var rowFormat: RowFormat { json ? .json : csv ? .csv : format ?? .table }

  /// The time zone in which times are shown.
  var zone: Zone { tz.flatMap(Zone.init(named:)) ?? .local() }

  /// A printer of rows with these columns to standard output.
  func printer(columns: [String]) throws -> RowPrinter {
    RowPrinter(columns: columns, as: rowFormat, limit: limit, for: .of(zone: zone), to: .standard())
  }
}

extension RowFormat: ExpressibleByArgument {}
