import CallModel
import Rendering

/// The state of a call at a given time: score with causes at each end, the path, and the events around it.
public struct MomentView {
  private let account: CallAccount
  private let moment: Double
  private let zone: Zone
  private let ink: TerminalStyle
  private let width: Int
  private static let aroundMs = 15_000.0

  /// Creates the view for a time in ms since the Unix epoch.
  public init(_ account: CallAccount, atMs moment: Double, for terminal: TerminalFacts) {
    self.account = account
    self.moment = moment
    zone = terminal.zone
    ink = TerminalStyle(terminal)
    width = min(100, max(40, terminal.width ?? 80))
  }

  /// The view, with line feeds.
  public var text: String {
    let start = account.zeroMs ?? moment
    let id = VisibleText.cut(VisibleText.visible(account.call.id), to: width - 30)
    let clock = (zone.clockText(moment) ?? "?") + zone.offsetText(moment)
    let place =
      moment < start - 500
      ? "\(Measure.clock(start - moment)) before it began" : "\(Measure.clock(moment - start)) into it"
    var lines = [ink(.heading, "\(id) at \(clock), \(place)"), ""]
    if let last = account.lastMs, moment < start - 1000 || moment > last + 1000 {
      lines += VisibleText.wrap(
        "The call lasted from \(zone.clockText(start) ?? "?") to \(zone.clockText(last) ?? "?"): nothing is known of this moment.",
        to: width)
      return lines.joined(separator: "\n") + "\n"
    }
    for end in account.ends { lines += self.lines(of: end) }
    let around = account.ownEvents.filter { event in
      guard let time = event.record.timeMs else { return false }
      return abs(time - moment) <= Self.aroundMs
        || (time <= moment && (event.record.untilMs ?? time) >= moment)
    }
    if !around.isEmpty {
      var near = account
      near.events = around
      lines += ["", ink(.heading, "Events within \(Measure.duration(Self.aroundMs))")]
      lines += EventLines(near, zone: zone, ink: ink, width: width, all: true).lines
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func lines(of end: EndAccount) -> [String] {
    let name = VisibleText.visible(end.name)
    var lines: [String] = []
    if let window = end.windows.last(where: { $0.startMs <= moment && moment < $0.endMs }) {
      let span = "\(zone.clockText(window.startMs) ?? "")–\(zone.clockText(window.endMs) ?? "")"
      let words =
        window.score == nil
        ? window.state.rawValue
        : ImpairedSpan(startMs: window.startMs, endMs: window.endMs, windows: [window])
          .words(
            at: end.name, place: ScoreCaveats(account).lossPlace(end),
            isEstimated: end.isConcealmentEstimated, unsent: ScoreCaveats(account).unsent(to: end))
      lines += VisibleText.wrap("\(name) \(span): \(words)", to: width)
      lines += VisibleText.wrap(Self.inputs(window, end), to: width - 2).filter { !$0.isEmpty }.map {
        "  " + $0
      }
    } else {
      lines.append("\(name): no scored window")
    }
    let path = end.path.last { $0.fromMs <= moment }.map { PathWords.one($0) } ?? ""
    if !path.isEmpty { lines.append("  path: " + path) }
    return lines
  }

  private static func inputs(_ window: Window, _ end: EndAccount) -> String {
    let inputs = window.inputs
    let parts: [String?] = [
      window.audioCQ.map { "sound \(CellText.fixed($0, decimals: 0))" },
      window.video.map { "picture \(CellText.fixed($0, decimals: 0))" },
      inputs.lossShare.map { "loss \(Measure.percent($0))" },
      inputs.concealedShare.map {
        "concealed \(Measure.percent($0))\(end.isConcealmentEstimated ? " (estimated)" : "")"
      },
      inputs.delayMs.map { "delay \(Measure.duration($0))" },
      inputs.rttMs.map { "round trip \(Measure.duration($0))" },
      inputs.freezeShare.map { "still \(Measure.percent($0))" },
      inputs.frameRate.map { "\(Measure.frameRate($0)) fps" },
      inputs.height.map { "\(CellText.fixed($0, decimals: 0)) lines" },
      inputs.bitrateBps.map(Measure.bitrate),
      window.clientScore.map { "the client's own score \(CellText.fixed($0, decimals: 0))" },
    ]
    return parts.compactMap { $0 }.joined(separator: ", ")
  }
}

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
