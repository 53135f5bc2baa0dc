import CallModel
import Timeline

extension Impairment {
  /// Points in a window from which a cause is an impairment of it.
  private static let minPoints = 5

  /// The impairments of an end, in order of time: windows in which a medium arrived and lost points, joined by cause.
  static func found(in windows: PackedWindows, _ fates: [MediaKind: [Fate]]) -> [Impairment] {
    var runs: [Run] = []
    var open: [Cause: Int] = [:]
    var lost = 0
    let missed = fates.mapValues { fates in
      SpanSet(fates.filter(\.isMissed).map { (start: $0.startMs, end: $0.endMs) })
    }
    for window in windows {
      for (cause, points) in window.pointsLost ?? [:] where points > 0 {
        lost += points
        let medium = cause.medium(in: window)
        let missedMs = missed[medium]?.covered(from: window.startMs, to: window.endMs) ?? 0
        guard points >= minPoints, missedMs <= (window.endMs - window.startMs) / 2 else { continue }
        if let index = open[cause], runs[index].goesOn(in: window, medium) {
          runs[index].add(window, points)
        } else {
          open[cause] = runs.count
          runs.append(Run(cause, medium, window, points))
        }
      }
    }
    return runs.sorted { ($0.startMs, $0.cause.rawValue) < ($1.startMs, $1.cause.rawValue) }.map {
      $0.impairment(ofAll: lost)
    }
  }

  /// Consecutive windows that lost points to one cause.
  private struct Run {
    let cause: Cause
    let medium: MediaKind
    let startMs: Double
    private var endMs: Double
    private var points = 0
    private var windows = 0
    private var figures = (sum: 0.0, count: 0)

    init(_ cause: Cause, _ medium: MediaKind, _ window: PackedWindow, _ lost: Int) {
      (self.cause, self.medium, startMs, endMs) = (cause, medium, window.startMs, window.endMs)
      add(window, lost)
    }

    func goesOn(in window: PackedWindow, _ medium: MediaKind) -> Bool {
      self.medium == medium && window.startMs - endMs < 1
    }

    mutating func add(_ window: PackedWindow, _ lost: Int) {
      endMs = window.endMs
      points += lost
      windows += 1
      if let figure = cause.figure(of: window.inputs) { figures = (figures.sum + figure, figures.count + 1) }
    }

    func impairment(ofAll lost: Int) -> Impairment {
      Impairment(
        cause, of: medium, from: startMs, to: endMs,
        figure: figures.count > 0 ? figures.sum / Double(figures.count) : nil,
        points: Double(points) / Double(windows), share: Double(points) / Double(lost))
    }
  }
}

extension Cause {
  /// The medium that lost points to it in a window; where both can, that which is worse.
  fileprivate func medium(in window: PackedWindow) -> MediaKind {
    switch self {
    case .jitter, .delay, .silence, .playout: .audio
    case .freeze, .framerate, .resolution, .bitrate: .video
    case .loss, .coding: (window.audioCQ ?? 101) <= (window.video ?? 101) ? .audio : .video
    }
  }
}
