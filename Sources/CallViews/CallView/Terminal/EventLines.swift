import CallModel
import Rendering

/// Events, one per line.
struct EventLines {
  package let account: CallAccount
  package let zone: Zone
  package let ink: TerminalStyle
  package let width: Int
  package let all: Bool
  /// Maximum number of lines; a longer list is cut in the middle, and `events ID` shows all.
  private static let most = 60

  package init(_ account: CallAccount, zone: Zone, ink: TerminalStyle, width: Int, all: Bool) {
    (self.account, self.zone, self.ink, self.width, self.all) = (account, zone, ink, width, all)
  }

  package var lines: [String] {
    let own = account.ownEvents
    let shown = all ? own : own.filter { !EventWords.isChatter($0) }
    let name = min(12, account.ends.map { VisibleText.width(VisibleText.visible($0.name)) }.max() ?? 0)
    let participants = Participants(account)
    var lines = shown.map { line($0, name, participants) }
    let clocks =
      shown.isEmpty ? [] : ClockWords.sentences(account).flatMap { VisibleText.wrap($0, to: width) }
    if !all, lines.count > Self.most {
      let cut = lines.count - Self.most
      lines.replaceSubrange(
        Self.most / 2..<lines.count - Self.most / 2, with: [ink(.faint, "… \(cut) more …")])
    }
    let rest = own.count - shown.count
    if rest > 0 {
      lines.append(
        ink(
          .faint, "and \(Plural.of(rest, "minor event")): --events lists \(Plural.word(rest, "it", "them"))"))
    }
    return clocks.map { ink(.faint, $0) } + lines
  }

  private func line(_ event: AccountEvent, _ name: Int, _ participants: Participants) -> String {
    let record = event.record
    let time = record.timeMs.flatMap { zone.preciseClockText($0) } ?? "no time"
    let end = VisibleText.fit(event.end.map { VisibleText.visible($0) } ?? "", to: name)
    var what = EventWords.name(record)
    if let until = record.untilMs, let from = record.timeMs { what += " (\(Measure.duration(until - from)))" }
    let head = "\(VisibleText.fit(time, to: 12)) \(end) "
    let arguments = EventWords.arguments(record, participants: participants)
    let text = head + what + (arguments.isEmpty ? "" : "  " + arguments)
    let line = VisibleText.cut(text, to: width)
    let mark = record.anomaly.map {
      "\n" + String(repeating: " ", count: 13)
        + ink(.warning, VisibleText.cut("! " + VisibleText.visible($0), to: width - 13))
    }
    return line + (mark ?? "")
  }
}
