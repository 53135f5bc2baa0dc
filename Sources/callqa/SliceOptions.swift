import ArgumentParser
import CallStore
import Rendering
import Reporting

/// Options that select what a report is about: a run, or the calls of a time range.
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

  /// The time zone in which times are shown.
  var zone: Zone { tz.flatMap(Zone.init(named:)) ?? .local() }

  /// A time as given by the user, preceded by its date if it has none.
  private func named(_ text: String, _ ms: Double?) -> String {
    guard MomentText.isClock(text), let date = ms.flatMap({ zone.dateText($0) }) else { return text }
    return "\(date) \(text)"
  }

  /// The selected slice; nil leaves the choice to the report.
  ///
  /// Throws if the run does not exist, unless `mayBeAbsent`: a run in which no call was made is also unknown.
  func slice(in store: Store, mayBeAbsent: Bool) throws -> Slice? {
    let span = MomentSpan(since: since, until: until, run: runName, zone: zone)
    let (sinceMs, untilMs) = try span.ms(in: store, quietly: true)
    let run = try runName.map { name in
      guard mayBeAbsent, try Reports.problem(withRun: name, in: store) != nil else {
        return try Reports.run(name, in: store)
      }
      return Slice(run: name, name: name)
    }
    guard sinceMs != nil || untilMs != nil else { return run }
    let words = [("since", since, sinceMs), ("until", until, untilMs)].compactMap { word, text, ms in
      text.map { "\(word) \(named($0, ms))" }
    }.joined(separator: " ")
    return Slice(
      run: run?.run, sinceMs: sinceMs, untilMs: untilMs,
      name: [run?.name, words].compactMap { $0 }.joined(separator: ", "))
  }
}
