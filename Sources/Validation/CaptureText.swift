import CallModel
import Glibc
import Scoring

/// The study of captures as lines of text.
public enum CaptureText {
  /// The figures of one side.
  public static func figures(_ study: CaptureStudy, side: String) -> [String] {
    let f = study.figures(side)
    return [
      "\(side): means within 3 points in \(part(f.nearCalls, f.calls)) calls, r \(number(f.r)); windows within 5 points "
        + "\(part(f.within5, f.windows)), within 12 \(part(f.within12, f.windows)); freezes and pauses within 20 % or 200 ms of the frames shown "
        + part(f.nearFreezes, f.pictures)
    ]
  }

  /// All windows more than 12 points off, with the causes of both sides.
  public static func farWindows(_ study: CaptureStudy) -> [String] {
    study.ends.flatMap { end in
      end.pairs.filter { abs($0.difference ?? 100) > 12 }.map { pair in
        let stats = pair.stats
        let scores = "\(stats.score.map(String.init) ?? "-"), \(pair.capture?.score.map(String.init) ?? "-")"
        return "\(end.end) window \(stats.index): \(scores); "
          + Cause.allCases.compactMap { cause in
            let points = (stats.pointsLost?[cause] ?? 0, pair.capture?.pointsLost?[cause] ?? 0)
            return points.0 == points.1 ? nil : "\(cause.rawValue) \(points.0), \(points.1)"
          }.joined(separator: "; ")
      }
    }
  }

  /// All ends with a mean score more than 3 points off.
  public static func farMeans(_ study: CaptureStudy) -> [String] {
    study.ends.compactMap { end in
      guard let means = end.means, abs(means.stats - means.capture) > 3 else { return nil }
      return "\(end.end): \(number(means.stats, 1)), \(number(means.capture, 1))"
    }
  }

  /// All ends whose freezes or pauses differ much from the displayed frames, with the possible reasons.
  public static func farFreezes(_ study: CaptureStudy) -> [String] {
    study.ends.compactMap { end in
      guard let shown = end.shown, !end.freezesAgree else { return nil }
      let line =
        "\(end.end): freezes \(Int(end.freezeMs)) ms, shown \(Int(shown.freezeMs)); "
        + "pauses \(Int(end.pauseMs)) ms, shown \(Int(shown.pauseMs))"
      return line + "\n    " + reasons(end, shown).joined(separator: "; ")
    }
  }

  private static func reasons(_ end: CaptureAgreement, _ shown: ShownFrames) -> [String] {
    var reasons = shown.reasons
    let sums = (shown: shown.freezeMs + shown.pauseMs, capture: end.freezeMs + end.pauseMs)
    if abs(sums.shown - sums.capture) <= max(200, sums.shown / 5) {
      reasons.append("together they agree: one frame more or less makes one stall two")
    }
    return reasons.isEmpty ? ["frames that came in time were not drawn, or late ones not at once"] : reasons
  }

  private static func part(_ count: Int, _ all: Int) -> String {
    "\(count) of \(all) (\(number(all > 0 ? 100 * Double(count) / Double(all) : nil, 1)) %)"
  }
}

/// All ends of a folder of calls scored from their capture and from their statistics, and their agreement.
public struct CaptureStudy: Sendable {
  /// Agreement of the captures of one side with the statistics.
  public struct Figures: Sendable {
    /// Number of calls, of those whose means differ by at most 3 points, and the correlation of means over calls.
    public var calls = 0
    public var nearCalls = 0
    public var r: Double?
    /// Number of active windows, and of those within 5 and 12 points.
    public var windows = 0
    public var within5 = 0
    public var within12 = 0
    /// Ends with known frames, and those whose freezes and pauses differ by at most 20 % or 200 ms.
    public var pictures = 0
    public var nearFreezes = 0
  }

  public let ends: [CaptureAgreement]

  /// Reads `folder/CALL/END.stats.jsonl.gz` and `END.pcap.gz` of every call, except those with an artificially slow
  /// setup, whose STUN round trips are not those of media.
  public init(folder: String) throws {
    ends = try CaptureAgreement.read(folder: folder).filter { !$0.pairs.isEmpty && !$0.end.contains("setup") }
  }

  /// The figures of `callee` or `caller`.
  public func figures(_ side: String) -> Figures {
    var figures = Figures()
    var means: [(Double, Double)] = []
    for end in ends where end.end.hasSuffix("/" + side) {
      figures.windows += end.pairs.count
      let differences = end.pairs.compactMap { $0.difference.map(abs) }
      figures.within5 += differences.filter { $0 <= 5 }.count
      figures.within12 += differences.filter { $0 <= 12 }.count
      if let mean = end.means {
        means.append(mean)
        figures.calls += 1
        if abs(mean.stats - mean.capture) <= 3 { figures.nearCalls += 1 }
      }
      if end.shown != nil {
        figures.pictures += 1
        if end.freezesAgree { figures.nearFreezes += 1 }
      }
    }
    figures.r = correlation(means.map(\.0), means.map(\.1))
    return figures
  }
}

/// An end's scores from its capture compared with those from its statistics, window by window.
///
/// Picture size is left out of both: under SRTP only the ends know it.
public struct CaptureAgreement: Sendable {
  /// One window from both sources.
  public struct Pair: Sendable {
    public var stats: Window
    /// Nil if the capture has no window with that number.
    public var capture: Window?

    /// The difference of the capture's score, in points; nil if it has no score.
    public var difference: Int? {
      guard let score = stats.score, let other = capture?.score else { return nil }
      return other - score
    }
  }

  /// `t00-clean/callee`.
  public var end: String
  /// The windows that are active in the statistics.
  public var pairs: [Pair]
  /// The frames displayed; nil if unknown.
  public var shown: ShownFrames?
  /// Freezes and pauses in the capture, ms.
  public var freezeMs: Double
  public var pauseMs: Double

  /// Whether freezes, and pauses, agree with the displayed frames within a fifth or 200 ms.
  public var freezesAgree: Bool {
    shown?.agrees(freezeMs: freezeMs, pauseMs: pauseMs, share: 0.2, ms: 200) ?? true
  }

  /// Mean scores over windows with both scores.
  public var means: (stats: Double, capture: Double)? {
    let both = pairs.compactMap { pair in
      pair.stats.score.flatMap { score in pair.capture?.score.map { (Double(score), Double($0)) } }
    }
    guard !both.isEmpty else { return nil }
    let count = Double(both.count)
    return (both.reduce(0) { $0 + $1.0 } / count, both.reduce(0) { $0 + $1.1 } / count)
  }

  /// Compares both sources of `folder/CALL/END`; nil if one of them is missing.
  public init?(folder: String, end: String) throws {
    let paths = (stats: "\(folder)/\(end).stats.jsonl.gz", capture: "\(folder)/\(end).pcap.gz")
    guard access(paths.stats, R_OK) == 0, access(paths.capture, R_OK) == 0 else { return nil }
    let stats = try RecordedEnd(path: paths.stats)
    let capture = try RecordedEnd(capture: paths.capture)
    stats.forgetSizes()
    // With the third version: packets do not show how coarsely video is coded, which the fourth penalises.
    var one = stats.scorer(.callqa3, cut: .fromFirstMedia)
    var other = capture.scorer(.callqa3, cut: .fromFirstMedia)
    let windows = (stats: one.finish(), capture: other.finish())
    self.end = end
    pairs = windows.stats.filter { $0.state == .active }.map { window in
      Pair(stats: window, capture: windows.capture.first { $0.index == window.index })
    }
    let frames = "\(folder)/\(end).frames.csv.gz"
    shown = access(frames, R_OK) == 0 ? try ShownFrames(path: frames) : nil
    freezeMs = capture.lastCounter(.freezeMs) ?? 0
    pauseMs = capture.lastCounter(.pauseMs) ?? 0
  }

  /// Every end in a folder of calls with both sources.
  public static func read(folder: String) throws -> [CaptureAgreement] {
    try FreezeTruth.names(in: folder).flatMap { call in
      try ["callee", "caller"].compactMap { try CaptureAgreement(folder: folder, end: "\(call)/\($0)") }
    }
  }
}
