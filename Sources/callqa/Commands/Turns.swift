import ArgumentParser
import CallModel
import CallStore
import CallViews
import Rendering
import Scoring

/// `callqa turns CALL`: shows the turn-taking of a call's two sides.
struct Turns: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "turns",
    abstract: "How the two ends of a call took turns: gaps, barge-ins, dead air.",
    discussion: """
      One row per change of speaker: when one ended, and how much later (below 0: sooner) the other began, as heard at that end. \
      It rests on the levels of packets where a capture was imported with --turns, to some 20 ms; else on the energy of each report of \
      statistics, to some tenths of its interval. Whose voice it was is not known, and nothing is counted by person.

      Example:
        callqa import call.pcap --turns && callqa turns last
        callqa turns last --json
      """)

  @Argument(
    help: ArgumentHelp(
      "A call: its id or the beginning of it, RUN/ID, last, worst (default: all of the latest run).",
      valueName: "call"))
  var call: String?

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var scope: ScopeOptions
  @OptionGroup var rows: RowOptions

  func run() throws {
    let store = try database.open(.read, quiet: rows.quiet)
    let keys: [Int64]
    if let call {
      keys = [try store.call(named: call)]
    } else {
      let all = try scope.scope(rows, in: store)
      if !rows.quiet { try UnmatchedFilters(in: store).words(all).forEach { Entry.warn($0) } }
      keys = try scope.narrowed(all, in: store, quietly: rows.quiet).keys(in: store)
    }
    var printer = try rows.printer(columns: [
      "call_id", "endpoint", "kind", "from", "to", "t_ms", "gap_ms", "source", "step_ms",
    ])
    var (isAny, summaries): (Bool, [String]) = (false, [])
    for key in keys {
      guard let account = try CallAccount(of: key, in: store) else { continue }
      for end in try CallTurns(account, in: store).ends {
        isAny = true
        for turn in end.turns {
          try printer.row([
            .text(account.call.id), .text(end.name), .text(turn.kind.rawValue),
            .text(end.speaker(isLocal: turn.isFromLocal)), .text(end.speaker(isLocal: turn.isToLocal)),
            .real(turn.atMs), .real(turn.gapMs.rounded()), .text(end.source.rawValue), .real(end.stepMs),
          ])
        }
        if rows.rowFormat == .table, call != nil { summaries.append(Self.summary(end)) }
      }
    }
    if isAny || !rows.isForPeople { try printer.finish() }
    if rows.rowFormat == .table, !rows.quiet, !summaries.isEmpty {
      let output = Output.standard()
      let terminal = TerminalFacts.of(zone: rows.zone)
      let lines = summaries.flatMap { VisibleText.wrap($0, to: terminal.width ?? .max) }
      try output.write(terminal.displayable("\n" + lines.joined(separator: "\n") + "\n"))
      try output.flush()
    }
    if !isAny, !rows.quiet {
      Entry.warn(
        "no turns are known: import captures with --turns, or statistics of a call of two with totalAudioEnergy"
      )
    }
  }

  /// A sentence such as `At caller (capture): callee speaks 380 ms after caller, the median of 5 (120 to 867 ms) …`
  private static func summary(_ end: CallTurns.End) -> String {
    var parts: [String] = []
    for isLocal in [true, false] {
      let answers = end.answers(byLocal: isLocal)
      guard let least = answers.first, let most = answers.last else { continue }
      let (speaker, other) = (end.speaker(isLocal: isLocal), end.speaker(isLocal: !isLocal))
      let median = Int(answers[answers.count / 2])
      let spread =
        answers.count == 1
        ? "once" : "the median of \(answers.count), \(Int(least)) to \(Int(most)) ms"
      parts.append(
        "\(speaker) speaks \(abs(median)) ms \(median < 0 ? "before \(other) stops" : "after \(other)") (\(spread))"
      )
    }
    let bargeIns = end.turns.count { $0.kind == .bargeIn }
    if bargeIns > 0 { parts.append(Plural.of(bargeIns, "barge-in")) }
    let silences = end.turns.count { $0.kind == .deadAir }
    if silences > 0 { parts.append("dead air \(Plural.times(silences))") }
    return "At \(end.name) (\(end.source.rawValue)): \(parts.joined(separator: "; "))."
  }
}
