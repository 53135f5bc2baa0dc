import CallModel
import Glibc
import Scoring

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
