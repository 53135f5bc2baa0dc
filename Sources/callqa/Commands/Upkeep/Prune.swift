import ArgumentParser
import CallModel
import CallStore
import Rendering

/// `callqa prune`: removes old samples, events, people or runs.
struct Prune: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    abstract: "Remove samples, events or people of old calls, or old runs.",
    usage: "callqa prune [<options>]",
    discussion: """
      Scores, phases, findings and totals stay, except those of removed runs. Importing the same files again brings people \
      back: remove these as well.

      Example:
        callqa prune --samples-older-than 14d --keep-worst 5%
        callqa prune --thin 24h --events-older-than 30d --runs-older-than 1y
        callqa prune --people-older-than 30d
      """)

  @Option(
    name: .customLong("samples-older-than"),
    help: ArgumentHelp("14d, 24h, a date, or a time of RFC 3339.", valueName: "when"))
  var age: String?

  @Option(
    help: ArgumentHelp(
      "Of the samples of calls before then, keep one every 10 s, and all around poor windows.",
      valueName: "when"))
  var thin: String?

  @Option(
    name: .customLong("events-older-than"),
    help: ArgumentHelp("Of the events of calls before then, keep only call.* and logins.", valueName: "when"))
  var eventAge: String?

  @Option(
    name: .customLong("runs-older-than"),
    help: ArgumentHelp("Remove whole runs from before then, except accepted baselines.", valueName: "when"))
  var runAge: String?

  @Option(
    name: .customLong("people-older-than"),
    help: ArgumentHelp("Remove people and addresses of calls before then.", valueName: "when"))
  var peopleAge: String?

  @Option(
    name: .customLong("keep-worst"),
    help: ArgumentHelp("Share of the old calls with samples, the worst, that keep them.", valueName: "share"))
  var keepWorst: String = "0%"

  @Option(help: ArgumentHelp("Time zone of a date (default: local).", valueName: "zone"))
  var tz: String?

  @OptionGroup var database: DatabaseOptions

  @Flag(help: "No notes on stderr.")
  var quiet = false

  /// `5%` or `0.05` as a share from 0 to 1.
  private var share: Double? {
    let isPercent = keepWorst.hasSuffix("%")
    guard let number = Double(isPercent ? String(keepWorst.dropLast()) : keepWorst) else { return nil }
    let share = isPercent ? number / 100 : number
    return (0...1).contains(share) ? share : nil
  }

  func validate() throws {
    guard [age, thin, eventAge, runAge, peopleAge].contains(where: { $0 != nil }) else {
      throw ValidationError(
        "Say what to remove: --samples-older-than, --thin, --events-older-than, --runs-older-than or --people-older-than."
      )
    }
    guard share != nil else {
      throw ValidationError("--keep-worst takes a share such as 5% or 0.05, not '\(keepWorst)'.")
    }
    guard tz.map({ Zone(named: $0) != nil }) ?? true else {
      throw ValidationError("--tz knows no time zone '\(tz ?? "")': use a name such as Europe/Berlin or UTC.")
    }
  }

  func run() throws {
    let zone = tz.flatMap(Zone.init(named:)) ?? .local()
    func moment(_ text: String?, _ option: String) throws -> Double? {
      try text.map { try Moment.parse($0, zone: zone, option: option) }
    }
    var request = PruneRequest()
    request.samplesBefore = try moment(age, "--samples-older-than")
    request.keepWorst = share ?? 0
    request.thinBefore = try moment(thin, "--thin")
    request.eventsBefore = try moment(eventAge, "--events-older-than")
    request.runsBefore = try moment(runAge, "--runs-older-than")
    let peopleBefore = try moment(peopleAge, "--people-older-than")
    Interruption.listen()
    let store = try database.open(.existing, quiet: quiet)
    if let peopleBefore {
      let calls = try store.prune(peopleBefore: peopleBefore)
      if !quiet {
        Entry.warn("people and addresses of \(Plural.of(calls, "call")) removed")
      }
    }
    guard [age, thin, eventAge, runAge].contains(where: { $0 != nil }) else { return }
    let pruned = try store.prune(request, isInterrupted: { Interruption.isAsked })
    if !quiet { Entry.warn(words(pruned)) }
    if Interruption.isAsked { throw ExitStatus.interrupted.exit }
  }

  private func words(_ pruned: PruneResult) -> String {
    let parts = [
      age == nil && thin == nil
        ? nil : "\(Plural.of(pruned.samples, "sample")) of \(Plural.of(pruned.calls, "call"))",
      eventAge == nil ? nil : Plural.of(pruned.events, "event"),
      runAge == nil ? nil : Plural.of(pruned.runs, "run"),
    ].compactMap { $0 }
    return "\(parts.joined(separator: ", ")) removed, \(pruned.bytes >> 20) MiB given back"
  }
}
