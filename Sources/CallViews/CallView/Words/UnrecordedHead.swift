import CallModel

extension EndAccount {
  /// A head that is a smaller part of what came, 0–1, does not change what a score says of the whole.
  private static let leastShare = 0.1

  /// How long media had come before its record begins, ms, for which there are no windows: the ring of a dump holds the last of a
  /// long call only, and a page may be opened in the middle of one. Nil where it was recorded from its beginning.
  var unrecordedMs: Double? {
    // Windows are counted from the first packet, by which the first report tells how many came before it.
    guard windowSource == .stats, let first = windows.first, first.index > 0 else { return nil }
    return Double(first.index) * Window.lengthMs
  }

  /// The same where the score says too little without it.
  var gravelyUnrecordedMs: Double? {
    let recorded = windows.reduce(0) { $0 + $1.endMs - $1.startMs }
    return unrecordedMs.flatMap { $0 >= Self.leastShare * ($0 + recorded) ? $0 : nil }
  }
}
