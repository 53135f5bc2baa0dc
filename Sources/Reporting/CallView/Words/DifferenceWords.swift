import CallModel

/// Why the score from an end's packets is not that from its own statistics, window by window.
///
/// Both are judged by the same rules, so what differs is what only one of the two can see: the sizes of pictures, what
/// redundancy restored, when sound was stretched, what decoding and drawing added.
struct DifferenceWords {
  /// Differences up to this are no one's concern; beyond the second each window is explained.
  static let small = 5
  /// Windows explained at most, the furthest first; the others are counted.
  static let mostWindows = 12
  /// A cause that differs by fewer points explains nothing.
  private static let leastPoints = 3
  /// Windows of the two begin at most so far apart, ms: each source has its own first media.
  private static let nearMs = 2500.0

  private let account: CallAccount
  private let zone: Zone

  init(_ account: CallAccount, zone: Zone) {
    self.account = account
    self.zone = zone
  }

  /// A sentence an end that both saw, followed by one for each window that is far off.
  var sentences: [String] { account.ends.flatMap(sentences) }

  private func sentences(_ end: EndAccount) -> [String] {
    let clock = clockMs(end)
    let pairs = end.windows.filter { $0.state == .active }.compactMap { window in
      match(window, in: end.captureWindows, clockMs: clock ?? 0).map { (stats: window, capture: $0) }
    }
    guard !pairs.isEmpty else { return [] }
    let far = pairs.filter { abs(difference($0)) > Self.small }
      .sorted { (-abs(difference($0)), $0.stats.startMs) < (-abs(difference($1)), $1.stats.startMs) }
    func mean(_ scores: [Int]) -> String {
      CellText.fixed(Double(scores.reduce(0, +)) / Double(scores.count), decimals: 0)
    }
    var sentences = [
      "By its packets \(EndWords.name(end.name)) scores \(mean(pairs.compactMap(\.capture.score))), by its own statistics "
        + "\(mean(pairs.compactMap(\.stats.score))); \(far.count) of \(pairs.count) windows differ by more than "
        + "\(Self.small) points."
        + (clock.map { " By the first packet of media their clocks are \(Measure.duration(abs($0))) apart." }
          ?? "")
    ]
    sentences += far.prefix(Self.mostWindows).sorted { $0.stats.startMs < $1.stats.startMs }.map(sentence)
    if far.count > Self.mostWindows { sentences.append("And \(far.count - Self.mostWindows) more windows.") }
    return sentences
  }

  private func match(_ window: Window, in others: [Window], clockMs: Double) -> Window? {
    others.filter { $0.score != nil && abs($0.startMs - clockMs - window.startMs) <= Self.nearMs }
      .min { abs($0.startMs - clockMs - window.startMs) < abs($1.startMs - clockMs - window.startMs) }
  }

  /// How far the capture's clock is ahead, ms: both count windows from the first packet of media.
  private func clockMs(_ end: EndAccount) -> Double? {
    guard let one = end.windows.first, let other = end.captureWindows.first, one.index == other.index else {
      return nil
    }
    return other.startMs - one.startMs
  }

  private func difference(_ pair: (stats: Window, capture: Window)) -> Int {
    (pair.capture.score ?? 0) - (pair.stats.score ?? 0)
  }

  private func sentence(_ pair: (stats: Window, capture: Window)) -> String {
    let at = zone.clockText(pair.stats.startMs).map { "At \($0) " } ?? ""
    let lower = difference(pair) < 0
    let causes = Cause.allCases.map { cause in
      (cause: cause, points: points(pair.capture, cause) - points(pair.stats, cause))
    }
    .filter { ($0.points > 0) == lower && abs($0.points) >= Self.leastPoints }
    .sorted { abs($0.points) > abs($1.points) }
    let reasons = causes.map { "\(abs($0.points)) to \($0.cause.words) (\(reason($0.cause, pair, lower)))" }
    let scores = "\(pair.capture.score ?? 0) by packets, \(pair.stats.score ?? 0) by statistics"
    // What differs a little everywhere has no single reason.
    let rest = reasons.isEmpty ? "a point or two to each cause" : reasons.joined(separator: ", ")
    return "\(at)\(scores): \(lower ? "more" : "fewer") points: \(rest)."
  }

  private func points(_ window: Window, _ cause: Cause) -> Int { window.pointsLost?[cause] ?? 0 }

  /// What one of the two could not see. `more` says that the capture charges more.
  private func reason(_ cause: Cause, _ pair: (stats: Window, capture: Window), _ more: Bool) -> String {
    let (stats, capture) = (pair.stats.inputs, pair.capture.inputs)
    switch cause {
    case .loss:
      let shares = both(
        capture.concealedShare, stats.concealedShare, " of the sound made up", Measure.percent)
      return shares
        + (more
          ? "which packets redundancy restored does not show"
          : "whether the sender added the redundancy that reports asked for does not show")
    case .jitter: return "when sound lets itself be stretched or shortened does not show"
    case .delay:
      return both(capture.delayMs, stats.delayMs, " from mouth to ear", Measure.duration)
        + "what the buffer held back for the picture and the sound device added is only estimated"
    case .freeze:
      return both(capture.freezeShare, stats.freezeShare, " of the time frozen", Measure.percent)
        + (more
          ? "which frames redundancy repaired does not show, and the browser counts no stall of the first frames"
          : "what decoding and drawing held up does not show")
    case .framerate: return "frames that the decoder left out, or could decode after all, do not show"
    case .resolution: return "the size of the picture does not show"
    case .bitrate: return "the rate that was configured does not show"
    }
  }

  private func both(_ a: Double?, _ b: Double?, _ what: String, _ text: (Double) -> String) -> String {
    guard let a, let b, text(a) != text(b) else { return "" }
    return "\(text(a)) against \(text(b))\(what), "
  }
}
