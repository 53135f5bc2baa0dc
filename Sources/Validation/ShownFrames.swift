import Scoring

/// Freezes and pauses of one end by the rule of W3C webrtc-stats on the frames that were shown.
public struct ShownFrames: Sendable {
  /// Time frozen and paused, ms.
  public var freezeMs = 0.0
  public var pauseMs = 0.0
  /// What the frames leave open: gaps near the threshold of the rule, and long ones before it has its mean of five gaps.
  public var close: (count: Int, ms: Double) = (0, 0)
  public var early: (count: Int, ms: Double) = (0, 0)

  /// A gap this near to the threshold falls on either side by the display's own 17 ms and by what frames the mean holds.
  private static let closeShare = 0.25
  /// A gap this long before there is a mean would be a freeze by any.
  private static let earlyMs = 300.0

  /// Reads a table with a column `display_ms`; nil where no frame was shown.
  ///
  /// A gap of max(3 x mean, mean + 150 ms) or more is a freeze, one over 5 s a pause; the mean is of the last 30 gaps,
  /// of five at least.
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
    if gap > FrozenSpan.pauseMs {
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

  /// Whether freezes, and pauses, are within a share of these or within some ms.
  public func agrees(freezeMs: Double, pauseMs: Double, share: Double, ms: Double) -> Bool {
    abs(self.freezeMs - freezeMs) <= max(ms, share * self.freezeMs)
      && abs(self.pauseMs - pauseMs) <= max(ms, share * self.pauseMs)
  }

  /// Why others may count otherwise.
  var reasons: [String] {
    func gaps(_ count: Int, _ ms: Double) -> String {
      "\(count) \(count == 1 ? "gap" : "gaps") of \(Int(ms)) ms"
    }
    var reasons: [String] = []
    if early.count > 0 { reasons.append("\(gaps(early.count, early.ms)) before the rule has its mean") }
    if close.count > 0 {
      reasons.append("\(gaps(close.count, close.ms)) within a quarter of the rule's threshold")
    }
    return reasons
  }
}
