import ArgumentParser
import CallStore
import Rendering
import Reporting

/// What a report is about: a run, or the calls of some time.
struct SliceOptions: ParsableArguments {
  @Option(
    name: .customLong("run"),
    help: ArgumentHelp(
      "The run (default: the latest; without runs the latest night, noon to noon).", valueName: "name"))
  var runName: String?

  @Option(
    help: ArgumentHelp("Calls since 24h, yesterday, a date, or a time of RFC 3339.", valueName: "when"))
  var since: String?

  @Option(help: ArgumentHelp("Calls before then.", valueName: "when"))
  var until: String?

  @Option(
    help: ArgumentHelp("Time zone of the page, e.g. Europe/Berlin (default: local).", valueName: "zone"))
  var tz: String?

  func validate() throws {
    guard tz.map({ Zone(named: $0) != nil }) ?? true else {
      throw ValidationError("--tz knows no time zone '\(tz ?? "")': use a name such as Europe/Berlin or UTC.")
    }
  }

  /// The zone of times for people.
  var zone: Zone { tz.flatMap(Zone.init(named:)) ?? .local() }

  /// The slice asked for; nil leaves the choice to the report.
  ///
  /// A run that is not there is a mistake, unless it may be one that never came.
  func slice(in store: Store, mayBeAbsent: Bool) throws -> Slice? {
    let sinceMs = try since.map { try Moment.parse($0, zone: zone, option: "--since") }
    let untilMs = try until.map { try Moment.parse($0, zone: zone, option: "--until") }
    try Moment.check(sinceMs, before: untilMs)
    let run = try runName.map { name in
      guard mayBeAbsent, try Reports.trouble(withRun: name, in: store) != nil else {
        return try Reports.run(name, in: store)
      }
      return Slice(run: name, name: name)
    }
    guard sinceMs != nil || untilMs != nil else { return run }
    let words = [since.map { "since \($0)" }, until.map { "until \($0)" }].compactMap { $0 }.joined(
      separator: " ")
    return Slice(
      run: run?.run, sinceMs: sinceMs, untilMs: untilMs,
      name: [run?.name, words].compactMap { $0 }.joined(separator: ", "))
  }
}
