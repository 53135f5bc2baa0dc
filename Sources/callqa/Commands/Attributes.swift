import ArgumentParser
import Assessing
import CallModel
import Concurrency

/// `callqa attributes FILE`: adds information about calls that their own files do not contain.
struct Attributes: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "attributes",
    abstract: "Assign a queue, carrier, site or role to calls from a CSV file.",
    usage: "callqa attributes <file> [<options>]",
    discussion: """
      One row per call, by any id that `find` knows, or a subnet; columns queue, agent_group, carrier, trunk, tenant, site, \
      country, role (talk, conference, listener, ptt, ivr, voicemail, recorder, fax), rating. What was said of the same \
      id before is replaced, an empty field says nothing; calls that change are judged again.

      Example:
        callqa attributes cdr.csv
        callqa calls --where "role = 'voicemail'"
      """)

  @Argument(help: ArgumentHelp("The CSV file; its first line names the columns.", valueName: "file"))
  var file: String

  @OptionGroup var database: DatabaseOptions

  @Flag(help: "No notes on stderr.")
  var quiet = false

  func run() throws {
    let attributes = try AttributesFile(file)
    let store = try database.open(.existing, quiet: quiet)
    let changed = try attributes.apply(to: store, quiet: quiet)
    try Assessor(store: store, jobs: Cores.count).assessStale()
    if !quiet {
      Entry.warn(
        "\(Plural.of(changed.count, "call has", "calls have")) other attributes now")
    }
  }
}
