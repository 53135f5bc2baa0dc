import CallModel
import Rendering

/// One call as text for a terminal: the summary first, then the evidence.
public struct CallText {
  private let account: CallAccount
  private let zone: Zone
  private let ink: TerminalStyle
  private let width: Int
  /// The sections below the summary.
  public var sections: Sections = .all

  /// Sections that the user may select.
  public struct Sections: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The setup of every end as a waterfall.
    public static let setup = Sections(rawValue: 1)
    /// Packets in captures, and how their score differs from that of the statistics.
    public static let wire = Sections(rawValue: 2)
    /// Findings of every severity with their text.
    public static let findings = Sections(rawValue: 4)
    /// Notable events.
    public static let events = Sections(rawValue: 8)
    /// All events, including candidates and unknown ones.
    public static let everyEvent = Sections(rawValue: 16)
    /// The source files with their notes.
    public static let sources = Sections(rawValue: 32)
    /// All facts of both ends, all the worst moments, and unknowns in full.
    public static let details = Sections(rawValue: 64)
    /// All sections.
    public static let all: Sections = [.setup, .wire, .findings, .events, .sources, .details]
  }

  /// Creates the view for a terminal, at most 100 columns wide, or 80 without a terminal.
  public init(_ account: CallAccount, for terminal: TerminalFacts) {
    self.account = account
    zone = terminal.zone
    ink = TerminalStyle(terminal)
    width = min(100, max(40, terminal.width ?? 80))
  }

  /// The view, with line feeds. Without sections it fits on one screen.
  public var text: String {
    guard sections.isEmpty else { return allLines(.first).joined(separator: "\n") + "\n" }
    var lines: [String] = []
    for brevity in Brevity.steps {
      lines = allLines(brevity)
      if lines.count <= Brevity.maxLines { break }
    }
    if lines.count > Brevity.maxLines {
      lines = lines.prefix(Brevity.maxLines - 3) + [ink(.faint, "…")] + lines.suffix(2)
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func allLines(_ brevity: Brevity) -> [String] {
    let isWhole = sections.contains(.details)
    var lines = head
    var sentences = Narrative(account, briefly: !isWhole).sentences.flatMap {
      VisibleText.wrap($0, to: width)
    }
    if !isWhole, sentences.count > brevity.narrative {
      sentences = sentences.prefix(brevity.narrative - 1) + ["…"]
    }
    lines += sentences
    ends(isWhole, &lines)
    section(HearsGrid.title, HearsGrid(account).lines(width: width, ink: ink), &lines)
    states(&lines)
    // For a call without scores the setup is what matters.
    if sections.contains(.setup) {
      setup(account.ends, &lines)
    } else if account.ends.allSatisfy(\.windows.isEmpty) {
      setup(isWhole ? account.ends : endsToExplain, &lines)
    }
    section(
      "Score", ScoreLines(account, zone: zone, ink: ink, width: width, isBrief: !isWhole).lines, &lines,
      when: account.ends.contains { !$0.windows.isEmpty })
    section(
      "Worst moments",
      WorstLines(
        account, zone: zone, width: width, most: isWhole ? 5 : brevity.worst, isBrief: !isWhole
      ).lines, &lines)
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
    return lines
  }

  /// What is omitted so that the summary fits on a screen, least important first.
  private struct Brevity {
    static let maxLines = 40
    /// Maximum number of worst moments, and below of lines of sentences.
    var worst = 3
    var narrative = 16

    static let first = Brevity()
    static let steps = [
      first, Brevity(worst: 2), Brevity(worst: 1, narrative: 14), Brevity(worst: 1, narrative: 10),
    ]
  }

  private func ends(_ isWhole: Bool, _ lines: inout [String]) {
    guard !account.ends.isEmpty else { return }
    let title = EndWords.title(of: account.ends)
    let table = SideBySide(account, briefly: !isWhole)
    guard !isWhole else { return section(title, table.lines(width: width, ink: ink), &lines) }
    guard table.hasFacts else { return }
    lines += [""] + table.lines(width: width, ink: ink, title: title)
  }

  /// The end whose setup explains why there is nothing more: the one the verdict is on, otherwise that of the leading
  /// attempt.
  private var endsToExplain: [EndAccount] {
    let measured = account.ends.filter { end in
      end.attempts.contains { $0.phases.contains { $0.state == .measured } }
    }
    let leading = account.leadingAttempt
    let end =
      measured.first { $0.name == account.call.verdict?.end }
      ?? measured.first { end in end.attempts.contains { $0 == leading } } ?? measured.first
    return end.map { [$0] } ?? []
  }

  /// Packets compared with statistics; in brief form only the difference of the scores.
  private func wire(_ lines: inout [String]) {
    let difference = DifferenceWords(account, zone: zone)
    guard sections.contains(.wire) else {
      let brief = difference.brief
      if !brief.isEmpty {
        lines += VisibleText.wrap("By packets alone: \(brief.prefix(4).joined(separator: ", ")).", to: width)
      }
      return
    }
    section("On the wire", WireWords(account).sentences.flatMap { bullet($0) }, &lines)
    section(
      "Packets against statistics",
      DifferenceTable(account, zone: zone).lines(width: width)
        + difference.differences.flatMap { end in
          [""] + VisibleText.wrap(end.summary, to: width) + end.lines(width: width)
            + end.reasons.flatMap { bullet("\($0.cause.heading): \($0.text)") }
        }, &lines)
  }

  /// In brief form only the errors, and the codes of the other findings.
  private func findings(_ lines: inout [String]) {
    let errors = account.findings.filter { $0.finding.severity == .error }
    let whole = sections.contains(.findings)
    var body = FindingLines(whole ? account.findings : errors, zone: zone, ink: ink, width: width).lines
    let others = whole ? [] : account.findings.filter { $0.finding.severity == .warning }
    if !others.isEmpty {
      var codes: [String] = []
      for code in others.map(\.finding.name) where !codes.contains(code) { codes.append(code) }
      let words = "\(errors.isEmpty ? "Warnings" : "and warnings"): \(codes.joined(separator: ", "))"
      let wrapped = VisibleText.wrap(VisibleText.visible(words), to: width).map { ink(.warning, $0) }
      if errors.isEmpty { return lines += [""] + wrapped }
      body += wrapped
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

  /// The options that show what was omitted.
  private func more(_ lines: inout [String]) {
    var options: [String] = []
    func offer(_ option: String, _ part: Sections, _ isThere: Bool) {
      if isThere, sections.isDisjoint(with: part) { options.append(option) }
    }
    let hasWindows = account.ends.contains { !$0.windows.isEmpty }
    offer("--setup", .setup, account.ends.filter { !$0.attempts.isEmpty }.count > (hasWindows ? 0 : 1))
    offer("--wire", .wire, account.ends.contains { $0.streams.contains { $0.source == .capture } })
    offer("--findings", .findings, account.findings.contains { $0.finding.severity != .error })
    offer("--events", [.events, .everyEvent], !account.events.isEmpty)
    offer("--sources", .sources, !account.sources.isEmpty)
    lines += ["", ink(.faint, "more: \((options + ["--all"]).joined(separator: " "))")]
  }

  /// The setup of every end: one waterfall per attempt, with its total and causes.
  public var setupText: String {
    var lines = head
    while lines.last?.isEmpty ?? false { lines.removeLast() }
    let count = lines.count
    setup(account.ends, &lines)
    if lines.count == count { lines += ["", "Nothing is known of its setup."] }
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
    if let mos = call.mos, account.ends.count > 1 {
      facts.append(
        "MOS \(Measure.opinion(mos, scale: call.mosScale))"
          + (call.scoreEndpoint.map { " at \(EndWords.name($0))" } ?? ""))
    }
    if let expected = call.expectedOutcome, expected != call.outcome {
      facts.append("expected: \(expected.rawValue)")
    }
    if let excluded = call.excluded { facts.append("excluded: \(excluded)") }
    if let known = call.known { facts.append("known: \(known)") }
    let line = VisibleText.visible(facts.map { VisibleText.cut($0, to: 60) }.joined(separator: " · "))
    parts += VisibleText.wrap(line, to: width).filter { !$0.isEmpty }.map { ink(.faint, $0) }
    return parts + [""]
  }

  /// The states of ends without statistics.
  private func states(_ lines: inout [String]) {
    for end in account.ends where end.streams.isEmpty {
      let own = account.ownEvents.filter { $0.end == end.name }.map(\.record)
      section(
        "What the \(VisibleText.visible(end.name)) went through",
        StateStrip(own, attempts: end.attempts).lines(width: width), &lines)
    }
  }

  private func setup(_ ends: [EndAccount], _ lines: inout [String]) {
    for end in ends {
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

/// Sparklines of all ends on a common time axis.
struct ScoreLines {
  package let account: CallAccount
  package let zone: Zone
  package let ink: TerminalStyle
  package let width: Int
  /// Whether the legend is short.
  package let isBrief: Bool

  package init(_ account: CallAccount, zone: Zone, ink: TerminalStyle, width: Int, isBrief: Bool = false) {
    (self.account, self.zone, self.ink, self.width, self.isBrief) = (account, zone, ink, width, isBrief)
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
      // For a short call there is room for the scores beside the bars.
      let scores = end.windows.map { $0.score.map(String.init) ?? CellText.unknown }.joined(separator: " ")
      let room = width - label - line.heights.count - 2
      let beside = line.windowsPerColumn == 1 && VisibleText.width(scores) <= room ? "  " + scores : ""
      lines.append(
        VisibleText.fit(VisibleText.visible(end.name), to: label) + ink(.accent, line.heights) + beside)
      let causes = trimmed(line.letters)
      if !causes.isEmpty { lines.append(indent + ink(.faint, causes)) }
    }
    var legend = "\(zone.clockText(from) ?? "") to \(zone.clockText(to) ?? "")"
    if isBrief {
      legend += perColumn > 1 ? ", the worst of \(perColumn) × 5 s" : ", 5 s each"
    } else {
      legend += perColumn > 1 ? ", the worst of \(perColumn) windows of 5 s each" : ", a window of 5 s each"
    }
    if let sparse = ends.compactMap(\.sparseReports).max(by: { $0.apartMs < $1.apartMs }) {
      legend +=
        sparse.lengthMs == nil ? ", the same between reports, which came " : ", the same where reports came "
      legend += "\(Measure.duration(sparse.apartMs)) apart"
    }
    let causes = Cause.allCases.filter { letters.contains(Character($0.letter)) }.map {
      "\($0.letter) \($0.rawValue)"
    }
    let states = [("×", "nothing heard or seen"), ("·", "silent"), ("?", "not scored")]
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

/// The score of one end over the call, one character per window, or per several windows with the worst of them.
struct Sparkline {
  /// The bar heights, and in the line below the letter of the cause with most points.
  let heights: String
  package let letters: String
  /// Number of windows per character.
  let windowsPerColumn: Int

  private static let bars = Array("▁▂▃▄▅▆▇█")

  /// Creates a line with at most the given number of columns for a time span, so that the lines of both ends are
  /// aligned.
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
  /// The value clamped to a range; NaN becomes the lower bound.
  package func clamped(to range: ClosedRange<Double>) -> Double {
    isNaN ? range.lowerBound : Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
  }
}
