import Rendering
import SQLite

/// The calls that a sentence is about, and the commands that list them.
struct CallList: Sendable, Equatable {
  /// Keys of the calls, in the order in which to open them.
  var keys: [Int64]
  /// Empty if the calls do not belong to a run.
  var commands: [String]

  /// Merges several lists.
  init?(_ parts: [CallList?]) {
    let parts = parts.compactMap { $0 }
    var met: Set<Int64> = []
    keys = parts.flatMap(\.keys).filter { met.insert($0).inserted }
    commands = parts.flatMap(\.commands).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    if keys.isEmpty && commands.isEmpty { return nil }
  }

  init(_ keys: [Int64], _ command: String?) { (self.keys, commands) = (keys, command.map { [$0] } ?? []) }
}

/// A sentence of a report and the calls that it is about, if any.
struct Sentence: Sendable, Equatable {
  let text: String
  var calls: CallList?

  /// Nil if there is no text.
  init?(_ text: String?, _ calls: @autoclosure () -> CallList? = nil) {
    guard let text else { return nil }
    (self.text, self.calls) = (text, calls())
  }
}

/// Options of a `callqa calls` command.
struct CallsCommand {
  var options: [String] = []
  /// SQL conditions, joined by AND.
  var conditions: [String] = []

  init(_ options: [String] = [], where conditions: [String] = []) {
    (self.options, self.conditions) = (options, conditions)
  }

  /// The command; nil if the calls do not belong to a run.
  func command(of run: RunFigures) -> String? {
    guard run.isRun else { return nil }
    let terms =
      conditions.isEmpty ? [] : ["--where \(ShellWord.quoted(conditions.joined(separator: " AND ")))"]
    return (["callqa calls --run \(ShellWord.quoted(run.run))"] + options + terms).joined(separator: " ")
  }
}

extension NightJudgement {
  /// The options that select these SDKs; none if `sdks` is empty, which means all.
  func divided(_ sdks: [String]) -> CallsCommand {
    guard comparison.kind == "SDK" else {
      let only = sdks.count == 1 ? sdks : []
      return CallsCommand(only.map { "--trait \(ShellWord.quoted("\(comparison.kind)=\($0)"))" })
    }
    if sdks == ["unknown"] { return CallsCommand(where: ["coalesce(sdk, 'unknown') = 'unknown'"]) }
    guard sdks.count > 1 else { return CallsCommand(sdks.map { "--sdk \(ShellWord.quoted($0))" }) }
    return CallsCommand(where: [
      "coalesce(sdk, 'unknown') IN (\(sdks.map(SQLText.literal).joined(separator: ", ")))"
    ])
  }

  /// A list of calls, of all SDKs or of one, with the command that lists the same calls.
  func list(
    _ calls: [ComparedCall], of sdk: String?, _ options: [String] = [], where conditions: [String] = [],
    counted: Bool = true
  ) -> CallList {
    var asked = divided(sdk.map { [$0] } ?? [])
    asked.options += options
    asked.conditions += conditions
    // Filters include excluded calls unless told otherwise.
    let aside = comparison.candidate.excluded.filter { sdk == nil || $0.key == sdk }.values.reduce(0, +)
    if counted, aside > 0 { asked.conditions.append("excluded IS NULL") }
    return CallList(calls.compactMap(\.key), asked.command(of: comparison.candidate))
  }

  /// Scored calls that did not break, from which a slice of the score is computed, with the command that lists them.
  func scored(_ calls: [ComparedCall], of sdk: String?, among all: [ComparedCall], _ options: [String])
    -> CallList
  {
    let isAnyUncounted = [comparison.candidate.missing, comparison.candidate.unfinished].contains { counts in
      counts.contains { $0.value > 0 && (sdk == nil || $0.key == sdk) }
    }
    var conditions: [String] = []
    if isAnyUncounted || all.contains(where: { $0.score == nil }) {
      conditions.append("score_mean IS NOT NULL")
    }
    if all.contains(where: { $0.isBroken && $0.score != nil }) {
      conditions.append("call_key NOT IN (SELECT call_key FROM broken_calls)")
    }
    return list(calls, of: sdk, options, where: conditions)
  }
}
