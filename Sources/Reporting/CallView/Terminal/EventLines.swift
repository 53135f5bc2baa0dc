import CallModel

/// What happened, a line an event.
struct EventLines {
  let account: CallAccount
  let zone: Zone
  let ink: Ink
  let width: Int
  let all: Bool
  /// A list that is longer is cut in its middle; `events ID` gives all.
  private static let most = 60

  init(_ account: CallAccount, zone: Zone, ink: Ink, width: Int, all: Bool) {
    (self.account, self.zone, self.ink, self.width, self.all) = (account, zone, ink, width, all)
  }

  var lines: [String] {
    let own = account.ownEvents
    let shown = all ? own : own.filter { !EventWords.isChatter($0) }
    let name = min(12, account.ends.map { VisibleText.width(VisibleText.visible($0.name)) }.max() ?? 0)
    let roster = Roster(account)
    var lines = shown.map { line($0, name, roster) }
    if !all, lines.count > Self.most {
      let cut = lines.count - Self.most
      lines.replaceSubrange(
        Self.most / 2..<lines.count - Self.most / 2, with: [ink(.faint, "… \(cut) more …")])
    }
    let rest = own.count - shown.count
    if rest > 0 {
      lines.append(
        ink(
          .faint,
          "and \(rest) of no great moment: callqa events \(VisibleText.cut(VisibleText.visible(account.call.id), to: 40))"
        ))
    }
    return lines
  }

  private func line(_ event: AccountEvent, _ name: Int, _ roster: Roster) -> String {
    let record = event.record
    let time = record.timeMs.flatMap { zone.preciseClockText($0) } ?? "no time"
    let end = VisibleText.fit(event.end.map { VisibleText.visible($0) } ?? "", to: name)
    var what = EventWords.name(record)
    if let until = record.untilMs, let from = record.timeMs { what += " (\(Measure.duration(until - from)))" }
    let head = "\(VisibleText.fit(time, to: 12)) \(end) "
    let arguments = EventWords.arguments(record, roster: roster)
    let text = head + what + (arguments.isEmpty ? "" : "  " + arguments)
    let line = VisibleText.cut(text, to: width)
    let mark = record.anomaly.map {
      "\n" + String(repeating: " ", count: 13)
        + ink(.warning, VisibleText.cut("! " + VisibleText.visible($0), to: width - 13))
    }
    return line + (mark ?? "")
  }
}

/// Findings, a few lines each.
struct FindingLines {
  let account: CallAccount
  let zone: Zone
  let ink: Ink
  let width: Int

  init(_ account: CallAccount, zone: Zone, ink: Ink, width: Int) {
    (self.account, self.zone, self.ink, self.width) = (account, zone, ink, width)
  }

  var lines: [String] {
    account.findings.flatMap { entry -> [String] in
      let finding = entry.finding
      let style: Ink.Style =
        finding.severity == .error ? .bad : finding.severity == .warning ? .warning : .faint
      let end = entry.end.map { " (\(VisibleText.cut(VisibleText.visible($0), to: 20)))" } ?? ""
      let time = finding.startMs.flatMap { zone.clockText($0) }.map { " at \($0)" } ?? ""
      let head = "\(finding.severity.rawValue): \(VisibleText.visible(finding.code))\(end)\(time)"
      return [ink(style, VisibleText.cut(head, to: width))]
        + VisibleText.wrap(VisibleText.visible(finding.text), to: width - 2).map { "  " + $0 }
    }
  }
}

/// The files the answer rests on.
struct SourceLines {
  let account: CallAccount
  let ink: Ink
  let width: Int

  init(_ account: CallAccount, ink: Ink, width: Int) {
    (self.account, self.ink, self.width) = (account, ink, width)
  }

  var lines: [String] {
    account.sources.flatMap { source -> [String] in
      let line = "\(VisibleText.visible(source.name))  \(ink(.faint, SourceWords.facts(source)))"
      return [line]
        + source.notes.prefix(4).flatMap { note in
          VisibleText.wrap(VisibleText.visible(note), to: width - 2).map { "  " + ink(.faint, $0) }
        }
    }
  }
}
