import CallModel

/// A picture that stopped for good while sound went on: browsers count a pause only when the next frame ends it.
struct StoppedPicture {
  /// When a picture last moved, and whether that was a screen, which may stand still.
  private var moved: (lastMs: Double, isScreen: Bool)?
  /// Up to when streams of pictures were reported, and when sound last came.
  private var reportedMs = -Double.infinity
  private var soundMs = -Double.infinity

  /// Takes a sample and the one before it.
  mutating func see(_ sample: SampleView, after earlier: SampleView, _ role: StreamRole) {
    guard role.direction != .outbound else { return }
    func grew(_ metric: Metric) -> Bool? {
      guard let before = earlier[metric], let after = sample[metric] else { return nil }
      return after > before
    }
    let last = sample.lastPacketTime(after: earlier.timeMs) ?? sample.timeMs
    switch role.kind {
    case .audio: if grew(.packets) == true { soundMs = max(soundMs, last) }
    case .video:
      // A capture soon samples no more what fell silent; statistics have a picture until it is taken away.
      reportedMs = role.source == .capture ? .infinity : max(reportedMs, sample.timeMs)
      if grew(.frames) ?? grew(.packets) ?? false, moved.map({ $0.lastMs < last }) ?? true {
        moved = (last, role.isScreen)
      }
    case nil: break
    }
  }

  /// From its last frame on, for as long as sound came and it was reported; nil where that is no pause.
  var span: (start: Double, end: Double)? {
    guard let moved, !moved.isScreen else { return nil }
    let end = min(soundMs, reportedMs)
    return end - moved.lastMs > FrozenSpan.pauseMs ? (moved.lastMs, end) : nil
  }
}
