import ArgumentParser

/// Which database: `--db`, else `CALLQA_DB`, else `callqa.sqlite` here.
struct DatabaseOptions: ParsableArguments {
  @Option(
    name: .customLong("db"),
    help: ArgumentHelp("The SQLite file (default: $CALLQA_DB, else callqa.sqlite here).", valueName: "file"))
  var path: String?
}

/// How rows are printed.
struct RowOptions: ParsableArguments {
  @Flag(help: "JSON Lines, one object a row.")
  var json = false

  @Flag(help: "CSV by RFC 4180.")
  var csv = false

  @Option(help: ArgumentHelp("table, json, csv, tsv or markdown.", valueName: "format"))
  var format: String?

  @Option(help: ArgumentHelp("At most this many rows.", valueName: "n"))
  var limit: Int?

  @Option(
    help: ArgumentHelp(
      "Time zone of tables, e.g. Europe/Berlin (default: local). JSON and CSV are always UTC.",
      valueName: "zone"))
  var tz: String?

  @Flag(help: "No progress and no notes on stderr.")
  var quiet = false
}
