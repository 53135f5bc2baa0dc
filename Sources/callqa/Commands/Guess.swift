import ArgumentParser
import Bytes
import Importing
import Rendering

/// `callqa guess`: proposes a form for a table of figures.
struct Guess: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "guess",
    abstract: "Propose a form for a table of figures that callqa does not know.",
    discussion: """
      It goes by the names of the columns and by their values, and says what it is unsure of. It prints no cell, and imports \
      nothing. Read the form, and put it into a folder that CALLQA_DIALECTS names (docs/records.md).

      Example:
        callqa guess quality.csv > forms/acme.figures.json
        CALLQA_DIALECTS=forms callqa import quality.csv
      """)

  @Argument(
    help: ArgumentHelp("A table: CSV, TSV, JSON or JSON Lines, plain or compressed.", valueName: "file"))
  var file: String

  @Flag(help: "One JSON object: the form, and what is unsure.")
  var json = false

  func run() throws {
    let proposal: FormProposal?
    do {
      proposal = try FormProposal(ofFile: file)
    } catch let error as BytesError {
      throw Failure(.someRefused, "\(file): \(error.reason)")
    }
    guard let proposal else {
      throw Failure(.someRefused, "\(file): no column of it has the name of a figure of quality")
    }
    let output = Output.standard()
    if !json { for doubt in proposal.unsure { Entry.warn(doubt, prefixed: false) } }
    try output.write((json ? proposal.json : proposal.form) + "\n")
    try output.flush()
  }
}
