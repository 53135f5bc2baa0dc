import ArgumentParser
import CallModel
import Rendering
import Reporting

/// `callqa prune`: removes old samples and keeps every figure.
struct Prune: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    abstract: "Remove the samples, or the people, of old calls; every figure stays.",
    usage: "callqa prune [<options>]",
    discussion: """
      Scores, phases, findings and totals stay. Importing the same files again brings people back: remove these as well.

      Example:
        callqa prune --samples-older-than 14d --keep-worst 5%
        callqa prune --people-older-than 30d
      """)

  @Option(
    name: .customLong("samples-older-than"),
    help: ArgumentHelp("14d, 24h, a date, or a time of RFC 3339.", valueName: "when"))
  var age: String?

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
    guard age != nil || peopleAge != nil else {
      throw ValidationError("Say what to remove: --samples-older-than, --people-older-than, or both.")
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
    let before = try age.map { try Moment.parse($0, zone: zone, option: "--samples-older-than") }
    let peopleBefore = try peopleAge.map { try Moment.parse($0, zone: zone, option: "--people-older-than") }
    Interruption.listen()
    let store = try database.open(.existing, quiet: quiet)
    if let peopleBefore {
      let calls = try store.prune(peopleBefore: peopleBefore)
      if !quiet {
        Entry.warn("people and addresses of \(Plural.of(calls, "call")) removed")
      }
    }
    guard let before else { return }
    let pruned = try store.prune(
      samplesBefore: before, keepWorst: share ?? 0, isInterrupted: { Interruption.isAsked })
    if !quiet {
      Entry.warn(
        "\(Plural.of(pruned.samples, "sample")) of \(Plural.of(pruned.calls, "call")) removed, \(pruned.bytes >> 20) MiB given back"
      )
    }
    if Interruption.isAsked { throw ExitStatus.interrupted.exit }
  }
}
