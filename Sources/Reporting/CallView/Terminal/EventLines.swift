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
      lines.append(ink(.faint, "and \(rest) of no great moment: --events lists them"))
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
