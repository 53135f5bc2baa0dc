import ArgumentParser
import CallModel

/// `callqa mark CALL`: excludes a call, marks its failure as known, or corrects its verdict.
struct Mark: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mark",
    abstract:
      "Leave a call out of what is counted, mark its failure as known, or correct its verdict or place.",
    usage: "callqa mark <call> [<options>]",
    discussion: """
      An excluded call counts nowhere. A known failure is shown, and blocks nothing. Your own verdict replaces \
      the one that was judged, in every list, figure and gate, also after the files were imported again; the \
      nightly report counts the alarms that were taken back so. A place says where the fault was, as verdict.md \
      has them, instead of the one that was found.

      Example:
        callqa mark 3f2a --exclude "rig fault: no microphone"
        callqa mark 3f2a --known BUG-1234
        callqa mark 3f2a --verdict good --why "listened to it: both were heard"
        callqa mark 3f2a --place sender-network --end caller --why "its access point restarted"
        callqa mark 3f2a --clear
      """)

  @Argument(help: ArgumentHelp("A call: its id or the beginning of it, last, worst.", valueName: "call"))
  var call: String

  @Option(help: ArgumentHelp("Why the call does not count.", valueName: "reason"))
  var exclude: String?

  @Option(help: ArgumentHelp("The ticket of a failure that is known.", valueName: "ticket"))
  var known: String?

  @Option(
    help: ArgumentHelp(
      "What the call was like (\(Verdict.Value.allCases.map(\.rawValue).joined(separator: ", "))); takes --why.",
      valueName: "word"))
  var verdict: Verdict.Value?

  @Option(
    help: ArgumentHelp(
      "Where the fault was (\(Place.allCases.map(\.rawValue).joined(separator: ", "))); takes --why.",
      valueName: "word"))
  var place: Place?

  @Option(help: ArgumentHelp("The end that the place is of.", valueName: "name"))
  var end: String?

  @Option(help: ArgumentHelp("Why the verdict, or the place, is that.", valueName: "text"))
  var why: String?

  @Flag(help: "Take every mark away.")
  var clear = false

  @OptionGroup var database: DatabaseOptions

  func validate() throws {
    guard clear != (exclude != nil || known != nil || verdict != nil || place != nil) else {
      throw ValidationError(
        "Say some of --exclude REASON, --known TICKET, --verdict WORD --why TEXT and --place WORD --why TEXT, or --clear alone."
      )
    }
    guard (verdict == nil && place == nil) == (why == nil) else {
      throw ValidationError("--verdict WORD, or --place WORD, and --why TEXT go together: say both.")
    }
    guard end == nil || place != nil else {
      throw ValidationError("--end NAME says of which end --place WORD is: say both.")
    }
    guard exclude?.isEmpty != true, known?.isEmpty != true, why?.isEmpty != true else {
      throw ValidationError("A reason and a ticket must not be empty.")
    }
  }

  func run() throws {
    let store = try database.open(.existing)
    let key = try store.call(named: call, latest: false)
    try store.transaction {
      if exclude != nil || clear { try store.exclude(call: key, reason: exclude) }
      if known != nil || clear { try store.markKnown(call: key, ticket: known) }
      if verdict != nil || clear { try store.markVerdict(call: key, verdict, why: why) }
      if place != nil || clear { try store.markPlace(call: key, place, at: end, why: why) }
    }
  }
}
