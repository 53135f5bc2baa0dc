import CallModel

/// How reports of an end were too far apart for its windows.
struct SparseReports: Equatable {
  /// Interval between the reports, ms.
  package var apartMs: Double
  /// Total length of the windows between such reports, ms; nil if that is all or nearly all of them.
  package var lengthMs: Double?
}

extension EndAccount {
  /// Maximum interval between reports for which a window has figures of its own, ms: one and a half times its length.
  static let closeReportsMs = ReportSpacing.closeMs
  /// Share of scored windows between distant reports from which it is mentioned, and from which it counts as all of
  /// them.
  private static let minSparseShare = 0.1
  private static let wholeShare = 0.9

  /// Set if scored windows lie between two reports and can only share their mean; nil if reports came often enough, or
  /// if packets were captured.
  var sparseReports: SparseReports? {
    guard windowSource == .stats, windows.contains(where: { $0.score != nil }) else { return nil }
    return betweenReports ?? onAverage
  }

  // From the times of the reports.
  private var betweenReports: SparseReports? {
    let scored = windows.filter { $0.score != nil }
    var sparse: [Window] = []
    var next = 0
    for window in scored {
      while next < reportGaps.count, reportGaps[next].endMs <= window.startMs { next += 1 }
      let without = reportGaps[next...].prefix { $0.startMs < window.endMs }.reduce(0) {
        $0 + min($1.endMs, window.endMs) - max($1.startMs, window.startMs)
      }
      if without > (window.endMs - window.startMs) / 2 { sparse.append(window) }
    }
    let share = Double(sparse.count) / Double(scored.count)
    guard share >= Self.minSparseShare, let first = sparse.first, let last = sparse.last else { return nil }
    let gaps = reportGaps.filter { $0.endMs > first.startMs && $0.startMs < last.endMs }
    return SparseReports(
      apartMs: gaps.reduce(0) { $0 + $1.lengthMs } / Double(max(1, gaps.count)),
      lengthMs: share >= Self.wholeShare ? nil : sparse.reduce(0) { $0 + $1.endMs - $1.startMs })
  }

  // From their number, if their times are no longer stored.
  private var onAverage: SparseReports? {
    let spacing = ownStreams.compactMap { stream -> Double? in
      guard stream.direction == .inbound, let samples = stream.number("samples"), samples > 2,
        let first = stream.firstMs, let last = stream.lastMs
      else { return nil }
      return (last - first) / (samples - 1)
    }
    return spacing.min().flatMap { $0 > Self.closeReportsMs ? SparseReports(apartMs: $0) : nil }
  }
}
