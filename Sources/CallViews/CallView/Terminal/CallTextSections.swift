import CallModel
import Rendering

/// Findings with a few lines each; many of one kind are combined.
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
    RepeatedFindings.of(entries).flatMap { repeated -> [String] in
      let entry = repeated.example
      let finding = entry.finding
      let style: TerminalStyle.Style =
        finding.severity == .error ? .bad : finding.severity == .warning ? .warning : .faint
      let end = entry.end.map { " (\(VisibleText.cut(VisibleText.visible($0), to: 20)))" } ?? ""
      let time = finding.startMs.flatMap { zone.clockText($0) }.map { " at \($0)" } ?? ""
      let often = repeated.words.map { ", \($0); the longest" } ?? ""
      let head = "\(finding.severity.rawValue): \(VisibleText.visible(finding.name))\(end)\(often)\(time)"
      return [ink(style, VisibleText.cut(head, to: width))]
        + VisibleText.wrap(VisibleText.visible(finding.text), to: width - 2).map { "  " + $0 }
    }
  }
}

/// The worst stretches of all ends with their causes, worst first.
struct WorstLines {
  package let account: CallAccount
  package let zone: Zone
  package let width: Int
  package let most: Int
  /// Whether each stretch has one line with only the names of its causes.
  package let isBrief: Bool

  package init(_ account: CallAccount, zone: Zone, width: Int, most: Int = 5, isBrief: Bool = false) {
    (self.account, self.zone, self.width, self.most) = (account, zone, width, most)
    self.isBrief = isBrief
  }

  package var lines: [String] {
    let worst = account.ends.flatMap { end in ImpairedSpan.worst(end.windows).prefix(4).map { (end, $0) } }
      .sorted { ($0.1.figures?.mean ?? 0) < ($1.1.figures?.mean ?? 0) }.prefix(most)
    return worst.flatMap { end, stretch in
      let time =
        stretch.isThroughout(end.windows)
        ? "throughout" : "\(zone.clockText(stretch.startMs) ?? "?")–\(zone.clockText(stretch.endMs) ?? "?")"
      let who = account.ends.count > 1 ? " \(VisibleText.cut(VisibleText.visible(end.name), to: 20))," : ""
      if isBrief {
        let line = "\(time)\(who) \(stretch.briefWords)"
        return [VisibleText.cut(line, to: width)]
      }
      let words = stretch.words(
        at: end.name, place: ScoreCaveats(account).lossPlace(end),
        isEstimated: end.isConcealmentEstimated, unsent: ScoreCaveats(account).unsent(to: end))
      return VisibleText.wrap("\(time)\(who) \(words)", to: width - 2).enumerated().map {
        ($0 == 0 ? "" : "  ") + $1
      }
    }
  }
}

/// The phases of one setup attempt as bars on one axis.
struct SetupBars {
  private let attempt: SetupAttempt

  package init(_ attempt: SetupAttempt) { self.attempt = attempt }

  /// One line per measured phase, one for the total, then lines for unmeasured phases; at most `width` columns wide.
  package func lines(width: Int, ink: TerminalStyle) -> [String] {
    let chart = SetupChart(attempt)
    var lines: [String] = []
    if !chart.rows.isEmpty || !chart.later.isEmpty {
      let label = max(12, chart.rows.map(\.name.count).max() ?? 0)
      let bars = Bars(label: label, axis: max(10, width - label - 15), spanMs: chart.spanMs)
      lines += chart.rows.flatMap { bars.lines($0, width: width, ink: ink) }
      if let connected = chart.connected {
        let mark = String(repeating: "─", count: max(0, bars.columns(connected) - 1)) + "┤"
        lines.append(bars.line("connected", [connected.lowerBound: mark], connected.length))
      }
      if !chart.later.isEmpty {
        lines.append(ink(.faint, SetupWords.later))
        lines += chart.later.flatMap { bars.lines($0, width: width, ink: ink) }
      }
      if chart.rows.contains(where: { $0.kind == .person }) {
        lines.append(ink(.faint, "░ " + SetupWords.person))
      }
    }
    for words in SetupWords.rest(attempt, chart) {
      lines += VisibleText.wrap(words, to: width).map { ink(.faint, $0) }
    }
    return lines
  }
}

/// Draws rows of a chart on one axis with the given number of columns.
private struct Bars {
  package let label: Int
  let axis: Int
  package let spanMs: Double

  private func column(_ ms: Double) -> Double { ms * Double(axis) / spanMs }

  /// Number of columns of a part; 0 if it is too short to draw.
  package func columns(_ part: ClosedRange<Double>) -> Int {
    let start = place(part.lowerBound)
    return Int(column(part.length).rounded().clamped(to: 0...Double(axis - start)))
  }

  private func place(_ ms: Double) -> Int { Int(column(ms).clamped(to: 0...Double(axis - 1))) }

  package func lines(_ row: SetupChart.Row, width: Int, ink: TerminalStyle) -> [String] {
    let block =
      switch row.kind {
      case .system: "█"
      case .person: "░"
      case .unaccounted: "·"
      case .later: "▒"
      }
    var marks: [Double: String] = [:]
    for part in row.parts {
      let count = columns(part)
      if count > 0 || row.kind != .unaccounted {
        marks[part.lowerBound] = count == 0 ? "╵" : String(repeating: block, count: count)
      }
    }
    let text = line(row.name, marks, row.durationMs)
    let causes =
      row.cause.map { VisibleText.wrap(VisibleText.visible($0), to: max(20, width - label - 1)) } ?? []
    return [row.isSlowest ? ink(.warning, text) + " ◂" : text]
      + causes.map { String(repeating: " ", count: label + 1) + ink(.faint, $0) }
  }

  /// A line with marks at the given times.
  package func line(_ name: String, _ marks: [Double: String], _ lastedMs: Double) -> String {
    var bar = ""
    for (at, mark) in marks.sorted(by: { $0.key < $1.key }) {
      let gap = place(at) - bar.count
      bar += String(repeating: " ", count: max(0, gap)) + mark
    }
    return VisibleText.fit(name, to: label) + " " + VisibleText.fit(bar, to: axis)
      + VisibleText.fit(Measure.duration(lastedMs), to: 12, rightAligned: true)
  }
}

extension ClosedRange<Double> {
  /// Distance from lower to upper bound.
  package var length: Double { upperBound - lowerBound }
}

/// The files that the results are based on.
struct SourceLines {
  package let account: CallAccount
  package let ink: TerminalStyle
  package let width: Int

  package init(_ account: CallAccount, ink: TerminalStyle, width: Int) {
    (self.account, self.ink, self.width) = (account, ink, width)
  }

  package var lines: [String] {
    let names = SourceWords.names(account.sources)
    return account.sources.flatMap { source -> [String] in
      let line =
        "\(VisibleText.visible(names[source.key] ?? source.name))  \(ink(.faint, SourceWords.facts(source)))"
      return [line]
        + source.notes.prefix(4).flatMap { note in
          VisibleText.wrap(VisibleText.visible(note), to: width - 2).map { "  " + ink(.faint, $0) }
        }
    }
  }
}
