import CallModel
import Timeline

extension Impairment {
  /// Points in a window from which a cause is an impairment of it.
  private static let minPoints = 5

  /// The impairments of an end, in order of time: windows in which a medium arrived and lost points, joined by cause.
  static func found(in windows: PackedWindows, _ fates: [MediaKind: [Fate]]) -> [Impairment] {
    var found: [Impairment] = []
    var open: [Cause: Run] = [:]
    var lost = 0.0
    let missed = fates.mapValues { fates in
      SpanSet(fates.filter(\.isMissed).map { (start: $0.startMs, end: $0.endMs) })
    }
    for window in windows {
      guard let points = window.pointsLost else { continue }
      for (cause, points) in points where points > 0 {
        lost += Double(points)
        guard points >= minPoints else { continue }
        let medium = cause.medium(in: window)
        let isMissed =
          (missed[medium]?.covered(from: window.startMs, to: window.endMs) ?? 0)
          > (window.endMs - window.startMs) / 2
        guard !isMissed else { continue }
        if let run = open[cause], run.medium == medium, window.startMs - run.endMs < 1 {
          open[cause]?.add(window, points, cause)
        } else {
          if let run = open[cause] { found.append(run.impairment(cause)) }
          var run = Run(medium: medium, startMs: window.startMs, endMs: window.endMs)
          run.add(window, points, cause)
          open[cause] = run
        }
      }
    }
    found += open.map { $1.impairment($0) }
    return found.sorted { ($0.startMs, $0.cause.rawValue) < ($1.startMs, $1.cause.rawValue) }.map {
      var one = $0
      one.share = lost > 0 ? one.share / lost : 0
      return one
    }
  }

  /// Consecutive windows that lost points to one cause.
  private struct Run {
    var medium: MediaKind
    var startMs: Double
    var endMs: Double
    private var points = 0
    private var windows = 0
    private var figures = (sum: 0.0, count: 0)

    init(medium: MediaKind, startMs: Double, endMs: Double) {
      (self.medium, self.startMs, self.endMs) = (medium, startMs, endMs)
    }

    mutating func add(_ window: Window, _ lost: Int, _ cause: Cause) {
      endMs = window.endMs
      points += lost
      windows += 1
      if let figure = cause.figure(of: window.inputs) {
        figures = (figures.sum + figure, figures.count + 1)
      }
    }

    /// Its share is still in points.
    func impairment(_ cause: Cause) -> Impairment {
      Impairment(
        cause, of: medium, from: startMs, to: endMs,
        figure: figures.count > 0 ? figures.sum / Double(figures.count) : nil,
        points: Double(points) / Double(max(1, windows)), share: Double(points))
    }
  }
}

extension Cause {
  /// The medium that lost points to it in a window; where both can, that which is worse.
  fileprivate func medium(in window: Window) -> MediaKind {
    switch self {
    case .jitter, .delay, .silence, .playout: .audio
    case .freeze, .framerate, .resolution, .bitrate: .video
    case .loss, .coding: (window.audioCQ ?? 101) <= (window.video ?? 101) ? .audio : .video
    }
  }
}
