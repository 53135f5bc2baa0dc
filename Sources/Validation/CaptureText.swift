import CallModel

/// The study of captures as lines for people.
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

  /// Every window over 12 points off, with what took the points on either side.
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

  /// Every end whose mean score is over 3 points off.
  public static func farMeans(_ study: CaptureStudy) -> [String] {
    study.ends.compactMap { end in
      guard let means = end.means, abs(means.stats - means.capture) > 3 else { return nil }
      return "\(end.end): \(number(means.stats, 1)), \(number(means.capture, 1))"
    }
  }

  /// Every end whose freezes or pauses are far from the frames shown, and what those leave open.
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
