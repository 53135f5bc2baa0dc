import ArgumentParser
import Bytes
import CallModel
import CallStore
import Reporting

/// Which calls a list is about.
struct ScopeOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Only calls of this run; last is the latest.", valueName: "run"))
  var run: String?

  @Option(
    help: ArgumentHelp("Only calls since 24h, yesterday, a date, or a time of RFC 3339.", valueName: "when"))
  var since: String?

  @Option(help: ArgumentHelp("Only calls before then.", valueName: "when"))
  var until: String?

  @Option(help: ArgumentHelp("Only calls of this SDK.", valueName: "sdk"))
  var sdk: String?

  @Option(help: ArgumentHelp("Only calls that ended so: completed, dropped, failed, …", valueName: "outcome"))
  var outcome: Outcome?

  /// The scope, with times read in a zone.
  func scope(zone: Zone) throws -> CallScope {
    var scope = CallScope()
    scope.run = run
    scope.sinceMs = try since.map { try Moment.parse($0, zone: zone, option: "--since") }
    scope.untilMs = try until.map { try Moment.parse($0, zone: zone, option: "--until") }
    try Moment.check(scope.sinceMs, before: scope.untilMs)
    scope.sdk = sdk
    scope.outcome = outcome
    return scope
  }
}

extension Outcome: ExpressibleByArgument {}

/// A moment on the command line.
enum Moment {
  /// Milliseconds since the epoch. Throws a usage error that names the option.
  static func parse(_ text: String, zone: Zone, option: String) throws -> Double {
    guard let moment = MomentText.parse(text, zone: zone, nowMs: WallClock.nowMs) else {
      throw ValidationError(
        "\(option) knows no moment '\(text)': write 24h, yesterday, 2026-11-21 or 2026-11-21T10:00:00Z.")
    }
    if let doubt = MomentText.doubt(text, zone: zone) { Entry.complain("\(option) \(doubt)") }
    return moment
  }

  /// Throws a usage error where a time ends before it begins.
  static func check(_ sinceMs: Double?, before untilMs: Double?) throws {
    guard let sinceMs, let untilMs, sinceMs >= untilMs else { return }
    throw ValidationError("--since is not before --until: no call lies between them.")
  }
}
