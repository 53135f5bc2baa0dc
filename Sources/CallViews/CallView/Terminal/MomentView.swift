import CallModel
import Rendering

/// A second or a minute of a call: what became of the media, the score with its causes, what changed, and the events.
public struct MomentView {
  private let account: CallAccount
  private let span: ClosedRange<Double>
  private let zone: Zone
  private let ink: TerminalStyle
  private let width: Int
  /// How far around it causes and consequences are looked for, ms: statistics come every second or two, captures and
  /// browsers notice an outage after up to 5 s.
  private static let nearMs = 5000.0
  /// Maximum number of events, and of stretches of score of each end, that are listed.
  private static let maxEvents = 10
  private static let maxStretches = 2

  /// Creates the view for a span in ms since the Unix epoch.
  public init(_ account: CallAccount, during span: ClosedRange<Double>, for terminal: TerminalFacts) {
    self.account = account
    self.span = span
    zone = terminal.zone
    ink = TerminalStyle(terminal)
    width = min(100, max(40, terminal.width ?? 80))
  }

  private var near: ClosedRange<Double> { span.lowerBound - Self.nearMs...span.upperBound + Self.nearMs }

  /// The view, with line feeds.
  public var text: String {
    let start = account.zeroMs ?? span.lowerBound
    let last = account.lastMs ?? span.upperBound
    var lines = VisibleText.wrap(title(start, last), to: width).map { ink(.heading, $0) }
    guard span.upperBound >= start - 1000, span.lowerBound <= last + 1000 else {
      lines += [""]
      lines += VisibleText.wrap(
        "The call lasted from \(clock(start)) to \(clock(last)): nothing is known of this time.", to: width)
      return lines.joined(separator: "\n") + "\n"
    }
    section("Sound and picture", media, &lines)
    section("Score", account.ends.flatMap(score), &lines)
    section("What changed", ChangeWords(account, zone).sentences(in: near).flatMap(bullet), &lines)
    section("Events", events, &lines)
    return lines.joined(separator: "\n") + "\n"
  }

  private func title(_ start: Double, _ last: Double) -> String {
    let id = VisibleText.cut(VisibleText.visible(account.call.id), to: width - 30)
    let at = clock(span.lowerBound) + zone.offsetText(span.lowerBound)
    func into(_ ms: Double) -> String { Measure.clock(ms - start) }
    guard span.upperBound - span.lowerBound > 1000 else {
      let place =
        span.lowerBound < start - 500
        ? "\(Measure.clock(start - span.lowerBound)) before it began" : "\(into(span.lowerBound)) into it"
      return "\(id) at \(at), \(place)"
    }
    let (from, until) = (max(span.lowerBound, start), min(span.upperBound, last))
    let recorded = from < until ? ": \(into(from)) to \(into(until)) of it" : ""
    return "\(id) from \(at) to \(clock(span.upperBound))\(recorded)"
  }

  private func clock(_ ms: Double) -> String { zone.clockText(ms) ?? "?" }

  /// What did not come, or stood still, with the place of the fault where it is one of them.
  private var media: [String] {
    let missing = account.missingMedia.filter { $0.overlaps(near) }
    var lines = missing.flatMap { bullet($0.words(of: account, zone)) }
    let impaired = account.ends.flatMap(\.impairments).filter { ($0.startMs...$0.endMs).overlaps(near) }
    let places = Set(missing.compactMap(\.place) + impaired.compactMap(\.place))
    let place = PlaceWords(account)
    if let root = account.call.rootCause, root.span.overlaps(near), let words = place.rootCause {
      lines += bullet(words)
    }
    if let fault = account.call.place, places.contains(fault.rule.place), let words = place.sentence {
      lines += bullet(words)
    }
    return lines.isEmpty ? arrived : lines
  }

  /// The ends at which all that was due arrived; nothing where no end's record tells.
  private var arrived: [String] {
    let known = account.ends.filter { end in
      end.fates.contains { $0.fate.what == .arrived && ($0.fate.startMs...$0.fate.endMs).overlaps(span) }
    }
    guard known.count < account.ends.count else {
      return known.isEmpty ? [] : ["All that was due arrived."]
    }
    return known.isEmpty
      ? []
      : VisibleText.wrap(
        "All that was due arrived at \(Measure.list(known.map { EndWords.name($0.name) })); of the rest nothing is known.",
        to: width)
  }

  private func score(_ end: EndAccount) -> [String] {
    let name = VisibleText.visible(end.name)
    let windows = end.windows.filter { $0.startMs < span.upperBound && span.lowerBound < $0.endMs }
    var lines: [String] = []
    let stretches =
      windows.count <= Self.maxStretches
      ? windows.map { ImpairedSpan(startMs: $0.startMs, endMs: $0.endMs, windows: [$0]) }
      : Array(ImpairedSpan.worst(windows).prefix(Self.maxStretches))
    if windows.isEmpty {
      lines.append("\(name): no scored window")
    } else if windows.count > Self.maxStretches {
      let figures = ScoreFigures(windows)
      let mean = figures.map { "score \(Measure.points($0.mean)), lowest \($0.lowest)" } ?? "not scored"
      lines.append("\(name): \(mean)" + (stretches.isEmpty ? "" : "; worst:"))
    }
    for stretch in stretches {
      let words =
        stretch.figures == nil
        ? stretch.windows.first?.state.words ?? ""
        : stretch.words(
          at: end.name, place: ScoreCaveats(account).lossPlace(end), isEstimated: end.isConcealmentEstimated,
          unsent: ScoreCaveats(account).unsent(to: end))
      let who = windows.count > Self.maxStretches ? "  " : "\(name) "
      lines += VisibleText.wrap(
        "\(who)\(clock(stretch.startMs))–\(clock(stretch.endMs)): \(words)", to: width)
      guard windows.count == 1, let window = windows.first else { continue }
      lines += VisibleText.wrap(Self.inputs(window, end), to: width - 2).filter { !$0.isEmpty }.map {
        "  " + $0
      }
    }
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

  /// The events that matter most, in order of time, and how many more of what there are.
  private var events: [String] {
    let around = EventWords.once(
      account.ownEvents.filter { event in
        event.record.timeMs.map { ($0...max($0, event.record.untilMs ?? $0)).overlaps(near) } ?? false
      })
    let ranked = around.enumerated().filter { !EventWords.isChatter($0.element) }.sorted {
      (EventWords.rank($0.element), $0.offset) < (EventWords.rank($1.element), $1.offset)
    }
    let shown = Set(ranked.prefix(Self.maxEvents).map(\.offset))
    var listed = account
    listed.events = around.enumerated().filter { shown.contains($0.offset) }.map(\.element)
    let rest = around.enumerated().filter { !shown.contains($0.offset) }.map {
      EventWords.name($0.element.record)
    }
    let lines = EventLines(listed, zone: zone, ink: ink, width: width, all: true).lines
    guard !rest.isEmpty else { return lines }
    let counts = Dictionary(grouping: rest) { $0 }.mapValues(\.count).sorted {
      ($1.value, $0.key) < ($0.value, $1.key)
    }
    let most = counts.prefix(4).map {
      VisibleText.cut($0.key, to: 40) + ($0.value > 1 ? " (\($0.value))" : "")
    }
    let more = counts.count > 4 ? ", …" : ""
    return lines
      + VisibleText.wrap(
        "and \(rest.count) more: \(most.joined(separator: ", "))\(more); `events` lists them all", to: width
      ).map { ink(.faint, $0) }
  }

  private func section(_ title: String, _ body: [String], _ lines: inout [String]) {
    guard !body.isEmpty else { return }
    lines += ["", ink(.heading, title)] + body
  }

  private func bullet(_ text: String) -> [String] {
    VisibleText.wrap(text, to: width - 2).enumerated().map { ($0 == 0 ? "- " : "  ") + $1 }
  }
}

extension WindowState {
  /// Why a window has no score.
  fileprivate var words: String {
    switch self {
    case .active, .unscored: "not scored"
    case .silent: "silent, not scored"
    case .stalled: "nothing arrived"
    }
  }
}
