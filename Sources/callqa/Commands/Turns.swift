import ArgumentParser
import CallModel
import CallStore
import CallViews
import Rendering
import Scoring

/// `callqa turns CALL`: how the two of a call took turns.
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
      if !rows.quiet { try FilterTrouble(in: store).words(all).forEach { Entry.complain($0) } }
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
      try output.write(
        TerminalFacts.of(zone: rows.zone).told("\n" + summaries.joined(separator: "\n") + "\n"))
      try output.flush()
    }
    if !isAny, !rows.quiet {
      Entry.complain(
        "no turns are known: import captures with --turns, or statistics of a call of two with totalAudioEnergy"
      )
    }
  }

  /// `At caller (capture): callee answers after 380 ms in the middle (120 to 867, 5 times) …`
  private static func summary(_ end: CallTurns.End) -> String {
    var parts: [String] = []
    for isLocal in [true, false] {
      let answers = end.answers(byLocal: isLocal)
      guard let least = answers.first, let most = answers.last else { continue }
      let middle = answers[answers.count / 2]
      parts.append(
        "\(end.speaker(isLocal: isLocal)) follows after \(Int(middle)) ms in the middle (\(Int(least)) to \(Int(most)), \(answers.count) \(answers.count == 1 ? "time" : "times"))"
      )
    }
    for kind in [Turn.Kind.bargeIn, .deadAir] {
      let own = end.turns.filter { $0.kind == kind }
      if !own.isEmpty { parts.append("\(own.count) \(kind.rawValue)") }
    }
    return "At \(end.name) (\(end.source.rawValue)): \(parts.joined(separator: "; "))."
  }
}
