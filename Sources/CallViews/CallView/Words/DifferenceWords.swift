import CallModel
import Rendering

/// Explains why the score from an end's packets differs from that of its statistics, window by window.
///
/// Both are judged by the same rules, so differences come from what only one of them sees: video sizes, packets
/// restored by redundancy, time-stretching, delays of decoding and rendering.
struct DifferenceWords {
  /// Maximum difference that needs no explanation, points.
  package static let small = 5
  /// Maximum number of stretches explained, those with the largest difference; the others are counted.
  static let maxStretches = 12
  /// Minimum difference of a cause to be mentioned, points.
  private static let minPoints = 3
  /// Maximum difference between the start times of corresponding windows, ms: each source has its own first media.
  private static let nearMs = 2500.0

  private let account: CallAccount
  private let zone: Zone

  package init(_ account: CallAccount, zone: Zone) {
    self.account = account
    self.zone = zone
  }

  /// What differs at each end that has both scores.
  package var differences: [EndDifference] { account.ends.compactMap { difference(at: $0) } }

  /// The difference of the two scores by end; empty if no end has both.
  package var brief: [String] {
    let both = account.ends.map { ($0, pairs(of: $0, clockMs: clockMs($0) ?? 0)) }.filter { !$0.1.isEmpty }
    return both.enumerated().map { place, element in
      let (end, pairs) = element
      let far = pairs.filter { abs($0.difference) > Self.small }.count
      let packets = Measure.points(DoublyScoredWindow.mean(pairs.map(\.capture)))
      return
        "\(EndWords.name(end.name)) \(packets) (\(far) of \(pairs.count)\(place == 0 ? " windows differ" : ""))"
    }
  }

  func pairs(of end: EndAccount, clockMs: Double) -> [DoublyScoredWindow] {
    end.windows.filter { $0.state == .active }.compactMap { window in
      match(window, in: end.captureWindows, clockMs: clockMs).map {
        DoublyScoredWindow(stats: window, capture: $0)
      }
    }
  }

  /// What differs at an end; nil if it does not have both scores.
  private func difference(at end: EndAccount) -> EndDifference? {
    let clock = clockMs(end)
    let pairs = pairs(of: end, clockMs: clock ?? 0)
    guard !pairs.isEmpty else { return nil }
    let stretches = Self.stretches(pairs)
    let largest = stretches.sorted { ($0.distance, $1.startMs) > ($1.distance, $0.startMs) }.prefix(
      Self.maxStretches)
    return EndDifference(
      end: VisibleText.visible(end.name), summary: summary(end, pairs, clockMs: clock),
      rows: largest.sorted { $0.startMs < $1.startMs }.map(row), more: stretches.count - largest.count,
      reasons: reasons(Array(largest), at: end))
  }

  /// Which score of the end is from which source, and over which windows they are compared.
  private func summary(_ end: EndAccount, _ pairs: [DoublyScoredWindow], clockMs: Double?) -> String {
    let name = EndWords.name(end.name)
    let scored = end.windows.filter { $0.score != nil }
    let left = scored.filter { window in !pairs.contains { $0.stats.index == window.index } }
    let own = Measure.points(end.score?.mean ?? DoublyScoredWindow.mean(pairs.map(\.stats)))
    let packets = Measure.points(DoublyScoredWindow.mean(pairs.map(\.capture)))
    let far = pairs.filter { abs($0.difference) > Self.small }.count
    var text = "The score of \(name), \(own), is that of its own statistics"
    if left.isEmpty {
      text += "; its packets alone give \(packets)"
    } else {
      let why =
        left.allSatisfy { $0.state == .stalled }
        ? "the outage is left out" : "the others have no score by packets"
      text +=
        ": in the \(pairs.count) windows that both have (of \(scored.count); \(why)) they give "
        + "\(Measure.points(DoublyScoredWindow.mean(pairs.map(\.stats)))), its packets alone \(packets)"
    }
    text += far == 0 ? "; no window differs" : "; \(far) of \(pairs.count) windows differ"
    text += " by more than \(Self.small) points."
    if let clockMs, abs(clockMs) >= 0.5 {
      text += " By the first packet of media their clocks are \(Measure.duration(abs(clockMs))) apart."
    }
    return text
  }

  /// Windows with a large difference; neighbours with the same scores and causes are joined.
  private static func stretches(_ pairs: [DoublyScoredWindow]) -> [DoublyScoredStretch] {
    var stretches: [DoublyScoredStretch] = []
    for pair in pairs.sorted(by: { $0.stats.startMs < $1.stats.startMs }) where abs(pair.difference) > small {
      let next = DoublyScoredStretch([pair])
      if let last = stretches.last, abs(last.endMs - next.startMs) < 1, last.isAlike(pair),
        Set(last.causes(atLeast: minPoints)) == Set(next.causes(atLeast: minPoints))
      {
        stretches[stretches.count - 1] = DoublyScoredStretch(last.pairs + [pair])
      } else {
        stretches.append(next)
      }
    }
    return stretches
  }

  private func match(_ window: Window, in others: [Window], clockMs: Double) -> Window? {
    others.filter { $0.score != nil && abs($0.startMs - clockMs - window.startMs) <= Self.nearMs }
      .min { abs($0.startMs - clockMs - window.startMs) < abs($1.startMs - clockMs - window.startMs) }
  }

  /// How far the capture's clock is ahead, ms, because both count windows from the first media packet; nil if
  /// uncertain.
  func clockMs(_ end: EndAccount) -> Double? {
    guard let one = end.windows.first, let other = end.captureWindows.first, one.index == other.index else {
      return nil
    }
    let apart = other.startMs - one.startMs
    // Windows also start apart if audio arrived long before it was played. No packet is reported before it arrives.
    if let least = minClockMs(end), apart < least - Self.clockToleranceMs { return nil }
    // The start time computed back from a burst of packets lies before the first of them.
    return apart > Self.clockToleranceMs && mayShareClock(end) ? nil : apart
  }

  private static let clockToleranceMs = 50.0

  /// Minimum by which the capture's clock is ahead, ms, from the last packets it saw and the last reports of their
  /// streams, if those count all of them.
  private func minClockMs(_ end: EndAccount) -> Double? {
    let inbound = end.streams.filter { $0.direction == .inbound && $0.ssrc != nil }
    return inbound.filter { $0.source == .capture }.compactMap { stream in
      guard let last = stream.lastMs, let packets = stream.number("packets"),
        let reported = inbound.first(where: { $0.source == .stats && $0.ssrc == stream.ssrc }),
        let reportedMs = reported.lastMs, let counted = reported.number("packets"), counted >= packets
      else { return nil }
      return last - reportedMs
    }.max()
  }

  /// Whether the first packet was captured before the first report of its stream, as it must be on a common clock.
  private func mayShareClock(_ end: EndAccount) -> Bool {
    let inbound = end.streams.filter { $0.direction == .inbound && $0.ssrc != nil && $0.firstMs != nil }
    let captured = inbound.filter { $0.source == .capture }.min {
      $0.firstMs ?? .infinity < $1.firstMs ?? .infinity
    }
    guard let captured,
      let reported = inbound.first(where: { $0.source == .stats && $0.ssrc == captured.ssrc })
    else { return false }
    return captured.firstMs ?? .infinity <= reported.firstMs ?? -.infinity
  }

  private func row(_ stretch: DoublyScoredStretch) -> EndDifference.Row {
    let from = zone.clockText(stretch.startMs) ?? "?"
    let at = stretch.pairs.count == 1 ? from : "\(from)–\(zone.clockText(stretch.endMs) ?? "?")"
    let causes =
      stretch.causes(atLeast: Self.minPoints) + stretch.causes(atLeast: Self.minPoints, isAgainst: true)
    // What is too small to name makes up the rest of the difference.
    let rest = -stretch.scoreDifference - causes.reduce(0) { $0 - stretch.points($1) }
    return EndDifference.Row(
      at: at, stats: stretch.score(\.stats), packets: stretch.score(\.capture),
      causes: causes.map { EndDifference.Part(cause: $0, points: -stretch.points($0)) }
        + (rest == 0 ? [] : [EndDifference.Part(cause: nil, points: rest)]))
  }

  /// Why the scores differ, once per cause, with the figures of all stretches that it explains.
  private func reasons(_ stretches: [DoublyScoredStretch], at end: EndAccount) -> [EndDifference.Reason] {
    Cause.allCases.compactMap { cause in
      let explained = stretches.filter { $0.causes(atLeast: Self.minPoints).contains(cause) }
      guard !explained.isEmpty else { return nil }
      let all = DoublyScoredStretch(explained.flatMap(\.pairs))
      return EndDifference.Reason(cause: cause, text: reason(cause, all, at: end))
    }
  }

  /// What one of the two could not see, and the means over the stretch that show it.
  private func reason(_ cause: Cause, _ stretch: DoublyScoredStretch, at end: EndAccount) -> String {
    let stats = EndTotals(stretch.pairs.map(\.stats)).inputs
    let capture = EndTotals(stretch.pairs.map(\.capture)).inputs
    let more = stretch.points(cause) > 0
    switch cause {
    case .loss where end.isConcealmentEstimated: return "the statistics do not count concealed sound"
    case .loss:
      return
        (more
        ? "packets do not show which of them redundancy restored"
        : "packets do not show whether the sender added the redundancy that reports asked for")
        + both(capture.concealedShare, stats.concealedShare, "of the sound concealed", Measure.percent)
    case .jitter: return "packets do not show where sound could be stretched or shortened"
    case .delay:
      return
        "packets do not show what the buffer held back for the picture and the sound device added: both are estimated"
        + both(capture.delayMs, stats.delayMs, "from mouth to ear", Measure.duration)
    case .freeze:
      return
        (more
        ? "packets do not show which frames redundancy repaired, and the browser counts no stall of the first frames"
        : "packets do not show what decoding and drawing held up")
        + both(capture.freezeShare, stats.freezeShare, "of the time frozen", Measure.percent)
    case .framerate:
      func text(_ rate: Double) -> String { CellText.fixed(rate, decimals: 1) }
      if let rate = capture.frameRate, stats.frameRate.map(text) == text(rate) {
        return "packets do not show how many frames a second were to be expected"
      }
      return "packets do not show which frames the decoder left out, or could decode after all"
        + both(capture.frameRate, stats.frameRate, "frames a second", text)
    case .resolution: return "packets do not show the size of the picture"
    case .bitrate: return "packets do not show the rate that was configured"
    case .coding: return "packets do not show how coarsely the frames are coded"
    case .silence: return "packets do not show what was heard at the other end"
    case .playout: return "packets do not show what the receiver played"
    }
  }

  private func both(_ packets: Double?, _ stats: Double?, _ what: String, _ text: (Double) -> String)
    -> String
  {
    guard let packets, let stats, text(packets) != text(stats) else { return "" }
    return " (\(text(packets)) \(what) by packets, \(text(stats)) by statistics)"
  }
}

/// How the score from an end's packets differs from that of its statistics.
struct EndDifference {
  /// A stretch whose two scores are far apart.
  struct Row: Equatable {
    /// `14:03:10`, or from when until when.
    package var at: String
    package var stats: Int
    package var packets: Int
    /// How the points lost differ; they add up to the difference of the scores.
    package var causes: [Part]
  }

  /// The part of a cause in a difference, points; of all causes that are not named if it is nil.
  struct Part: Equatable {
    package var cause: Cause?
    package var points: Int
  }

  /// What one of the two sources cannot see.
  struct Reason: Equatable {
    package var cause: Cause
    package var text: String
  }

  package var end: String
  /// Both scores, and in how many windows they differ.
  package var summary: String
  /// The stretches that differ most, in order of time.
  package var rows: [Row]
  /// The number of other stretches.
  package var more: Int
  /// Why, once per cause.
  package var reasons: [Reason]
}

/// A window scored from both the statistics and the packets of an end.
struct DoublyScoredWindow {
  package var stats: Window
  package var capture: Window

  /// The packets' score minus that of the statistics, points.
  package var difference: Int { (capture.score ?? 0) - (stats.score ?? 0) }

  /// The mean score of windows; 0 if there are none.
  package static func mean(_ windows: [Window]) -> Double {
    let scores = windows.compactMap(\.score)
    return scores.isEmpty ? 0 : Double(scores.reduce(0, +)) / Double(scores.count)
  }
}

/// Consecutive windows whose two scores differ a lot, with the same scores and causes.
struct DoublyScoredStretch {
  package let pairs: [DoublyScoredWindow]
  /// Points lost by cause according to packets, minus those according to statistics: rounded means.
  private let differences: ByCause<Int>

  package init(_ pairs: [DoublyScoredWindow]) {
    self.pairs = pairs
    var differences: ByCause<Int> = [:]
    for cause in Cause.allCases {
      let sum = pairs.reduce(0) {
        $0 + ($1.capture.pointsLost?[cause] ?? 0) - ($1.stats.pointsLost?[cause] ?? 0)
      }
      differences[cause] = Int((Double(sum) / Double(max(1, pairs.count))).rounded())
    }
    self.differences = differences
  }

  package var startMs: Double { pairs.first?.stats.startMs ?? 0 }
  package var endMs: Double { pairs.last?.stats.endMs ?? 0 }
  /// Whether the packets' scores are lower.
  var isLower: Bool { (pairs.first?.difference ?? 0) < 0 }
  /// The largest difference of its windows, points.
  package var distance: Int { pairs.map { abs($0.difference) }.max() ?? 0 }

  /// Whether a window has the same scores.
  package func isAlike(_ pair: DoublyScoredWindow) -> Bool {
    pairs.allSatisfy { $0.stats.score == pair.stats.score && $0.capture.score == pair.capture.score }
  }

  package func points(_ cause: Cause) -> Int { differences[cause] ?? 0 }

  /// The mean of one of the two scores, as displayed.
  func score(_ source: KeyPath<DoublyScoredWindow, Window>) -> Int {
    Int(DoublyScoredWindow.mean(pairs.map { $0[keyPath: source] }).rounded())
  }

  /// How many more points the packets lost, from the mean scores as displayed.
  var scoreDifference: Int { score(\.stats) - score(\.capture) }

  /// The causes of the difference, the largest first; or those with the opposite sign.
  package func causes(atLeast least: Int, isAgainst: Bool = false) -> [Cause] {
    Cause.allCases.filter { (points($0) > 0) == (isLower != isAgainst) && abs(points($0)) >= least }
      .sorted { abs(points($0)) > abs(points($1)) }
  }
}
