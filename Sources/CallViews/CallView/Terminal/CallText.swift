import CallModel
import Rendering

/// One call as text for a terminal: the answer first, the evidence below.
public struct CallText {
  private let account: CallAccount
  private let zone: Zone
  private let ink: TerminalStyle
  private let width: Int
  /// What is told below the answer.
  public var sections: Sections = .all

  /// Parts of the view that a reader may ask for.
  public struct Sections: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The waterfall of every end's setup.
    public static let setup = Sections(rawValue: 1)
    /// Packets of captures, and how their score differs from that of the statistics.
    public static let wire = Sections(rawValue: 2)
    /// Findings of every severity with their words.
    public static let findings = Sections(rawValue: 4)
    /// Events of note.
    public static let events = Sections(rawValue: 8)
    /// Every event, candidates and unknown ones included.
    public static let everyEvent = Sections(rawValue: 16)
    /// The files it rests on, with what was noted of them.
    public static let sources = Sections(rawValue: 32)
    /// Everything of both ends, all the worst moments, and what is not known in full.
    public static let details = Sections(rawValue: 64)
    /// The whole view.
    public static let all: Sections = [.setup, .wire, .findings, .events, .sources, .details]
  }

  /// A view of a call for a terminal; at most 100 columns wide, 80 where there is no terminal.
  public init(_ account: CallAccount, for terminal: TerminalFacts) {
    self.account = account
    zone = terminal.zone
    ink = TerminalStyle(terminal)
    width = min(100, max(40, terminal.width ?? 80))
  }

  /// The whole view, lines ended by line feeds.
  public var text: String {
    var lines = head
    lines += Narrative(account).sentences.flatMap { VisibleText.wrap($0, to: width) }
    section(
      EndWords.title(ofEnds: account.ends.count),
      SideBySide(account, briefly: !sections.contains(.details)).lines(width: width, ink: ink), &lines,
      when: !account.ends.isEmpty)
    states(&lines)
    // A call without scores has its setup as its story.
    if sections.contains(.setup) || account.ends.allSatisfy(\.windows.isEmpty) { setup(&lines) }
    section(
      "Score", ScoreLines(account, zone: zone, ink: ink, width: width).lines, &lines,
      when: account.ends.contains { !$0.windows.isEmpty })
    section(
      "Worst moments",
      WorstLines(account, zone: zone, width: width, most: sections.contains(.details) ? 5 : 3).lines, &lines)
    wire(&lines)
    findings(&lines)
    if !sections.isDisjoint(with: [.events, .everyEvent]) {
      let all = sections.contains(.everyEvent)
      section(
        "Events", EventLines(account, zone: zone, ink: ink, width: width, all: all).lines, &lines)
    }
    if sections.contains(.sources) {
      section("Sources", SourceLines(account, ink: ink, width: width).lines, &lines)
    }
    unknowns(&lines)
    if !sections.contains(.all) { more(&lines) }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Packets beside statistics: in brief only how far the scores are apart.
  private func wire(_ lines: inout [String]) {
    let difference = DifferenceWords(account, zone: zone)
    guard sections.contains(.wire) else {
      let brief = difference.brief
      if !brief.isEmpty {
        lines += VisibleText.wrap("By packets alone: \(brief.prefix(4).joined(separator: "; ")).", to: width)
      }
      return
    }
    section("On the wire", WireWords(account).sentences.flatMap { bullet($0) }, &lines)
    section(
      "Packets against statistics",
      DifferenceTable(account, zone: zone).lines + difference.sentences.flatMap { bullet($0) }, &lines)
  }

  /// In brief the errors alone, and the codes of the others.
  private func findings(_ lines: inout [String]) {
    let errors = account.findings.filter { $0.finding.severity == .error }
    let whole = sections.contains(.findings)
    var body = FindingLines(whole ? account.findings : errors, zone: zone, ink: ink, width: width).lines
    let others = whole ? [] : account.findings.filter { $0.finding.severity == .warning }
    if !others.isEmpty {
      var codes: [String] = []
      for code in others.map(\.finding.code) where !codes.contains(code) { codes.append(code) }
      let words = "\(errors.isEmpty ? "Warnings" : "and warnings"): \(codes.joined(separator: ", "))"
      body += VisibleText.wrap(VisibleText.visible(words), to: width).map { ink(.warning, $0) }
    }
    section("Findings", body, &lines)
  }

  private func unknowns(_ lines: inout [String]) {
    let unknowns = Unknowns(account)
    guard !unknowns.sentences.isEmpty else { return }
    let hasStatistics = !account.ends.allSatisfy(\.streams.isEmpty)
    if hasStatistics, sections.contains(.details) {
      return section("Not known", unknowns.sentences.flatMap { bullet($0) }, &lines)
    }
    let more = hasStatistics ? "" : "; loss, jitter and delay: add getStats or a capture of either end"
    lines +=
      [""]
      + VisibleText.wrap("Not known: \(unknowns.subjects.joined(separator: "; "))\(more).", to: width)
  }

  /// Which options show what is left out and is there.
  private func more(_ lines: inout [String]) {
    var options: [String] = []
    func offer(_ option: String, _ part: Sections, _ isThere: Bool) {
      if isThere, sections.isDisjoint(with: part) { options.append(option) }
    }
    let hasWindows = account.ends.contains { !$0.windows.isEmpty }
    offer("--setup", .setup, hasWindows && account.ends.contains { !$0.attempts.isEmpty })
    offer("--wire", .wire, account.ends.contains { $0.streams.contains { $0.source == .capture } })
    offer("--findings", .findings, account.findings.contains { $0.finding.severity != .error })
    offer("--events", [.events, .everyEvent], !account.events.isEmpty)
    offer("--sources", .sources, !account.sources.isEmpty)
    lines += ["", ink(.faint, "more: \((options + ["--all"]).joined(separator: " "))")]
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

  /// The states of ends of which no statistics are known.
  private func states(_ lines: inout [String]) {
    for end in account.ends where end.streams.isEmpty {
      let own = account.ownEvents.filter { $0.end == end.name }.map(\.record)
      section(
        "What the \(VisibleText.visible(end.name)) went through", StateStrip(own).lines(width: width), &lines)
    }
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

/// The files the answer rests on.
struct SourceLines {
  package let account: CallAccount
  package let ink: TerminalStyle
  package let width: Int

  package init(_ account: CallAccount, ink: TerminalStyle, width: Int) {
    (self.account, self.ink, self.width) = (account, ink, width)
  }

  package var lines: [String] {
    account.sources.flatMap { source -> [String] in
      let line = "\(VisibleText.visible(source.name))  \(ink(.faint, SourceWords.facts(source)))"
      return [line]
        + source.notes.prefix(4).flatMap { note in
          VisibleText.wrap(VisibleText.visible(note), to: width - 2).map { "  " + ink(.faint, $0) }
        }
    }
  }
}

/// Findings, a few lines each.
struct FindingLines {
  package let entries: [AccountFinding]
  package let zone: Zone
  package let ink: TerminalStyle
  package let width: Int

  package init(
    _ entries: [AccountFinding], zone: Zone, ink: TerminalStyle, width: Int
  ) {
    (self.entries, self.zone, self.ink, self.width) = (entries, zone, ink, width)
  }

  package var lines: [String] {
    entries.flatMap { entry -> [String] in
      let finding = entry.finding
      let style: TerminalStyle.Style =
        finding.severity == .error ? .bad : finding.severity == .warning ? .warning : .faint
      let end = entry.end.map { " (\(VisibleText.cut(VisibleText.visible($0), to: 20)))" } ?? ""
      let time = finding.startMs.flatMap { zone.clockText($0) }.map { " at \($0)" } ?? ""
      let head = "\(finding.severity.rawValue): \(VisibleText.visible(finding.code))\(end)\(time)"
      return [ink(style, VisibleText.cut(head, to: width))]
        + VisibleText.wrap(VisibleText.visible(finding.text), to: width - 2).map { "  " + $0 }
    }
  }
}

/// The worst stretches of all ends, the worst first, with reasons.
struct WorstLines {
  package let account: CallAccount
  package let zone: Zone
  package let width: Int
  package let most: Int

  package init(_ account: CallAccount, zone: Zone, width: Int, most: Int = 5) {
    (self.account, self.zone, self.width, self.most) = (account, zone, width, most)
  }

  package var lines: [String] {
    let worst = account.ends.flatMap { end in ImpairedSpan.worst(end.windows).prefix(4).map { (end, $0) } }
      .sorted { ($0.1.figures?.mean ?? 0) < ($1.1.figures?.mean ?? 0) }.prefix(most)
    return worst.flatMap { end, stretch in
      let time =
        stretch.isThroughout(end.windows)
        ? "throughout" : "\(zone.clockText(stretch.startMs) ?? "?")–\(zone.clockText(stretch.endMs) ?? "?")"
      let who = account.ends.count > 1 ? " \(VisibleText.cut(VisibleText.visible(end.name), to: 20))," : ""
      let words = stretch.words(
        at: end.name, place: ScoreCaveats(account).lossPlace(end),
        isEstimated: end.isMadeUpEstimated, unsent: ScoreCaveats(account).unsent(to: end))
      return VisibleText.wrap("\(time)\(who) \(words)", to: width - 2).enumerated().map {
        ($0 == 0 ? "" : "  ") + $1
      }
    }
  }
}

/// Sparklines of all ends under one axis of time.
struct ScoreLines {
  package let account: CallAccount
  package let zone: Zone
  package let ink: TerminalStyle
  package let width: Int

  package init(_ account: CallAccount, zone: Zone, ink: TerminalStyle, width: Int) {
    (self.account, self.zone, self.ink, self.width) = (account, zone, ink, width)
  }

  package var lines: [String] {
    let ends = account.ends.filter { !$0.windows.isEmpty }
    guard let from = ends.compactMap({ $0.windows.first?.startMs }).min(),
      let to = ends.compactMap({ $0.windows.last?.endMs }).max()
    else { return [] }
    let label = min(16, (ends.map { VisibleText.width(VisibleText.visible($0.name)) }.max() ?? 0) + 2)
    let indent = String(repeating: " ", count: label)
    var lines: [String] = []
    var letters: Set<Character> = []
    var perColumn = 1
    for end in ends {
      let line = Sparkline(end.windows, fromMs: from, toMs: to, columns: width - label)
      perColumn = max(perColumn, line.windowsPerColumn)
      letters.formUnion(line.letters)
      letters.formUnion(line.heights.filter { "×?·".contains($0) })
      // Beside the bars of a short call its scores have room.
      let scores = end.windows.map { $0.score.map(String.init) ?? CellText.unknown }.joined(separator: " ")
      let room = width - label - line.heights.count - 2
      let beside = line.windowsPerColumn == 1 && VisibleText.width(scores) <= room ? "  " + scores : ""
      lines.append(
        VisibleText.fit(VisibleText.visible(end.name), to: label) + ink(.accent, line.heights) + beside)
      let causes = trimmed(line.letters)
      if !causes.isEmpty { lines.append(indent + ink(.faint, causes)) }
    }
    var legend = "\(zone.clockText(from) ?? "") to \(zone.clockText(to) ?? "")"
    legend += perColumn > 1 ? ", the worst of \(perColumn) windows of 5 s each" : ", a window of 5 s each"
    if let sparse = ends.compactMap(\.sparseReports).max(by: { $0.apartMs < $1.apartMs }) {
      legend +=
        sparse.lengthMs == nil ? ", alike between reports, which came " : ", alike where reports came "
      legend += "\(Measure.duration(sparse.apartMs)) apart"
    }
    let causes = Cause.allCases.filter { letters.contains(Character($0.letter)) }.map {
      "\($0.letter) \($0.rawValue)"
    }
    let states = [("×", "nothing arrived"), ("·", "silent"), ("?", "not scored")]
      .filter { letters.contains(Character($0.0)) }.map { "\($0.0) \($0.1)" }
    let words = ([legend] + causes + states).joined(separator: " · ")
    return lines + VisibleText.wrap(words, to: width - label).map { indent + ink(.faint, $0) }
  }

  private func trimmed(_ text: String) -> String {
    var text = text
    while text.last == " " { text.removeLast() }
    return text
  }
}

/// The score of one end over the call, a character a window, or a character for the worst of several windows.
struct Sparkline {
  /// The heights, and under them the letter of the cause that took most.
  let heights: String
  package let letters: String
  /// Windows behind one character.
  let windowsPerColumn: Int

  private static let bars = Array("▁▂▃▄▅▆▇█")

  /// A line of at most so many columns over one span of time, so that the lines of both ends stand under each other.
  package init(_ windows: [Window], fromMs: Double, toMs: Double, columns: Int) {
    let longest = windows.map { $0.endMs - $0.startMs }.max() ?? 5000
    let exact = (toMs - fromMs) / max(longest, 1) - 0.05
    let needed = max(1, Int(exact.rounded(.up).clamped(to: 1...1_000_000)))
    let count = min(max(columns, 1), needed)
    windowsPerColumn = (needed + count - 1) / count
    let step = max(1, (toMs - fromMs) / Double(count))
    var buckets = [[Window]](repeating: [], count: count)
    for window in windows {
      let middle = (window.startMs + window.endMs) / 2
      let index = ((middle - fromMs) / step).rounded(.down).clamped(to: 0...Double(count - 1))
      buckets[Int(index)].append(window)
    }
    heights = String(buckets.map(Self.height))
    letters = buckets.map(Self.letter).joined()
  }

  private static func worst(_ windows: [Window]) -> Window? {
    windows.filter { $0.score != nil }.min { ($0.score ?? 0) < ($1.score ?? 0) }
  }

  private static func height(_ windows: [Window]) -> Character {
    if let worst = worst(windows), let score = worst.score {
      return worst.state == .stalled ? "×" : bars[min(7, max(0, score * 8 / 101))]
    }
    if windows.contains(where: { $0.state == .unscored }) { return "?" }
    return windows.isEmpty ? " " : "·"
  }

  private static func letter(_ windows: [Window]) -> String {
    guard let points = worst(windows)?.pointsLost else { return " " }
    let most = Cause.allCases.max { (points[$0] ?? 0) < (points[$1] ?? 0) }
    guard let most, (points[most] ?? 0) >= 5 else { return " " }
    return most.letter
  }
}

extension Double {
  /// The value moved into a range; not-a-number becomes its lower end.
  package func clamped(to range: ClosedRange<Double>) -> Double {
    isNaN ? range.lowerBound : Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
  }
}
