import CallModel
import Rendering

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
  /// Whether a stretch has a line, its reasons only by their names.
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
        isEstimated: end.isMadeUpEstimated, unsent: ScoreCaveats(account).unsent(to: end))
      return VisibleText.wrap("\(time)\(who) \(words)", to: width - 2).enumerated().map {
        ($0 == 0 ? "" : "  ") + $1
      }
    }
  }
}
