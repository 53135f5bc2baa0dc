import CallModel
import Glibc
import IO
import Scoring

/// Freezes and pauses of one end: in the displayed frames, and as scored.
public struct FreezeTruth: Sendable {
  public var end: String
  /// From the frames, and from the scorer, ms.
  public var shown: ShownFrames
  public var foundFreezeMs: Double
  public var foundPauseMs: Double
  /// The browser's own final counters; nil without any.
  public var countedMs: Double?

  /// Mean video score of the end, and the share of that time in which video was frozen according to the frames.
  public var videoScore: Double?
  public var shownShare: Double = 0

  /// Rank correlation of video scores with frozen time over ends; nil for fewer than three.
  public static func order(_ ends: [FreezeTruth]) -> Double? {
    Agreement(ends.compactMap { end in end.videoScore.map { (figure: $0, truth: -end.shownShare) } })?.rho
  }

  /// Why statistics and displayed frames may differ.
  public var reasons: String {
    let counted = countedMs.map { ["the browser itself counted \(Int($0)) ms"] } ?? []
    return (counted + shown.reasons).joined(separator: "; ")
  }

  /// Whether freezes, and pauses, agree within a tenth or 100 ms.
  public var agrees: Bool {
    shown.agrees(freezeMs: foundFreezeMs, pauseMs: foundPauseMs, share: 0.1, ms: 100)
  }

  /// Every end in a folder with `END.frames.csv.gz` beside its statistics.
  ///
  /// Scores are those of the third version, in which video loses points mainly for freezes.
  public static func read(folder: String) throws -> [FreezeTruth] {
    var found: [FreezeTruth] = []
    for call in names(in: folder) {
      for end in ["callee", "caller"] where access("\(folder)/\(call)/\(end).frames.csv.gz", R_OK) == 0 {
        guard let shown = try ShownFrames(path: "\(folder)/\(call)/\(end).frames.csv.gz") else { continue }
        let recorded = try RecordedEnd(path: "\(folder)/\(call)/\(end).stats.jsonl.gz")
        var scorer = recorded.scorer(.callqa3, cut: .fromFirstMedia)
        let windows = scorer.finish()
        let scores = windows.compactMap(\.video)
        let length = (windows.last?.endMs ?? 0) - (windows.first?.startMs ?? 0)
        let spans = scorer.frozenSpans
        found.append(
          FreezeTruth(
            end: "\(call)/\(end)", shown: shown,
            foundFreezeMs: spans.filter { !$0.isPause }.reduce(0) { $0 + $1.lengthMs },
            foundPauseMs: spans.filter(\.isPause).reduce(0) { $0 + $1.lengthMs },
            countedMs: recorded.countedFrozenMs,
            videoScore: scores.isEmpty ? nil : scores.reduce(0, +) / Double(scores.count),
            shownShare: length > 0 ? (shown.freezeMs + shown.pauseMs + shown.early.ms) / length : 0))
      }
    }
    return found
  }

  /// Names of the calls of a folder, in order.
  static func names(in folder: String) -> [String] {
    (RawPath.names(in: folder) ?? []).filter { !$0.hasPrefix(".") }
  }
}

/// Freezes and pauses of one end by the definition of W3C webrtc-stats on the displayed frames.
public struct ShownFrames: Sendable {
  /// Time frozen and paused, ms.
  public var freezeMs = 0.0
  public var pauseMs = 0.0
  /// Uncertain gaps: near the threshold, and long ones before the mean of five gaps exists.
  public var close: (count: Int, ms: Double) = (0, 0)
  public var early: (count: Int, ms: Double) = (0, 0)

  /// Near the threshold, a gap may be on either side due to the display's 17 ms and the choice of frames in the mean.
  private static let closeShare = 0.25
  /// A gap this long would be a freeze with any mean.
  private static let earlyMs = 300.0

  /// Reads a table with a column `display_ms`; nil if no frame was displayed.
  ///
  /// A gap of max(3 x mean, mean + 150 ms) or more is a freeze, one over 5 s a pause; the mean is of the last 30 gaps,
  /// at least five.
  public init?(path: String) throws {
    var table = try CSVTable(path: path)
    var gaps: [Double] = []
    var last: Double?
    while let row = try table.next() {
      guard let time = row["display_ms"].flatMap({ Double($0) }) else { continue }
      defer { last = time }
      guard let last, time > last else { continue }
      take(time - last, after: gaps)
      gaps.append(time - last)
      if gaps.count > 30 { gaps.removeFirst() }
    }
    if last == nil { return nil }
  }

  private mutating func take(_ gap: Double, after gaps: [Double]) {
    if gap > Threshold.pause.value {
      pauseMs += gap
    } else if gaps.count >= 5 {
      let mean = gaps.reduce(0, +) / Double(gaps.count)
      let threshold = max(3 * mean, mean + 150)
      if gap >= threshold { freezeMs += gap }
      if abs(gap - threshold) <= Self.closeShare * threshold { close = (close.count + 1, close.ms + gap) }
    } else if gap >= Self.earlyMs {
      early = (early.count + 1, early.ms + gap)
    }
  }

  /// Whether freezes, and pauses, agree within a share or within some ms.
  public func agrees(freezeMs: Double, pauseMs: Double, share: Double, ms: Double) -> Bool {
    abs(self.freezeMs - freezeMs) <= max(ms, share * self.freezeMs)
      && abs(self.pauseMs - pauseMs) <= max(ms, share * self.pauseMs)
  }

  /// Why others may count differently.
  var reasons: [String] {
    func gaps(_ count: Int, _ ms: Double) -> String {
      "\(Plural.of(count, "gap")) of \(Int(ms)) ms"
    }
    var reasons: [String] = []
    if early.count > 0 { reasons.append("\(gaps(early.count, early.ms)) before the rule has its mean") }
    if close.count > 0 {
      reasons.append("\(gaps(close.count, close.ms)) within a quarter of the rule's threshold")
    }
    return reasons
  }
}
