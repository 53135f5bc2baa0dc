import CallModel

extension EndAccount {
  /// Minimum share of the media before the recording that matters for the score, 0–1.
  private static let minShare = 0.1

  /// Length of the media before its recording starts, ms, for which there are no windows: a dump only keeps the last
  /// part of a long call, and a page may be opened in the middle of one. Nil if it was recorded from the start.
  var unrecordedMs: Double? {
    // Windows are numbered from the first packet; the first report shows how many packets came before it.
    guard windowSource == .stats, let first = windows.first, first.index > 0 else { return nil }
    return Double(first.index) * Window.lengthMs
  }

  /// The same, if the score is not representative without it.
  var significantUnrecordedMs: Double? {
    let recorded = windows.reduce(0) { $0 + $1.endMs - $1.startMs }
    return unrecordedMs.flatMap { $0 >= Self.minShare * ($0 + recorded) ? $0 : nil }
  }
}
