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

  /// A moment as it was written, and with its date where it has none.
  private func named(_ text: String, _ ms: Double?) -> String {
    guard MomentText.isClock(text), let date = ms.flatMap({ zone.dateText($0) }) else { return text }
    return "\(date) \(text)"
  }

  /// The slice asked for; nil leaves the choice to the report.
  ///
  /// A run that is not there is a mistake, unless it may be one that never came.
  func slice(in store: Store, mayBeAbsent: Bool) throws -> Slice? {
    let span = MomentSpan(since: since, until: until, run: runName, zone: zone)
    let (sinceMs, untilMs) = try span.ms(in: store, quietly: true)
    let run = try runName.map { name in
      guard mayBeAbsent, try Reports.trouble(withRun: name, in: store) != nil else {
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
