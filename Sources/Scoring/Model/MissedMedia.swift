import CallModel

extension ScoreModel {
  /// A window scored by what became of its media: a medium that was missed counts 0, and its cause has all of its points;
  /// one of which nobody knows what it would have been is left out. Without one that counts, the window is unscored.
  public func window(_ measured: Window, missed: [MediaKind: Cause], unknown: Set<MediaKind>) -> Window {
    guard case .callqa(_, _, let combination) = formula else { return measured }
    var window = measured
    if missed[.audio] != nil { (window.audioCQ, window.audioLQ) = (0, 0) }
    if missed[.video] != nil { window.video = 0 }
    if unknown.contains(.audio) { (window.audioCQ, window.audioLQ) = (nil, nil) }
    if unknown.contains(.video) { window.video = nil }
    let audio = window.audioCQ.map { medium(.audio, $0, listening: window.audioLQ, measured, missed[.audio]) }
    let video = window.video.map { medium(.video, $0, listening: nil, measured, missed[.video]) }
    guard let score = callScore(audio: audio, video: video, combination) else {
      if window.state != .silent { window.state = .unscored }
      (window.score, window.pointsLost) = (nil, nil)
      return window
    }
    // What came and is worth nothing is no stall.
    let came =
      measured.state != .stalled
      && (audio != nil && missed[.audio] == nil || video != nil && missed[.video] == nil)
    window.state = came ? .active : .stalled
    window.score = score.score
    window.pointsLost = score.lost
    return window
  }

  /// A medium's score. What was missed has all of its points; otherwise they have the causes that the window had. A point
  /// that the window had lost by rounding is one of late sound or coarse coding, the most common causes.
  private func medium(
    _ kind: MediaKind, _ score: Double, listening: Double?, _ measured: Window, _ missed: Cause?
  ) -> MediumScore {
    var lost: ByCause<Double> = [:]
    if let missed {
      lost[missed] = 100 - score
    } else {
      let own = (measured.pointsLost ?? [:]).filter { $0.value > 0 && $0.cause.concerns(kind) }
      let sum = own.reduce(0) { $0 + $1.value }
      for (cause, points) in own { lost[cause] = (100 - score) * Double(points) / Double(sum) }
      if sum == 0, score < 100 { lost[kind == .audio ? .jitter : .coding] = 100 - score }
    }
    return MediumScore(listening: listening ?? score, conversing: score, lost: lost)
  }
}

extension Cause {
  /// Whether a medium can lose points to it.
  fileprivate func concerns(_ kind: MediaKind) -> Bool {
    switch self {
    case .loss, .coding: true
    case .jitter, .delay, .silence, .playout: kind == .audio
    case .freeze, .framerate, .resolution, .bitrate: kind == .video
    }
  }
}
