import ArgumentParser
import CallModel
import Importing

/// `callqa formats`: lists the formats that can be imported and how they are recognised.
struct Formats: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "formats",
    abstract: "Every format, how it is recognised, and an example.",
    usage: "callqa formats [<options>]",
    discussion: """
      A file is recognised by its content. gzip, zstd and brotli (.br) are undone on the way.

      Example:
        callqa formats --json
      """)

  @OptionGroup var rows: RowOptions

  func run() throws {
    var printer = try rows.printer(columns: ["format", "what", "recognised_by", "example"])
    for format in FormatCatalogue.all {
      try printer.row([
        .text(format.format.rawValue), .text(format.summary), .text(format.recognisedBy),
        .text(format.example),
      ])
    }
    for form in try FormatCatalogue.forms() {
      try printer.row([
        .text(SourceFormat.figures.rawValue), .text(form.title), .text(form.recognisedBy), .null,
      ])
    }
    try printer.finish()
  }
}
