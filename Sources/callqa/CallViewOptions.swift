import ArgumentParser
import CallModel
import CallStore
import Glibc
import Reporting

/// How one call is shown: `call` and `show` share this.
struct CallViewOptions: ParsableArguments {
  @Flag(help: "One JSON object with every layer of the call.")
  var json = false

  @Option(
    help: ArgumentHelp("What held at a moment: 14:03, 14:03:10, or +0:42 from the start.", valueName: "time"))
  var at: String?

  @Flag(help: "Every event, candidates and unknown ones included.")
  var events = false

  @Option(help: ArgumentHelp("Time zone, e.g. Europe/Berlin (default: local).", valueName: "zone"))
  var tz: String?

  func validate() throws {
    try Self.check(zone: tz)
    guard !(json && at != nil) else { throw ValidationError("--json and --at exclude each other.") }
  }

  /// Shows a call of the store.
  func show(_ key: Int64, in store: Store) throws {
    guard let account = try CallAccount(of: key, in: store) else {
      throw Failure(.storeFailed, "the call is no longer there")
    }
    let output = Output.standard()
    if json {
      try output.write(try CallJSON(account, in: store).bytes())
    } else {
      let terminal = TerminalFacts.of(zone: tz.flatMap(Zone.init(named:)) ?? .local())
      try output.write(try text(account, terminal, store))
    }
    try output.flush()
  }

  /// Throws where `--tz` names no zone.
  static func check(zone: String?) throws {
    guard zone.map({ Zone(named: $0) != nil }) ?? true else {
      throw ValidationError(
        "--tz knows no time zone '\(zone ?? "")': use a name such as Europe/Berlin or UTC.")
    }
  }

  private func text(_ account: CallAccount, _ terminal: TerminalFacts, _ store: Store) throws -> String {
    if let at {
      guard let moment = CallMoment.parse(at, in: account, zone: terminal.zone) else {
        throw ValidationError("--at knows no moment '\(at)': write 14:03, 14:03:10 or +0:42.")
      }
      return MomentView(account, atMs: moment, for: terminal).text
    }
    var view = CallText(account, for: terminal)
    view.listsEveryEvent = events
    return view.text
  }
}
