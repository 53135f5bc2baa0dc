import CallModel

/// One call as text for a terminal: the answer first, the evidence below.
public struct CallText {
  private let account: CallAccount
  private let zone: Zone
  private let ink: Ink
  private let width: Int
  /// Whether every event is listed, candidates and unknown ones included.
  public var listsEveryEvent = false

  /// A view of a call for a terminal; at most 100 columns wide, 80 where there is no terminal.
  public init(_ account: CallAccount, for terminal: TerminalFacts) {
    self.account = account
    zone = terminal.zone
    ink = Ink(terminal)
    width = min(100, max(40, terminal.width ?? 80))
  }

  /// The whole view, lines ended by line feeds.
  public var text: String {
    var lines = head
    lines += Narrative(account).sentences.flatMap { VisibleText.wrap($0, to: width) }
    section(
      EndWords.title(ofEnds: account.ends.count), SideBySide(account).lines(width: width, ink: ink), &lines,
      when: !account.ends.isEmpty)
    setup(&lines)
    section(
      "Score", ScoreLines(account, zone: zone, ink: ink, width: width).lines, &lines,
      when: account.ends.contains { !$0.windows.isEmpty })
    section("On the wire", WireWords(account).sentences.flatMap { bullet($0) }, &lines)
    section(
      "Packets against statistics", DifferenceWords(account, zone: zone).sentences.flatMap { bullet($0) },
      &lines)
    section("Worst moments", WorstLines(account, zone: zone, width: width).lines, &lines)
    section("Findings", FindingLines(account, zone: zone, ink: ink, width: width).lines, &lines)
    section(
      "Events", EventLines(account, zone: zone, ink: ink, width: width, all: listsEveryEvent).lines, &lines)
    section("Sources", SourceLines(account, ink: ink, width: width).lines, &lines)
    section("Not known", Unknowns(account).sentences.flatMap { bullet($0) }, &lines)
    return lines.joined(separator: "\n") + "\n"
  }

  /// The setup of every end alone: a waterfall an attempt, with its total and what took it.
  public var setupText: String {
    var lines = head
    setup(&lines)
    if lines.count == head.count { lines.append("Nothing is known of its setup.") }
    return lines.joined(separator: "\n") + "\n"
  }

  private var head: [String] {
    let call = account.call
    var parts = [ink(.heading, VisibleText.cut(VisibleText.visible(call.id), to: width))]
    var facts: [String] = []
    if let started = call.startedMs, let date = zone.dateText(started), let clock = zone.clockText(started) {
      facts.append("\(date) \(clock)\(zone.offsetText(started))")
    }
    if let run = call.run { facts.append("run \(run)") }
    if let sdk = call.sdk { facts.append(sdk + (call.sdkVersion.map { " \($0)" } ?? "")) }
    if let scenario = call.scenario { facts.append(scenario) }
    if let expected = call.expectedOutcome, expected != call.outcome {
      facts.append("expected: \(expected.rawValue)")
    }
    if let excluded = call.excluded { facts.append("excluded: \(excluded)") }
    if let known = call.known { facts.append("known: \(known)") }
    let line = VisibleText.visible(facts.map { VisibleText.cut($0, to: 60) }.joined(separator: " · "))
    parts += VisibleText.wrap(line, to: width).filter { !$0.isEmpty }.map { ink(.faint, $0) }
    return parts + [""]
  }

  private func setup(_ lines: inout [String]) {
    for end in account.ends {
      for attempt in end.attempts where attempt.phases.contains(where: { $0.state == .measured }) {
        let total = attempt.setupMs.map { ", \(SetupWords.total($0, of: attempt))" } ?? ""
        section(
          SetupWords.title(attempt, of: end) + total,
          SetupBars(attempt).lines(width: width, ink: ink), &lines)
      }
    }
  }

  private func section(_ title: String, _ body: [String], _ lines: inout [String], when wanted: Bool = true) {
    guard wanted, !body.isEmpty else { return }
    lines += ["", ink(.heading, title)] + body
  }

  private func bullet(_ text: String) -> [String] {
    VisibleText.wrap(text, to: width - 2).enumerated().map { ($0 == 0 ? "- " : "  ") + $1 }
  }
}
